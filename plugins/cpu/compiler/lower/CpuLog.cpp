//===- CpuLog.cpp - Print and assert --------------------------------------===//
//
// What   tile.print appends records to the launch's log ring, tile.assert sets
//        its failure word and ends the program; layouts as in plugin.h §7.
// Why    No printf and no trap in a kernel: the host decodes the ring when the
//        stream is synchronised (decision R1).
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"

#include "terrazzo/plugin.h"

using namespace llvm;

namespace tz::cpu {

namespace {

constexpr uint64_t RecordBytes = sizeof(tz_log_record);
/// Elements of a tile in one record.
constexpr int64_t Piece = 64;

Value *field(IRBuilderBase &b, Value *base, uint64_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset);
}

} // namespace

Value *CpuLowering::logHeader() {
  return b.CreateAlignedLoad(b.getPtrTy(), field(b, argsBase, logOffset),
                             Align(8));
}

/// Reserves a record and calls `fill` with its payload if there is room.
void CpuLowering::logRecord(uint32_t site, uint32_t value, Value *first,
                            Value *count, Value *payloadBytes,
                            function_ref<void(Value *)> fill) {
  Type *i64 = b.getInt64Ty();
  Value *header = logHeader();
  Value *size = b.CreateAdd(
      b.getInt64(RecordBytes),
      b.CreateAnd(b.CreateAdd(payloadBytes, b.getInt64(7)), b.getInt64(~7ull)));
  Value *old = b.CreateAtomicRMW(
      AtomicRMWInst::Add, field(b, header, offsetof(tz_log_header, reserved)),
      size, Align(8), AtomicOrdering::Monotonic);
  Value *capacity = b.CreateAlignedLoad(
      i64, field(b, header, offsetof(tz_log_header, capacity)), Align(8));
  Value *record =
      b.CreateGEP(b.getInt8Ty(), field(b, header, sizeof(tz_log_header)), old);
  emitIf(
      b.CreateICmpULE(b.CreateAdd(old, size), capacity),
      [&] {
        auto put = [&](uint64_t offset, Value *v) {
          b.CreateAlignedStore(v, field(b, record, offset), Align(4));
        };
        Type *i32 = b.getInt32Ty();
        put(offsetof(tz_log_record, size), b.CreateTrunc(size, i32));
        put(offsetof(tz_log_record, site), b.getInt32(site));
        for (unsigned axis = 0; axis < 3; ++axis) {
          put(offsetof(tz_log_record, program) + 4 * axis, program[axis]);
        }
        put(offsetof(tz_log_record, value), b.getInt32(value));
        put(offsetof(tz_log_record, first), b.CreateTrunc(first, i32));
        put(offsetof(tz_log_record, count), b.CreateTrunc(count, i32));
        fill(field(b, record, RecordBytes));
      },
      [&] {
        b.CreateAtomicRMW(AtomicRMWInst::Add,
                          field(b, header, offsetof(tz_log_header, dropped)),
                          b.getInt64(1), Align(8), AtomicOrdering::Monotonic);
        emitIf(b.CreateICmpULT(old, capacity),
               [&] { b.CreateAlignedStore(b.getInt32(0), record, Align(4)); });
      });
}

void CpuLowering::printOp(tile::PrintOp op) {
  const auto site = static_cast<uint32_t>(logPoints.size());
  logPoints.push_back({op});
  if (op.getArgs().empty()) {
    Value *none = b.getInt64(0);
    logRecord(site, 0, none, none, none, [](Value *) {});
    return;
  }
  for (auto [i, argument] : llvm::enumerate(op.getArgs())) {
    mlir::Type element = tile::elementType(argument.getType());
    Type *memory = memoryType(element);
    const uint64_t bytes = tile::storageBytes(element);
    const auto number = static_cast<uint32_t>(i);
    if (!isa<mlir::RankedTensorType>(argument.getType())) {
      Value *v = toMemory(scalar(argument), element);
      logRecord(site, number, b.getInt64(0), b.getInt64(1), b.getInt64(bytes),
                [&](Value *to) { b.CreateAlignedStore(v, to, Align(1)); });
      continue;
    }
    Buffer buffer = materialise(argument);
    int64_t elements = 1;
    for (int64_t extent : buffer.shape) {
      elements *= extent;
    }
    const int64_t piece = std::min(elements, Piece);
    Nest nest(*this, {elements / piece}, {}, /*vectors=*/false);
    auto append = [&](Value *first, int64_t count) {
      const uint64_t payload = static_cast<uint64_t>(count) * bytes;
      logRecord(site, number, first, b.getInt64(static_cast<uint64_t>(count)),
                b.getInt64(payload), [&](Value *to) {
                  b.CreateMemCpy(to, Align(8),
                                 b.CreateGEP(memory, address(buffer), first),
                                 Align(1), payload);
                });
    };
    nest.run([&](const Index &index) {
      append(b.CreateMul(index.at[0], b.getInt64(static_cast<uint64_t>(piece))),
             piece);
    });
    if (int64_t rest = elements % piece) {
      append(b.getInt64(static_cast<uint64_t>(elements - rest)), rest);
    }
  }
}

void CpuLowering::assertOp(tile::AssertOp op) {
  const auto site = static_cast<uint32_t>(logPoints.size());
  logPoints.push_back({op});
  AllocaInst *failed = slot(b.getInt8Ty());
  b.CreateStore(b.getInt8(0), failed);
  {
    Nest nest(*this, tile::shapeOf(op.getCondition().getType()),
              {op.getCondition(), op.getMask()});
    nest.run([&](const Index &index) {
      Value *bad = b.CreateNot(nest.eval(op.getCondition(), index));
      if (op.getMask()) {
        bad = b.CreateAnd(bad, nest.eval(op.getMask(), index));
      }
      bad = bad->getType()->isVectorTy() ? b.CreateOrReduce(bad) : bad;
      Value *sum = b.CreateOr(b.CreateLoad(b.getInt8Ty(), failed),
                              b.CreateZExt(bad, b.getInt8Ty()));
      b.CreateStore(sum, failed);
    });
  }
  Value *any =
      b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), failed), b.getInt8(0));
  BasicBlock *report = block("assert"), *goesOn = block("assert.passed");
  b.CreateCondBr(any, report, goesOn);
  b.SetInsertPoint(report);
  Value *header = logHeader();
  Value *swap = b.CreateAtomicCmpXchg(
      field(b, header, offsetof(tz_log_header, failed)), b.getInt32(0),
      b.getInt32(1 + site), Align(4), AtomicOrdering::AcquireRelease,
      AtomicOrdering::Acquire);
  emitIf(b.CreateExtractValue(swap, 1), [&] {
    for (unsigned axis = 0; axis < 3; ++axis) {
      b.CreateAlignedStore(
          program[axis],
          field(b, header, offsetof(tz_log_header, failed_program) + 4 * axis),
          Align(4));
    }
  });
  b.CreateBr(nextProgram);
  b.SetInsertPoint(goesOn);
}

} // namespace tz::cpu
