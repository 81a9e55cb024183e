//===- KnownDivisors.cpp - quotients whose divisor is normal --------------===//
//
// What   A division whose divisor lies between 2^-126 and 2^126, or between
//        their negatives, becomes a product with its reciprocal.
// Why    div.full.f32 scales divisors that are close to the ends of the range
//        of floats: four instructions of six. What functions divide by is
//        often known to be far from them, such as 1 + exp(x) for x up to 10.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

namespace {

/// Where a float lies, unless it is NaN.
struct Range {
  double low = -HUGE_VAL, high = HUGE_VAL;

  Range() = default;
  Range(double low, double high) : low(low), high(high) {
    if (std::isnan(low) || std::isnan(high)) { // infinity - infinity, 0 x it
      *this = {};
    }
  }
};

/// A little wider: what was rounded may lie outside.
Range rounded(Range exact) {
  constexpr double error = 0x1p-20; // ex2.approx has 2^-22
  return {exact.low - std::abs(exact.low) * error,
          exact.high + std::abs(exact.high) * error};
}

Range ofAll(Range a, Range b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Range sum(Range a, Range b) {
  return rounded({a.low + b.low, a.high + b.high});
}

Range product(Range a, Range b) {
  const double all[] = {a.low * b.low, a.low * b.high, a.high * b.low,
                        a.high * b.high};
  if (llvm::any_of(all, [](double one) { return std::isnan(one); })) {
    return {};
  }
  return rounded(
      {*std::min_element(all, all + 4), *std::max_element(all, all + 4)});
}

Range rangeOf(const Value *value, unsigned depth);

/// Of a choice between a bound and what is compared with it.
Range ofChoice(const SelectInst &choice, unsigned depth) {
  Range yes = rangeOf(choice.getTrueValue(), depth),
        no = rangeOf(choice.getFalseValue(), depth);
  CmpPredicate predicate;
  const APFloat *bound = nullptr;
  if (match(choice.getCondition(),
            m_FCmp(predicate, m_Specific(choice.getFalseValue()),
                   m_APFloat(bound)))) {
    switch (CmpInst::Predicate(predicate)) {
    case CmpInst::FCMP_OGT:
    case CmpInst::FCMP_OGE:
    case CmpInst::FCMP_UGT:
    case CmpInst::FCMP_UGE:
      no.high = std::min(no.high, bound->convertToDouble());
      break;
    case CmpInst::FCMP_OLT:
    case CmpInst::FCMP_OLE:
    case CmpInst::FCMP_ULT:
    case CmpInst::FCMP_ULE:
      no.low = std::max(no.low, bound->convertToDouble());
      break;
    default:
      break;
    }
  }
  return ofAll(yes, no);
}

Range ofCall(const IntrinsicInst &call, unsigned depth) {
  auto of = [&](unsigned i) { return rangeOf(call.getArgOperand(i), depth); };
  switch (call.getIntrinsicID()) {
  case Intrinsic::fabs: {
    const Range x = of(0);
    const double most = std::max(std::abs(x.low), std::abs(x.high));
    return {std::max({x.low, -x.high, 0.0}), most};
  }
  case Intrinsic::nvvm_ex2_approx_ftz: {
    const Range x = of(0);
    return rounded({x.low < -126 ? 0 : std::exp2(x.low), std::exp2(x.high)});
  }
  case Intrinsic::fma: {
    return sum(product(of(0), of(1)), of(2));
  }
  case Intrinsic::nvvm_fmin_f: // the other one, if one is NaN
  case Intrinsic::nvvm_fmax_f:
    return ofAll(of(0), of(1));
  case Intrinsic::nvvm_fmin_nan_f: {
    const Range x = of(0), y = of(1);
    return {std::min(x.low, y.low), std::min(x.high, y.high)};
  }
  case Intrinsic::nvvm_fmax_nan_f: {
    const Range x = of(0), y = of(1);
    return {std::max(x.low, y.low), std::max(x.high, y.high)};
  }
  default:
    return {};
  }
}

Range rangeOf(const Value *value, unsigned depth) {
  const APFloat *number = nullptr;
  if (match(value, m_APFloat(number))) {
    const double exact = number->convertToDouble();
    return {exact, exact};
  }
  auto *made = dyn_cast<Instruction>(value);
  if (!made || depth == 0) {
    return {};
  }
  --depth;
  if (auto *choice = dyn_cast<SelectInst>(made)) {
    return ofChoice(*choice, depth);
  }
  if (auto *call = dyn_cast<IntrinsicInst>(made)) {
    return ofCall(*call, depth);
  }
  auto of = [&](unsigned i) { return rangeOf(made->getOperand(i), depth); };
  switch (made->getOpcode()) {
  case Instruction::FAdd:
    return sum(of(0), of(1));
  case Instruction::FSub: {
    const Range y = of(1);
    return sum(of(0), {-y.high, -y.low});
  }
  case Instruction::FMul:
    return product(of(0), of(1));
  default:
    return {};
  }
}

/// Has its reciprocal, too, the precision of a normal float?
bool isFarFromEnds(const Value *divisor) {
  constexpr unsigned depth = 8;
  constexpr double least = 0x1p-126, most = 0x1p126;
  const Range range = rangeOf(divisor, depth);
  return (range.low >= least && range.high <= most) ||
         (range.low >= -most && range.high <= -least);
}

} // namespace

void multiplyByReciprocals(Function &function) {
  MapVector<Value *, SmallVector<IntrinsicInst *>> all;
  for (Instruction &one : instructions(function)) {
    auto *call = dyn_cast<IntrinsicInst>(&one);
    if (call && call->getIntrinsicID() == Intrinsic::nvvm_div_full &&
        isa<Instruction>(call->getArgOperand(1))) {
      all[call->getArgOperand(1)].push_back(call);
    }
  }
  for (auto &[divisor, quotients] : all) {
    if (!isFarFromEnds(divisor)) {
      continue;
    }
    IRBuilder<> b(cast<Instruction>(divisor)->getNextNode());
    Value *reciprocal =
        b.CreateIntrinsic(Intrinsic::nvvm_rcp_approx_ftz_f, {divisor});
    for (IntrinsicInst *one : quotients) {
      b.SetInsertPoint(one);
      Value *dividend = one->getArgOperand(0);
      one->replaceAllUsesWith(match(dividend, m_FPOne())
                                  ? reciprocal
                                  : b.CreateFMul(dividend, reciprocal));
      one->eraseFromParent();
    }
  }
}

} // namespace tz::nvidia
