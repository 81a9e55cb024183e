//===- BulkCopy.cpp - mbarriers and the tensor memory accelerator ---------===//
//
// What   Barriers with phases, copies of boxes of a tensor map into shared
//        memory, and stores of them from there.
// Why    LLVM's intrinsics have other forms in each version; PTX has one (R16).
//
// PTX ISA 8.0, 9.7.12.15 (mbarrier) and 9.7.9.27 (cp.async.bulk.tensor). One
// thread makes the copies; a barrier's phase ends when its arrivals and all
// expected bytes are there. Stores are waited for by groups of the thread
// that began them; their end is seen by plain accesses, but what those did
// before is seen by the engine only behind a proxy fence.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/hooks/InlinePtx.h"
#include "backends/nvidia/compiler/hooks/PtxHooks.h"

using namespace llvm;

namespace tz::nvidia {

namespace {
Value *sharedAddress(IRBuilderBase &b, Value *pointer) {
  return b.CreatePtrToInt(pointer, b.getInt32Ty());
}

/// Coordinates as further operands, innermost first: their list in the text.
std::string addCoordinates(ArrayRef<Value *> at,
                           SmallVectorImpl<Value *> &operands,
                           std::string &constraints) {
  std::string list;
  for (Value *coordinate : llvm::reverse(at)) {
    list += (list.empty() ? "$" : ", $") + std::to_string(operands.size());
    constraints += ",r";
    operands.push_back(coordinate);
  }
  return list;
}
} // namespace

void PtxHooks::initBarriers(IRBuilderBase &b, Value *address, unsigned count,
                            unsigned arrivals) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += "mbarrier.init.shared::cta.b64 [$0+" + std::to_string(8 * i) +
            "], " + std::to_string(arrivals) + ";\n";
  }
  // The TMA unit sees them.
  emitPtx(b, text + "fence.mbarrier_init.release.cluster;", "r,~{memory}",
          {sharedAddress(b, address)});
}

void PtxHooks::endBarriers(IRBuilderBase &b, Value *address, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text +=
        "mbarrier.inval.shared::cta.b64 [$0+" + std::to_string(8 * i) + "];\n";
  }
  emitPtx(b, text, "r,~{memory}", {sharedAddress(b, address)});
}

void PtxHooks::expectBytes(IRBuilderBase &b, Value *barrier, uint64_t bytes) {
  emitPtx(b, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
          "r,r,~{memory}",
          {sharedAddress(b, barrier), b.getInt32(uint32_t(bytes))});
}

/// Nothing but the engine's next copies into the slot stands behind an arrival
/// in another block, and what was read of the slot is in registers or was
/// waited for: the scope of the block is enough. (With that of the cluster
/// ptxas puts a fence of all memory before each arrival, and empties the L1 at
/// each wait.)
void PtxHooks::arrive(IRBuilderBase &b, Value *barrier, Value *predicate,
                      Value *block) {
  SmallVector<Value *> operands = {sharedAddress(b, barrier),
                                   b.CreateZExt(predicate, b.getInt32Ty())};
  const std::string when = "{\n.reg .pred %arrives;\n"
                           "setp.ne.b32 %arrives, $1, 0;\n"
                           "bar.warp.sync 0xffffffff;\n";
  if (!block) {
    emitPtx(b, when + "@%arrives mbarrier.arrive.shared::cta.b64 _, [$0];\n}",
            "r,r,~{memory}", operands);
    return;
  }
  operands.push_back(block);
  emitPtx(b,
          when +
              ".reg .b32 %there;\nmapa.shared::cluster.u32 %there, $0, $2;\n"
              "@%arrives mbarrier.arrive.shared::cluster.b64 _, [%there];\n}",
          "r,r,r,~{memory}", operands);
}

/// Threads of a warp may come one by one: from halves of a kernel, say.
void PtxHooks::syncBlocks(IRBuilderBase &b) {
  emitPtx(b, "barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;",
          "~{memory}", {});
}

/// In words, of which any value is made. It stays behind the barrier of the
/// cluster, as all that emitPtx makes does.
Value *PtxHooks::loadFromBlock(IRBuilderBase &b, Type *type, Value *pointer,
                               Value *block) {
  const auto words = unsigned(type->getPrimitiveSizeInBits() / 32);
  std::string list, constraints;
  for (unsigned i = 0; i < words; ++i) {
    list += (i ? ", $" : "$") + std::to_string(i);
    constraints += "=r,";
  }
  const std::string from = std::to_string(words),
                    number = std::to_string(words + 1);
  SmallVector<Type *> parts(words, b.getInt32Ty());
  Type *results =
      words == 1 ? parts.front() : StructType::get(b.getContext(), parts);
  Value *loaded = emitPtx(
      b, results,
      "{\n.reg .b32 %there;\nmapa.shared::cluster.u32 %there, $" + from +
          ", $" + number + ";\nld.shared::cluster" +
          (words == 1 ? "" : ".v" + from) + ".b32 " +
          (words == 1 ? list : "{" + list + "}") + ", [%there];\n}",
      constraints + "r,r,~{memory}", {sharedAddress(b, pointer), block});
  if (words == 1) {
    return b.CreateBitCast(loaded, type);
  }
  Value *vector = PoisonValue::get(FixedVectorType::get(b.getInt32Ty(), words));
  for (unsigned i = 0; i < words; ++i) {
    vector = b.CreateInsertElement(vector, b.CreateExtractValue(loaded, i), i);
  }
  return b.CreateBitCast(vector, type);
}

