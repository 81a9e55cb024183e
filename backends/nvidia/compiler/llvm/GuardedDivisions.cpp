//===- GuardedDivisions.cpp - divisions by any number ---------------------===//
//
// What   A division of 32 bits whose divisor is replaced by 1 where it is 0 or
//        -1 divides by the divisor itself; of 64 bits, if a warp has one. With
//        a sign, and where threads of a warp differ or each iteration divides
//        by the same number, one of 32 bits becomes a product with the
//        divisor's reciprocal, which gives 0 where the divisor is 0.
// Why    LLVM's division is undefined for these, so the language's own chooses
//        around it. PTX divides by -1 as by any other number, and by 0 it gives
//        some number, which the choice leaves out. Each index of a kernel is
//        such a quotient by an argument: of thirty instructions nine are left,
//        and ten more for each divisor, which ptxas leaves in a loop.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
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
/// it and a constant, with a constant. They have the bits of what is compared:
/// it may be what `of` was widened from.
std::optional<ConstantRange> whereTrue(Value *condition, Value *of) {
  Value *narrow = nullptr;
  const bool isWidened = match(of, m_SExt(m_Value(narrow)));
  CmpPredicate predicate;
  const APInt *limit, *added;
  Value *left;
  if (!match(condition, m_ICmp(predicate, m_Value(left), m_APInt(limit)))) {
    return std::nullopt;
  }
  const ConstantRange holds =
      ConstantRange::makeExactICmpRegion(predicate, *limit);
  auto isIt = [&](Value *value) {
    return thawed(value) == of || (isWidened && thawed(value) == narrow);
  };
  if (isIt(left)) {
    return holds;
  }
  return match(left, m_Add(m_Value(left), m_APInt(added))) && isIt(left)
             ? std::optional(holds.subtract(*added))
             : std::nullopt;
}

/// The divisor that `guarded` is, but for 0 (and -1, with a sign), or what that
/// was widened from; null if there is none.
Value *divisorOf(Value *guarded, bool isSigned) {
  Value *divisor, *condition, *narrow;
  guarded = thawed(guarded);
  if (isSigned && match(guarded, m_SExt(m_Value(narrow)))) {
    return divisorOf(narrow, isSigned);
  }
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
  if (!replaced) {
    return nullptr;
  }
  const unsigned bits = replaced->getBitWidth();
  const ConstantRange guards =
      isSigned ? ConstantRange(APInt::getAllOnes(bits), APInt(bits, 1))
               : ConstantRange(APInt(bits, 0));
  return guards.contains(*replaced) ? divisor : nullptr;
}

/// What a choice gives where `divisor` is `number`, if it gives `otherwise`
/// elsewhere; null if it is not such a choice.
Value *chosenWhere(User *user, Value *divisor, int64_t number,
                   Value *otherwise) {
  auto *choice = dyn_cast<SelectInst>(user);
  std::optional<ConstantRange> holds =
      choice ? whereTrue(choice->getCondition(), divisor) : std::nullopt;
  if (!holds) {
    return nullptr;
  }
  const ConstantRange only(
      APInt(holds->getBitWidth(), uint64_t(number), /*isSigned=*/true));
  const bool isFirst = *holds == only;
  if (!isFirst && holds->inverse() != only) {
    return nullptr;
  }
  Value *chosen = isFirst ? choice->getTrueValue() : choice->getFalseValue();
  Value *other = isFirst ? choice->getFalseValue() : choice->getTrueValue();
  return other == otherwise ? chosen : nullptr;
}

/// LLVM negates x + 7 as -7 - x.
bool isNegated(Value *negated, Value *value) {
  Value *x = nullptr;
  const APInt *less = nullptr, *more = nullptr;
  return match(negated, m_Neg(m_Specific(value))) ||
         (match(negated, m_Sub(m_APInt(less), m_Value(x))) &&
          match(value, m_AddLike(m_Specific(x), m_APInt(more))) &&
          *less == -*more);
}

/// Whether every user of the quotient leaves it out where `divisor` is 0.
bool leaveZeroOut(Value *quotient, Value *divisor) {
  return all_of(quotient->users(), [&](User *user) {
    return chosenWhere(user, divisor, 0, quotient) != nullptr;
  });
}

Value *divide(IRBuilder<> &b, StringRef instruction, StringRef constraints,
              Value *dividend, Value *divisor) {
  auto *type = FunctionType::get(
      dividend->getType(), {dividend->getType(), dividend->getType()}, false);
  CallInst *quotient =
      b.CreateCall(InlineAsm::get(type, (instruction + " $0, $1, $2;").str(),
                                  constraints, /*hasSideEffects=*/false),
                   {dividend, divisor});
  quotient->setDoesNotAccessMemory();
  quotient->setDoesNotThrow();
  return quotient;
}

