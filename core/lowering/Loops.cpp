//===- Loops.cpp - the counter of a loop ----------------------------------===//
//
// What   See Loops.h.
// Why    See Loops.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/Loops.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace tz::lowering {

LoopCounter::LoopCounter(IRBuilderBase &b, Value *low, Value *high, Value *step,
                         bool isUnsigned, bool isWide)
    : before(b.GetInsertBlock()), low(low), high(high), step(step),
      isUnsigned(isUnsigned), isWide(isWide) {
  // A counter below `high` has room for one more.
  auto *constant = dyn_cast<ConstantInt>(step);
  if (isWide || (constant && constant->isOne())) {
    return;
  }
  // counter + step < high, where the sum may wrap: counter < high - step. If
  // that difference wraps, no counter has a next one.
  runs = isUnsigned ? b.CreateICmpULT(low, high) : b.CreateICmpSLT(low, high);
  last = b.CreateBinaryIntrinsic(
      isUnsigned ? Intrinsic::usub_sat : Intrinsic::ssub_sat, high, step);
}

Value *LoopCounter::isBelow(IRBuilderBase &b, Value *value, Value *bound) {
  return isUnsigned ? b.CreateICmpULT(value, bound)
                    : b.CreateICmpSLT(value, bound);
}

PHINode *LoopCounter::begin(IRBuilderBase &b) {
  counter = b.CreatePHI(low->getType(), 2);
  counter->addIncoming(low, before);
  if (last) {
    exists = b.CreatePHI(b.getInt1Ty(), 2);
    exists->addIncoming(runs, before);
  }
  return counter;
}

Value *LoopCounter::goesOn(IRBuilderBase &b) {
  return exists ? exists : isBelow(b, counter, high);
}

void LoopCounter::next(IRBuilderBase &b) {
  BasicBlock *end = b.GetInsertBlock();
  if (exists) {
    exists->addIncoming(isBelow(b, counter, last), end);
  }
  counter->addIncoming(
      b.CreateAdd(counter, step, "", /*HasNUW=*/false, /*HasNSW=*/isWide), end);
}

Value *LoopCounter::endOfPiece(IRBuilderBase &b, Value *from,
                               uint64_t iterations) {
  if (exists) {
    return nullptr;
  }
  // As far as the piece goes if nothing ends it: with a step of 1 the sum may
  // wrap, but is not used then.
  Value *distance =
      b.CreateMul(step, ConstantInt::get(step->getType(), iterations));
  Value *end = b.CreateAdd(from, distance, "", /*HasNUW=*/false, isWide);
  if (isWide) {
    return b.CreateBinaryIntrinsic(
        isUnsigned ? Intrinsic::umin : Intrinsic::smin, end, high);
  }
  Value *isShorter = b.CreateICmpUGT(b.CreateSub(high, from), distance);
  return b.CreateSelect(b.CreateAnd(isBelow(b, from, high), isShorter), end,
                        high);
}

Value *LoopCounter::isOnePiece(IRBuilderBase &b, uint64_t iterations) {
  Value *distance =
      b.CreateMul(step, ConstantInt::get(step->getType(), iterations));
  Value *all = b.CreateSub(high, low, "", /*HasNUW=*/false, isWide);
  if (isWide) {
    return b.CreateICmpSLE(all, distance);
  }
  return b.CreateOr(b.CreateNot(isBelow(b, low, high)),
                    b.CreateICmpULE(all, distance));
}

} // namespace tz::lowering
