//===- GuardedDivisions.cpp - divisions by any number ---------------------===//
//
// What   A division of 32 bits whose divisor is replaced by 1 where it is 0 or
//        -1 divides by the divisor itself.
// Why    LLVM's division is undefined for these, so the language's own chooses
//        around it. PTX divides by -1 as by any other number, and by 0 it gives
//        some number, which the choice leaves out. A division loses six of its
//        thirty instructions.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

namespace {

Value *thawed(Value *value) {
  auto *freeze = dyn_cast<FreezeInst>(value);
  return freeze ? freeze->getOperand(0) : value;
}

/// The numbers for which a comparison holds, if it compares `of`, or a sum of
/// it and a constant, with a constant.
std::optional<ConstantRange> whereTrue(Value *condition, Value *of) {
  CmpPredicate predicate;
  const APInt *limit, *added;
  Value *left;
  if (!match(condition, m_ICmp(predicate, m_Value(left), m_APInt(limit)))) {
    return std::nullopt;
  }
  const ConstantRange holds =
      ConstantRange::makeExactICmpRegion(predicate, *limit);
  if (thawed(left) == of) {
    return holds;
  }
  return match(left, m_Add(m_Value(left), m_APInt(added))) && thawed(left) == of
             ? std::optional(holds.subtract(*added))
             : std::nullopt;
}

/// The divisor that `guarded` is, but for 0 (and -1, with a sign); null if
/// there is none.
Value *divisorOf(Value *guarded, bool isSigned) {
  Value *divisor, *condition;
  guarded = thawed(guarded);
  if (!isSigned && match(guarded, m_UMax(m_Value(divisor), m_One()))) {
    return thawed(divisor);
  }
  const bool isFirst =
      match(guarded, m_Select(m_Value(condition), m_One(), m_Value(divisor)));
  if (!isFirst && !match(guarded, m_Select(m_Value(condition), m_Value(divisor),
                                           m_One()))) {
    return nullptr;
  }
  divisor = thawed(divisor);
  std::optional<ConstantRange> replaced = whereTrue(condition, divisor);
  if (replaced && !isFirst) {
    replaced = replaced->inverse();
  }
  const APInt zero(32, 0), one(32, 1);
  const ConstantRange guards = isSigned
                                   ? ConstantRange(APInt::getAllOnes(32), one)
                                   : ConstantRange(zero);
  return replaced && guards.contains(*replaced) ? divisor : nullptr;
}

/// What a choice gives where `divisor` is `number`, if it gives `otherwise`
/// elsewhere; null if it is not such a choice.
Value *chosenWhere(User *user, Value *divisor, const APInt &number,
                   Value *otherwise) {
  auto *choice = dyn_cast<SelectInst>(user);
  std::optional<ConstantRange> holds =
      choice ? whereTrue(choice->getCondition(), divisor) : std::nullopt;
  if (!holds) {
    return nullptr;
  }
  const bool isFirst = *holds == ConstantRange(number);
  if (!isFirst && holds->inverse() != ConstantRange(number)) {
    return nullptr;
  }
  Value *chosen = isFirst ? choice->getTrueValue() : choice->getFalseValue();
  Value *other = isFirst ? choice->getFalseValue() : choice->getTrueValue();
  return other == otherwise ? chosen : nullptr;
}

/// Whether every user of the quotient leaves it out where `divisor` is 0.
bool leaveZeroOut(Value *quotient, Value *divisor) {
  return all_of(quotient->users(), [&](User *user) {
    return chosenWhere(user, divisor, APInt(32, 0), quotient) != nullptr;
  });
}

Value *divideByAny(BinaryOperator &division, Value *divisor, bool isSigned) {
  IRBuilder<> b(&division);
  CallInst *quotient = b.CreateCall(
      InlineAsm::get(FunctionType::get(b.getInt32Ty(),
                                       {b.getInt32Ty(), b.getInt32Ty()}, false),
                     isSigned ? "div.s32 $0, $1, $2;" : "div.u32 $0, $1, $2;",
                     "=r,r,r", /*hasSideEffects=*/false),
      {division.getOperand(0), divisor});
  quotient->setDoesNotAccessMemory();
  quotient->setDoesNotThrow();
  return quotient;
}

void unguard(BinaryOperator &division) {
  const bool isSigned = division.getOpcode() == Instruction::SDiv;
  Value *divisor = divisorOf(division.getOperand(1), isSigned);
  if (!divisor) {
    return;
  }
  if (!isSigned) {
    if (leaveZeroOut(&division, divisor)) {
      division.replaceAllUsesWith(divideByAny(division, divisor, false));
    }
    return;
  }
  const APInt minusOne = APInt::getAllOnes(32);
  for (User *user : division.users()) {
    Value *negated = chosenWhere(user, divisor, minusOne, &division);
    if (!negated ||
        !match(negated, m_Neg(m_Specific(division.getOperand(0)))) ||
        !leaveZeroOut(user, divisor)) {
      return;
    }
  }
  Value *quotient = divideByAny(division, divisor, true);
  for (User *user : division.users()) {
    user->replaceAllUsesWith(quotient);
  }
}

} // namespace

void unguardDivisions(Function &function) {
  SmallVector<WeakTrackingVH> divisions;
  for (Instruction &one : instructions(function)) {
    if ((one.getOpcode() == Instruction::SDiv ||
         one.getOpcode() == Instruction::UDiv) &&
        one.getType()->isIntegerTy(32)) {
      unguard(cast<BinaryOperator>(one));
      divisions.push_back(&one);
    }
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(divisions);
}

} // namespace tz::nvidia