/// Of 64 bits it takes some hundred instructions, unless both numbers have 32.
Value *divideByAny(BinaryOperator &division, Value *divisor, bool isSigned) {
  IRBuilder<> b(&division);
  Value *dividend = division.getOperand(0);
  if (division.getType()->isIntegerTy(32)) {
    return divide(b, isSigned ? "div.s32" : "div.u32", "=r,r,r", dividend,
                  divisor);
  }
  divisor = b.CreateSExt(divisor, division.getType());
  Value *isShort =
      b.CreateIsNull(b.CreateLShr(b.CreateOr(dividend, divisor), 32));
  Instruction *then = nullptr, *otherwise = nullptr;
  SplitBlockAndInsertIfThenElse(isShort, &division, &then, &otherwise);
  b.SetInsertPoint(then);
  Value *fast = b.CreateZExt(divide(b, "div.u32", "=r,r,r",
                                    b.CreateTrunc(dividend, b.getInt32Ty()),
                                    b.CreateTrunc(divisor, b.getInt32Ty())),
                             division.getType());
  b.SetInsertPoint(otherwise);
  Value *slow =
      divide(b, isSigned ? "div.s64" : "div.u64", "=l,l,l", dividend, divisor);
  b.SetInsertPoint(&division);
  PHINode *quotient = b.CreatePHI(division.getType(), 2);
  quotient->addIncoming(fast, then->getParent());
  quotient->addIncoming(slow, otherwise->getParent());
  return quotient;
}

/// Of one divisor: 2^32 - 1 in place of 0, else without its sign, and 2^32
/// divided by that, too small by less than 1.51.
struct Reciprocal {
  Value *magnitude, *factor;
};

using Reciprocals = DenseMap<Value *, Reciprocal>;

/// 2^32 / magnitude as a float, and a step of Newton's method in integers. The
/// float is too small by 2^-21 of itself at most, and never too large: what its
/// three roundings add is 2^-22. The step squares the error.
Reciprocal reciprocalOf(IRBuilder<> &b, Value *divisor) {
  constexpr double scale = 4294966272.0; // 2^32 x (1 - 2^-22)
  Value *magnitude =
      b.CreateBinaryIntrinsic(Intrinsic::abs, divisor, b.getFalse());
  magnitude = b.CreateSelect(b.CreateIsNull(divisor), b.getInt32(UINT32_MAX),
                             magnitude);
  Value *inverse =
      b.CreateIntrinsic(Intrinsic::nvvm_rcp_approx_ftz_f,
                        {b.CreateUIToFP(magnitude, b.getFloatTy())});
  Value *about = b.CreateFMul(inverse, ConstantFP::get(b.getFloatTy(), scale));
  about = b.CreateIntrinsic(Intrinsic::nvvm_f2ui_rz, {about});
  Value *missing = b.CreateMul(about, b.CreateNeg(magnitude));
  Value *more = b.CreateIntrinsic(Intrinsic::nvvm_mulhi_ui, {about, missing});
  return {magnitude, b.CreateAdd(about, more)};
}

/// The factor is right but for 1.51, and a dividend has 31 bits and a sign: so
/// the quotient is right, or one too small.
Value *divideSigned(BinaryOperator &division, Value *divisor,
                    Reciprocals &known) {
  auto found = known.find(divisor);
  if (found == known.end()) {
    IRBuilder<> b(division.getContext());
    if (auto *made = dyn_cast<Instruction>(divisor)) {
      b.SetInsertPoint(*made->getInsertionPointAfterDef());
    } else {
      b.SetInsertPoint(
          &*division.getFunction()->getEntryBlock().getFirstInsertionPt());
    }
    found = known.try_emplace(divisor, reciprocalOf(b, divisor)).first;
  }
  const auto [magnitude, factor] = found->second;
  IRBuilder<> b(&division);
  Value *dividend = division.getOperand(0);
  Value *size = b.CreateBinaryIntrinsic(Intrinsic::abs, dividend, b.getFalse());
  Value *quotient = b.CreateIntrinsic(Intrinsic::nvvm_mulhi_ui, {size, factor});
  Value *rest = b.CreateSub(size, b.CreateMul(quotient, magnitude));
  quotient = b.CreateSelect(b.CreateICmpUGE(rest, magnitude),
                            b.CreateAdd(quotient, b.getInt32(1)), quotient);
  Value *differs =
      b.CreateICmpSLT(b.CreateXor(dividend, divisor), b.getInt32(0));
  return b.CreateSelect(differs, b.CreateNeg(quotient), quotient);
}

