//===- KnownMasks.cpp - comparisons that are true in full blocks ----------===//
//
// What   Reads comparisons off the lane forms of their sides.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/KnownMasks.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using Predicate = arith::CmpIPredicate;

/// The value whose lanes `value` repeats or permutes.
static Value throughShapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
             tile::TransposeOp, tile::HintOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

/// Whether the form of `value` is no arithmetic: what it says is the value.
static bool isPlain(Value value) {
  value = throughShapes(value);
  while (auto wider = value.getDefiningOp<arith::ExtSIOp>()) {
    value = throughShapes(wider.getIn());
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // What a loop carries has a form that may be arithmetic.
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return !loop || argument == loop.getInductionVar();
  }
  return !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(
      value.getDefiningOp());
}

/// Whether the form of `value` is right modulo its type: nothing on the way
/// widens what may have wrapped.
static bool isModular(Value value) {
  llvm::SmallSetVector<Value, 16> pending;
  pending.insert(value);
  for (unsigned i = 0; i < pending.size(); ++i) {
    Value one = throughShapes(pending[i]);
    Operation *op = one.getDefiningOp();
    if (i == 64) {
      return false;
    }
    if (auto wider = dyn_cast_or_null<arith::ExtSIOp>(op)) {
      if (!isPlain(wider.getIn())) {
        return false;
      }
    } else if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(
                   op)) {
      pending.insert(op->operand_begin(), op->operand_end());
    } else if (!op && !isPlain(one)) {
      // init + iterations * increments: the loop adds in this type.
      auto argument = cast<BlockArgument>(one);
      auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
      pending.insert(loop.getTiedLoopInit(argument)->get());
      Value next = loop.getTiedLoopYieldedValue(argument)->get();
      if (next != one) {
        pending.insert(next);
      }
    }
  }
  return true;
}

/// The smallest value over all lanes; nullopt if that is no formula.
static std::optional<Polynomial> least(const LaneForm &form,
                                       ArrayRef<int64_t> shape) {
  std::optional<Polynomial> sum = form.start;
  for (auto [size, lane] : llvm::zip_equal(shape, form.lane)) {
    std::optional<int64_t> slope = lane.constant();
    if (!sum || !slope) {
      return std::nullopt;
    }
    if (*slope < 0) {
      auto last = Polynomial::mul(lane, Polynomial(size - 1));
      sum = last ? Polynomial::add(*sum, *last) : std::nullopt;
    }
  }
  return sum;
}

KnownMasks::KnownMasks(tile::KernelOp kernel, LaneForms &forms,
                       const Hints &hints)
    : forms(forms), hints(hints) {
  kernel.walk([&](arith::CmpIOp op) { collect(op); });
}

namespace {
/// A comparison as small < large or small <= large.
struct Sides {
  Value small, large;
  bool strict;
};
} // namespace

static std::optional<Sides> sidesOf(arith::CmpIOp op) {
  Predicate predicate = op.getPredicate();
  bool swapped = predicate == Predicate::sgt || predicate == Predicate::sge;
  bool strict = predicate == Predicate::slt || predicate == Predicate::sgt;
  if ((!swapped && !strict && predicate != Predicate::sle) ||
      op.getLhs().getType().isIndex()) {
    return std::nullopt;
  }
  return swapped ? Sides{op.getRhs(), op.getLhs(), strict}
                 : Sides{op.getLhs(), op.getRhs(), strict};
}

/// The smallest difference large - small of all lanes, less one if they must
/// differ.
static std::optional<Polynomial> slackOf(const LaneForm &small,
                                         const LaneForm &large, bool strict,
                                         ArrayRef<int64_t> shape) {
  LaneForm difference{{}, {}, {}};
  auto start = Polynomial::add(large.start, small.start, -1);
  if (!start) {
    return std::nullopt;
  }
  difference.start = *start;
  for (auto [a, b] : llvm::zip_equal(large.lane, small.lane)) {
    auto lane = Polynomial::add(a, b, -1);
    if (!lane) {
      return std::nullopt;
    }
    difference.lane.push_back(*lane);
  }
  auto slack = least(difference, shape);
  return slack && strict ? Polynomial::add(*slack, Polynomial(1), -1) : slack;
}

void KnownMasks::collect(arith::CmpIOp op) {
  auto sides = sidesOf(op);
  if (!sides || !isPlain(sides->large) || !isModular(sides->small)) {
    return;
  }
  auto small = forms.of(sides->small), large = forms.of(sides->large);
  if (!small || !large) {
    return;
  }
  ArrayRef<int64_t> shape = tile::shapeOf(sides->small.getType());
  auto bottom = least(*small, shape);
  auto slack = slackOf(*small, *large, sides->strict, shape);
  if (bottom && slack) {
    comparisons.push_back({op, *slack, *bottom, isPlain(sides->small)});
  }
}

