//===- AsyncCopy.cpp - cp.async -------------------------------------------===//
//
// What   Asynchronous copies of single threads from global to shared memory,
//        their groups and waits.
// Why    Apart from PtxHooks.cpp, which is about what every kernel has.
//
// PTX ISA 8.0, 9.7.9.25: 16 bytes may bypass L1 (.cg); what lies behind the
// source's size is filled with zeros. Copies are made by the generic proxy, so
// that wgmma, which is not, needs publishStaged before the barrier.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/hooks/InlinePtx.h"
#include "backends/nvidia/compiler/hooks/PtxHooks.h"

using namespace llvm;

namespace tz::nvidia {

void PtxHooks::asyncCopy(IRBuilderBase &b, Value *to, Value *from,
                         unsigned bytes, Value *valid,
                         const simt::MemoryHints &hints) {
  const std::string size = std::to_string(bytes);
  std::string text =
      std::string("cp.async.") +
      (bytes == 16 && hints.cache != tile::CacheHint::ca ? "cg" : "ca") +
      ".shared.global.L2::128B [$0], [$1], " + size;
  SmallVector<Value *> operands = {
      b.CreatePtrToInt(to, b.getInt32Ty()),
      b.CreatePtrToInt(b.CreateAddrSpaceCast(from, b.getPtrTy(1)),
                       b.getInt64Ty())};
  if (valid) {
    text += ", $2";
    operands.push_back(valid);
  }
  emitPtx(b, text + ";", valid ? "r,l,r,~{memory}" : "r,l,~{memory}", operands);
}

void PtxHooks::asyncCommit(IRBuilderBase &b) {
  emitPtx(b, "cp.async.commit_group;", "~{memory}", {});
}

void PtxHooks::asyncWait(IRBuilderBase &b, simt::PendingCopies pending) {
  emitPtx(b, "cp.async.wait_group " + std::to_string(pending.groups) + ";",
          "~{memory}", {});
}

} // namespace tz::nvidia