/// May threads of a warp have different values? What they share ptxas divides
/// in registers of the warp, and keeps what is computed of the quotient there.
bool dependsOnThread(Value *value) {
  constexpr size_t most = 100; // values that are looked at
  SmallVector<Value *> pending{value};
  SmallPtrSet<Value *, 16> seen;
  while (!pending.empty() && seen.size() < most) {
    auto *made = dyn_cast<Instruction>(pending.pop_back_val());
    if (!made || !seen.insert(made).second) {
      continue;
    }
    auto *call = dyn_cast<IntrinsicInst>(made);
    if (call && call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_x) {
      return true;
    }
    pending.append(made->value_op_begin(), made->value_op_end());
  }
  return !pending.empty();
}

/// The users of a quotient, if each of them chooses 0 where the divisor is 0.
bool chooseZero(Value *quotient, Value *divisor) {
  return all_of(quotient->users(), [&](User *user) {
    Value *chosen = chosenWhere(user, divisor, 0, quotient);
    return chosen && match(chosen, m_Zero());
  });
}

/// Does each iteration divide another number by this one? An outer loop has few
/// iterations, and an inner one would lack the reciprocal's registers.
bool isRepeated(const BinaryOperator &division, const Value *divisor,
                const LoopInfo &loops) {
  const Loop *loop = loops.getLoopFor(division.getParent());
  return loop && loop->isInnermost() && loop->isLoopInvariant(divisor) &&
         !loop->isLoopInvariant(division.getOperand(0));
}

void unguard(BinaryOperator &division, const LoopInfo &loops,
             Reciprocals &known) {
  const bool isSigned = division.getOpcode() == Instruction::SDiv;
  Value *divisor = divisorOf(division.getOperand(1), isSigned);
  bool differs = dependsOnThread(division.getOperand(0)) ||
                 dependsOnThread(division.getOperand(1));
  if (division.getType()->isIntegerTy(64) && differs) {
    return; // a branch for each element
  }
  differs =
      isSigned && division.getType()->isIntegerTy(32) &&
      (differs ||
       isRepeated(division, divisor ? divisor : division.getOperand(1), loops));
  if (!divisor && differs && !isa<Constant>(division.getOperand(1))) {
    division.replaceAllUsesWith(
        divideSigned(division, division.getOperand(1), known));
  }
  if (!divisor) {
    return;
  }
  if (!isSigned) {
    if (leaveZeroOut(&division, divisor)) {
      division.replaceAllUsesWith(divideByAny(division, divisor, false));
    }
    return;
  }
  for (User *user : division.users()) {
    Value *negated = chosenWhere(user, divisor, -1, &division);
    if (!negated || !isNegated(negated, division.getOperand(0)) ||
        !leaveZeroOut(user, divisor)) {
      return;
    }
  }
  if (!differs || !all_of(division.users(), [&](User *user) {
        return chooseZero(user, divisor);
      })) {
    Value *quotient = divideByAny(division, divisor, true);
    for (User *user : division.users()) {
      user->replaceAllUsesWith(quotient);
    }
    return;
  }
  Value *quotient = divideSigned(division, divisor, known);
  for (User *user : division.users()) {
    for (User *choice : make_early_inc_range(user->users())) {
      choice->replaceAllUsesWith(quotient);
    }
  }
}

} // namespace

void unguardDivisions(Function &function) {
  if (function.isDeclaration()) {
    return;
  }
  DominatorTree tree(function);
  const LoopInfo loops(tree);
  Reciprocals known;
  SmallVector<WeakTrackingVH> divisions;
  for (Instruction &one : instructions(function)) {
    if ((one.getOpcode() == Instruction::SDiv ||
         one.getOpcode() == Instruction::UDiv) &&
        (one.getType()->isIntegerTy(32) || one.getType()->isIntegerTy(64))) {
      divisions.push_back(&one);
    }
  }
  for (const WeakTrackingVH &one : divisions) {
    unguard(*cast<BinaryOperator>(one), loops, known);
  }
  // With what chose among quotients: LLVM would still divide for that.
  SmallVector<WeakTrackingVH> dead(divisions);
  for (const WeakTrackingVH &one : divisions) {
    dead.append(one->user_begin(), one->user_end());
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
}

} // namespace tz::nvidia
