//===- KnownDivisors.cpp - quotients whose divisor is normal --------------===//
//
// What   A division whose divisor lies between 2^-126 and 2^126, or between
//        their negatives, becomes a product with its reciprocal.
// Why    div.full.f32 scales divisors that are close to the ends of the range
//        of floats: six instructions of eight. What functions divide by is
//        often known to be far from them, such as 1 + exp(x) for x up to 10, or
//        the number of elements that a loop has counted.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
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

/// What counts from 0 in steps of at most 1 stays here: 2^24 + 1 is rounded
/// down.
constexpr double MostCounted = 0x1p24;

bool isCount(Range range) {
  return range.low >= 0 && range.high <= MostCounted;
}

bool isStep(Range range) { return range.low >= 0 && range.high <= 1; }

/// The ranges of what one divisor is computed from.
class Ranges {
public:
  Range of(const Value *value, unsigned depth);

private:
  Range ofInstruction(const Instruction &made, unsigned depth);
  Range ofChoice(const SelectInst &choice, unsigned depth);
  Range ofCall(const IntrinsicInst &call, unsigned depth);
  Range ofCarried(const PHINode &carried, unsigned depth);

  SmallPtrSet<const PHINode *, 8> counts; // by induction, if all of them are
  DenseMap<const Value *, Range> known;   // whatever `counts` holds
  unsigned left = 200;                    // values to look at
};

/// Of a choice between a bound and what is compared with it.
Range Ranges::ofChoice(const SelectInst &choice, unsigned depth) {
  Range yes = of(choice.getTrueValue(), depth),
        no = of(choice.getFalseValue(), depth);
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

/// Of the greater or the lesser value; of one, if the other is NaN.
Range ofNumbers(Range x, Range y, const IntrinsicInst &call) {
  const bool isGreater = call.getIntrinsicID() == Intrinsic::maxnum ||
                         call.getIntrinsicID() == Intrinsic::nvvm_fmax_f;
  const APFloat *bound = nullptr;
  Range both = ofAll(x, y);
  if (!match(call.getArgOperand(1), m_APFloat(bound)) || bound->isNaN()) {
    return both;
  }
  (isGreater ? both.low : both.high) = y.low;
  return both;
}

Range Ranges::ofCall(const IntrinsicInst &call, unsigned depth) {
  auto of = [&](unsigned i) {
    return Ranges::of(call.getArgOperand(i), depth);
  };
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
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::nvvm_fmin_f:
  case Intrinsic::nvvm_fmax_f:
    return ofNumbers(of(0), of(1), call);
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

/// A float that another lane has of the same value.
const Value *fromOtherLane(const Instruction &value) {
  auto *call = dyn_cast<IntrinsicInst>(value.getOperand(0));
  const Value *own = nullptr;
  return isa<BitCastInst>(value) && call &&
                 (call->getIntrinsicID() ==
                      Intrinsic::nvvm_shfl_sync_bfly_i32 ||
                  call->getIntrinsicID() ==
                      Intrinsic::nvvm_shfl_sync_idx_i32) &&
                 match(call->getArgOperand(1), m_BitCast(m_Value(own))) &&
                 own->getType() == value.getType()
             ? own
             : nullptr;
}

/// Nothing but counts comes here, if only counts have come before.
Range Ranges::ofCarried(const PHINode &carried, unsigned depth) {
  const Range count(0, MostCounted);
  if (!counts.insert(&carried).second) {
    return count;
  }
  const bool counted = llvm::all_of(carried.incoming_values(), [&](auto &use) {
    return isCount(of(use.get(), depth));
  });
  counts.erase(&carried);
  return counted ? count : Range();
}

Range Ranges::of(const Value *value, unsigned depth) {
  const APFloat *number = nullptr;
  if (match(value, m_APFloat(number))) {
    const double exact = number->convertToDouble();
    return {exact, exact};
  }
  auto *made = dyn_cast<Instruction>(value);
  if (!made || depth == 0 || left == 0) {
    return {};
  }
  if (auto found = known.find(made); found != known.end()) {
    return found->second;
  }
  --left;
  const Range range = ofInstruction(*made, depth - 1);
  if (counts.empty()) {
    known[made] = range;
  }
  return range;
}

Range Ranges::ofInstruction(const Instruction &made, unsigned depth) {
  if (auto *carried = dyn_cast<PHINode>(&made)) {
    return ofCarried(*carried, depth);
  }
  if (auto *choice = dyn_cast<SelectInst>(&made)) {
    return ofChoice(*choice, depth);
  }
  if (auto *call = dyn_cast<IntrinsicInst>(&made)) {
    return ofCall(*call, depth);
  }
  auto of = [&](unsigned i) { return Ranges::of(made.getOperand(i), depth); };
  switch (made.getOpcode()) {
  case Instruction::UIToFP: {
    const unsigned bits = made.getOperand(0)->getType()->getScalarSizeInBits();
    return bits <= 16 ? Range(0, double((1u << bits) - 1)) : Range();
  }
  case Instruction::BitCast: {
    const Value *own = fromOtherLane(made);
    return own ? Ranges::of(own, depth) : Range();
  }
  case Instruction::FAdd: {
    const Range x = of(0), y = of(1);
    Range both = sum(x, y);
    if ((isCount(x) && isStep(y)) || (isStep(x) && isCount(y))) {
      both.high = std::min(both.high, MostCounted);
    }
    return both;
  }
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
  constexpr unsigned depth = 24;
  constexpr double least = 0x1p-126, most = 0x1p126;
  const Range range = Ranges().of(divisor, depth);
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
