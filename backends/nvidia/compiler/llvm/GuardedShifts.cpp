//===- GuardedShifts.cpp - shifts by wide amounts -------------------------===//
//
// What   amount < 64 ? x >> amount : 0 with an amount of 64 bits asks for the
//        smaller of the amount and 64, in 32 bits.
// Why    PTX's shifts give 0 for amounts that are too large, of 32 bits. LLVM
//        (22) makes one of the whole choice and takes the lower half of the
//        amount: x >> 2^32 was x.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

/// The amount before it was cut off to the width of what is shifted.
static Value *wholeAmount(Value *amount) {
  Value *whole = nullptr;
  return match(amount, m_Trunc(m_Value(whole))) ? whole : amount;
}

/// The choice's comparison of the amount with no more than the width; null if
/// it asks something else.
static ICmpInst *guardOf(SelectInst &choice, Value *amount, unsigned width) {
  auto *compare = dyn_cast<ICmpInst>(choice.getCondition());
  auto *limit =
      compare ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
  return limit && compare->isUnsigned() && compare->getOperand(0) == amount &&
                 limit->getValue().ule(width)
             ? compare
             : nullptr;
}

static void narrow(BinaryOperator &shift) {
  Value *amount = wholeAmount(shift.getOperand(1));
  const unsigned width = shift.getType()->getScalarSizeInBits();
  if (!amount->getType()->isIntegerTy(64) ||
      computeKnownBits(amount, shift.getDataLayout()).countMaxActiveBits() <=
          32) {
    return;
  }
  Value *small = nullptr; // 32 bits
  for (User *user : make_early_inc_range(shift.users())) {
    auto *choice = dyn_cast<SelectInst>(user);
    ICmpInst *guard = choice ? guardOf(*choice, amount, width) : nullptr;
    if (!guard) {
      continue;
    }
    if (!small) {
      IRBuilder<> b(&shift);
      small = b.CreateTrunc(
          b.CreateBinaryIntrinsic(Intrinsic::umin, amount, b.getInt64(width)),
          b.getInt32Ty());
      shift.setOperand(1, b.CreateZExtOrTrunc(small, shift.getType()));
    }
    IRBuilder<> b(choice);
    choice->setCondition(b.CreateICmp(
        guard->getPredicate(), small,
        b.getInt32(uint32_t(
            cast<ConstantInt>(guard->getOperand(1))->getZExtValue()))));
    if (guard->use_empty()) {
      guard->eraseFromParent();
    }
  }
}

void narrowGuardedShifts(Function &function) {
  for (Instruction &one : make_early_inc_range(instructions(function))) {
    if (one.getOpcode() == Instruction::Shl ||
        one.getOpcode() == Instruction::LShr) {
      narrow(cast<BinaryOperator>(one));
    }
  }
}

} // namespace tz::nvidia
