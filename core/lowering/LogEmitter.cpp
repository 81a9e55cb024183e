//===- LogEmitter.cpp - what a kernel writes into its log ring ------------===//
//
// What   See LogEmitter.h.
// Why    See LogEmitter.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/LogEmitter.h"

#include "terrazzo/plugin.h"

using namespace llvm;

namespace tz::lowering {

static constexpr uint64_t RecordBytes = sizeof(tz_log_record);

Value *LogEmitter::field(Value *base, uint64_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset);
}

void LogEmitter::emitIf(Value *condition, function_ref<void()> then,
                        function_ref<void()> otherwise) {
  Function *function = b.GetInsertBlock()->getParent();
  auto block = [&](const char *name) {
    return BasicBlock::Create(b.getContext(), name, function);
  };
  BasicBlock *yes = block("log.then");
  BasicBlock *no = otherwise ? block("log.else") : nullptr;
  BasicBlock *join = block("log.join");
  b.CreateCondBr(condition, yes, no ? no : join);
  b.SetInsertPoint(yes);
  then();
  b.CreateBr(join);
  if (no) {
    b.SetInsertPoint(no);
    otherwise();
    b.CreateBr(join);
  }
  b.SetInsertPoint(join);
}

void LogEmitter::append(const LogPiece &piece,
                        function_ref<void(Value *)> fill) {
  Type *i64 = b.getInt64Ty(), *i32 = b.getInt32Ty();
  Value *size =
      b.CreateAdd(b.getInt64(RecordBytes),
                  b.CreateAnd(b.CreateAdd(piece.payloadBytes, b.getInt64(7)),
                              b.getInt64(~7ull)));
  Value *old = b.CreateAtomicRMW(
      AtomicRMWInst::Add, field(header, offsetof(tz_log_header, reserved)),
      size, Align(8), AtomicOrdering::Monotonic, scope);
  Value *capacity = b.CreateAlignedLoad(
      i64, field(header, offsetof(tz_log_header, capacity)), Align(8));
  Value *record =
      b.CreateGEP(b.getInt8Ty(), field(header, sizeof(tz_log_header)), old);
  auto put = [&](uint64_t offset, Value *v) {
    b.CreateAlignedStore(v, field(record, offset), Align(4));
  };
  auto write = [&] {
    put(offsetof(tz_log_record, size), b.CreateTrunc(size, i32));
    put(offsetof(tz_log_record, site), b.getInt32(piece.site));
    for (unsigned axis = 0; axis < 3; ++axis) {
      put(offsetof(tz_log_record, program) + 4 * axis, program(axis));
    }
    put(offsetof(tz_log_record, value), piece.value);
    put(offsetof(tz_log_record, first), b.CreateTrunc(piece.first, i32));
    put(offsetof(tz_log_record, count), b.CreateTrunc(piece.count, i32));
    fill(field(record, RecordBytes));
  };
  // A record of size 0 ends what the host reads, where its header still fits.
  auto drop = [&] {
    b.CreateAtomicRMW(
        AtomicRMWInst::Add, field(header, offsetof(tz_log_header, dropped)),
        b.getInt64(1), Align(8), AtomicOrdering::Monotonic, scope);
    emitIf(b.CreateICmpULT(old, capacity),
           [&] { b.CreateAlignedStore(b.getInt32(0), record, Align(4)); });
  };
  emitIf(b.CreateICmpULE(b.CreateAdd(old, size), capacity), write, drop);
}

void LogEmitter::fail(uint32_t site) {
  Value *swap = b.CreateAtomicCmpXchg(
      field(header, offsetof(tz_log_header, failed)), b.getInt32(0),
      b.getInt32(1 + site), Align(4), AtomicOrdering::AcquireRelease,
      AtomicOrdering::Acquire, scope);
  emitIf(b.CreateExtractValue(swap, 1), [&] {
    for (unsigned axis = 0; axis < 3; ++axis) {
      b.CreateAlignedStore(
          program(axis),
          field(header, offsetof(tz_log_header, failed_program) + 4 * axis),
          Align(4));
    }
  });
}

} // namespace tz::lowering
