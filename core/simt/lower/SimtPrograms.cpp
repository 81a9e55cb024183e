//===- SimtPrograms.cpp - which program a block is ------------------------===//
//
// What   Program ids: of the machine or, in a kernel that waits where blocks
//        start in any order, of a counter.
// Why    Each program may wait for those with smaller numbers (R6, O4). With
//        numbers in the order in which blocks start, these have all started.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

using namespace llvm;

namespace tz::simt {

bool KernelLowering::countsPrograms() const {
  return kernel->hasAttr("tile.waits") && !hooks.startsInOrder();
}

Value *KernelLowering::programId(unsigned axis) {
  if (!ids.empty()) {
    return ids[axis];
  }
  Value *id = hooks.programId(b, axis);
  return axis == 0 && result.splitBlocks > 1
             ? b.CreateLShr(id, Log2_32(result.splitBlocks))
             : id;
}

Value *KernelLowering::programCount(unsigned axis) {
  Value *count = hooks.programCount(b, axis);
  return axis == 0 && result.splitBlocks > 1
             ? b.CreateLShr(count, Log2_32(result.splitBlocks))
             : count;
}

/// One thread takes the next number, and all are told. What this accesses is
/// the kernel's own: a report about it names the kernel and its line.
void KernelLowering::takeProgram(Value *counter) {
  if (debug.isWanted()) {
    b.SetCurrentDebugLocation(debug.at(kernel.getLoc()));
  }
  hooks.beginOp(b, kernel);
  Value *isFirst = b.CreateICmpEQ(thread, b.getInt32(0)),
        *start = b.getInt32(0);
  mlir::Type word = mlir::IntegerType::get(kernel.getContext(), 32);
  const SyncScope::ID scope =
      context.getOrInsertSyncScopeID(hooks.syncScope(tile::MemScope::device));
  Region region = allocate(16);
  willWrite(region);
  emitIf(isFirst, [&] {
    Value *taken =
        b.CreateAtomicRMW(AtomicRMWInst::Add, counter, b.getInt32(1), Align(4),
                          AtomicOrdering::Monotonic, scope);
    scratchStore(region, start, taken, word);
  });
  willRead(region);
  Value *number = scratchLoad(region, start, word);
  scratch.release(region);
  if (uniform) {
    number = uniformAny(number);
  }
  // x fastest, then y, then z.
  for (unsigned axis = 0; axis < 2; ++axis) {
    Value *programs = hooks.programCount(b, axis);
    ids.push_back(b.CreateURem(number, programs));
    number = b.CreateUDiv(number, programs);
  }
  ids.push_back(number);
}

} // namespace tz::simt