/// The hardware lets a thread sleep in try_wait for a while, then asks again.
void PtxHooks::waitBarrier(IRBuilderBase &b, Value *barrier, Value *phase) {
  emitPtx(b,
          "{\n.reg .pred %done;\nwait${:uid}:\n"
          "mbarrier.try_wait.parity.shared::cta.b64 %done, [$0], $1;\n"
          "@!%done bra.uni wait${:uid};\n}",
          "r,r,~{memory}", {sharedAddress(b, barrier), phase});
}

void PtxHooks::bulkCopy(IRBuilderBase &b, simt::DescriptorType type,
                        Value *descriptor, ArrayRef<Value *> at, Value *to,
                        Value *barrier, const simt::MemoryHints &hints,
                        unsigned blocks) {
  SmallVector<Value *> operands = {sharedAddress(b, to),
                                   b.CreatePtrToInt(descriptor, b.getInt64Ty()),
                                   sharedAddress(b, barrier)};
  std::string constraints = "r,l,r";
  const std::string coordinates = addCoordinates(at, operands, constraints);
  std::string many, all;
  if (blocks > 1) {
    many = ".multicast::cluster";
    all = ", $" + std::to_string(operands.size());
    constraints += ",h";
    operands.push_back(b.getInt16(uint16_t((1u << blocks) - 1)));
  }
  emitPtx(b,
          "cp.async.bulk.tensor." + std::to_string(at.size()) +
              "d.shared::cluster.global.mbarrier::complete_tx::bytes" + many +
              " [$0], [$1, {" + coordinates + "}], [$2]" + all + ";",
          constraints + ",~{memory}", operands);
}

void PtxHooks::prefetchDescriptor(IRBuilderBase &b, Value *descriptor) {
  emitPtx(b, "prefetch.tensormap [$0];", "l,~{memory}",
          {b.CreatePtrToInt(descriptor, b.getInt64Ty())});
}

void PtxHooks::publishAccesses(IRBuilderBase &b) {
  emitPtx(b, "fence.proxy.async;", "~{memory}", {});
}

void PtxHooks::bulkStore(IRBuilderBase &b, simt::DescriptorType type,
                         Value *descriptor, ArrayRef<Value *> at, Value *from,
                         const simt::MemoryHints &hints) {
  SmallVector<Value *> operands = {b.CreatePtrToInt(descriptor, b.getInt64Ty()),
                                   sharedAddress(b, from)};
  std::string constraints = "l,r";
  const std::string coordinates = addCoordinates(at, operands, constraints);
  emitPtx(b,
          "cp.async.bulk.tensor." + std::to_string(at.size()) +
              "d.global.shared::cta.bulk_group [$0, {" + coordinates +
              "}], [$1];",
          constraints + ",~{memory}", operands);
}

void PtxHooks::awaitBulkStores(IRBuilderBase &b, bool areDone) {
  emitPtx(b,
          std::string("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group") +
              (areDone ? " 0;" : ".read 0;"),
          "~{memory}", {});
}

//===----------------------------------------------------------------------===//
// Warp groups with another number of registers (PTX ISA 8.0, setmaxnreg)
//===----------------------------------------------------------------------===//

/// What the warp groups that copy keep: enough for the addresses of some loads.
constexpr unsigned CopyRegisters = 40;

/// Registers of a thread that works when the others gave theirs up; none if
/// they are no whole warp groups. The block has all of the multiprocessor's.
static std::optional<unsigned> workRegisters(unsigned workWarps,
                                             unsigned copyWarps) {
  constexpr unsigned group = 4, perBlock = 65536, most = 255, unit = 8;
  if (workWarps % group != 0 || copyWarps % group != 0) {
    return std::nullopt;
  }
  const unsigned all = workWarps + copyWarps;
  const unsigned each =
      std::min(most, perBlock / (32 * all)) / unit * unit; // at the entry
  const unsigned mine =
      (each * all - CopyRegisters * copyWarps) / workWarps / unit * unit;
  return std::min(mine, most / unit * unit);
}

void PtxHooks::beginCopies(IRBuilderBase &b, unsigned workWarps,
                           unsigned copyWarps) {
  if (mayExchange && workRegisters(workWarps, copyWarps)) {
    exchanges = true;
    emitPtx(b,
            "setmaxnreg.dec.sync.aligned.u32 " + std::to_string(CopyRegisters) +
                ";",
            "", {});
  }
}

void PtxHooks::beginWork(IRBuilderBase &b, unsigned workWarps,
                         unsigned copyWarps) {
  std::optional<unsigned> mine = workRegisters(workWarps, copyWarps);
  if (mayExchange && mine) {
    emitPtx(b, "setmaxnreg.inc.sync.aligned.u32 " + std::to_string(*mine) + ";",
            "", {});
  }
}

} // namespace tz::nvidia