std::optional<SmallVector<Polynomial, 2>>
KnownMasks::conditionsOf(arith::CmpIOp op) const {
  const auto *one = llvm::find_if(
      comparisons, [&](const Comparison &known) { return known.op == op; });
  if (one == comparisons.end()) {
    return std::nullopt;
  }
  SmallVector<Polynomial, 2> conditions{one->slack};
  if (!one->isExact) {
    conditions.push_back(one->least);
  }
  return conditions;
}

std::optional<IterationMask> KnownMasks::iterationMask(arith::CmpIOp op,
                                                       scf::ForOp loop) {
  auto sides = sidesOf(op);
  Type element = tile::elementType(op.getLhs().getType());
  // Formulas of 64 bits hold what leaves a type of 32.
  if (!sides || !hints.countsSigned(loop) ||
      element.getIntOrFloatBitWidth() > 32 || !isModular(sides->small) ||
      !isModular(sides->large)) {
    return std::nullopt;
  }
  auto small = forms.of(sides->small), large = forms.of(sides->large);
  auto low = forms.of(loop.getLowerBound()),
       high = forms.of(loop.getUpperBound());
  if (!small || !large || !low || !high) {
    return std::nullopt;
  }
  ArrayRef<int64_t> shape = tile::shapeOf(sides->small.getType());
  auto slack = slackOf(*small, *large, sides->strict, shape);
  const unsigned iv = forms.scalars().number(loop.getInductionVar());
  const int64_t slope = slack ? slack->coefficientOf({iv}) : 0;
  if (slope == 0) {
    return std::nullopt;
  }
  IterationMask mask{op, *slack, slope, {}};
  // No lane of the smaller side is below the type's least value, none of the
  // larger above its greatest; where slack is not negative, both are between.
  LaneForm zero{{}, {}, {}};
  zero.lane.resize(large->lane.size());
  const Interval type = rangeOfType(element);
  for (auto [bottom, distance] :
       {std::pair(least(*small, shape), -type.low),
        std::pair(slackOf(*large, zero, false, shape), type.high)}) {
    // The iteration where that is least.
    auto rest = bottom;
    if (const int64_t by = bottom ? bottom->coefficientOf({iv}) : 0) {
      rest = Polynomial::add(*bottom, Polynomial::of({{iv}, 1}), -by);
      rest = rest ? Polynomial::add(*rest, (by > 0 ? low : high)->start, by)
                  : rest;
    }
    rest = rest ? Polynomial::add(*rest, Polynomial(distance)) : rest;
    if (!rest || llvm::any_of(rest->getTerms(), [&](const Term &term) {
          return llvm::is_contained(term.scalars, iv);
        })) {
      return std::nullopt;
    }
    if (!forms.scalars().range(*rest, hints).nonNegative()) {
      mask.conditions.push_back(*rest);
    }
  }
  return mask;
}

std::vector<IterationMask> KnownMasks::ofIterations(scf::ForOp loop) {
  std::vector<IterationMask> all;
  loop.walk([&](arith::CmpIOp op) {
    if (auto mask = iterationMask(op, loop)) {
      all.push_back(std::move(*mask));
    }
  });
  return all;
}

/// p >= 0, by itself or because p is at least one of those that are.
bool KnownMasks::follows(const Polynomial &p,
                         ArrayRef<Polynomial> nonNegative) {
  auto holds = [&](const Polynomial &q) {
    return forms.scalars().range(q, hints).nonNegative();
  };
  return holds(p) || llvm::any_of(nonNegative, [&](const Polynomial &known) {
           auto rest = Polynomial::add(p, known, -1);
           return rest && holds(*rest);
         });
}

size_t KnownMasks::fold(Region &region, ArrayRef<Polynomial> nonNegative) {
  size_t count = 0;
  llvm::SmallDenseMap<Type, Value> constants;
  for (Comparison &one : comparisons) {
    auto isInside = [&](OpOperand &use) {
      return region.isAncestor(use.getOwner()->getParentRegion());
    };
    arith::CmpIOp op = one.op;
    if (llvm::none_of(op->getUses(), isInside) ||
        !follows(one.slack, nonNegative) ||
        !(one.isExact || follows(one.least, nonNegative))) {
      continue;
    }
    Value &yes = constants[op.getType()];
    if (!yes) {
      OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
      TypedAttr bit = builder.getBoolAttr(true);
      if (auto tile = dyn_cast<RankedTensorType>(op.getType())) {
        bit = SplatElementsAttr::get(tile, bit);
      }
      yes = arith::ConstantOp::create(builder, op.getLoc(), bit);
    }
    op.getResult().replaceUsesWithIf(yes, isInside);
    ++count;
  }
  return count;
}
