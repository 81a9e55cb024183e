//===- LoopPeeling.cpp - where checks in a loop cease to hold -------------===//
//
// What   See LoopPeeling.h.
// Why    See LoopPeeling.h.
//===----------------------------------------------------------------------===//
#include "core/optimizer/LoopPeeling.h"

#include "core/optimizer/IterationBounds.h"
#include "core/optimizer/Versioning.h"
#include "core/optimizer/analysis/LoopContents.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using namespace tz::optimizer;

/// The most by which an iteration of a loop may move a block for the loop to be
/// split.
static constexpr int64_t LargestSlope = int64_t(1) << 32;

bool LoopPeeling::dependsOnIteration(const BoundsCheck &check,
                                     scf::ForOp loop) {
  const unsigned iv = forms.scalars().number(loop.getInductionVar());
  return llvm::any_of(check.slack.getTerms(), [&](const Term &term) {
    return llvm::is_contained(term.scalars, iv);
  });
}

std::string LoopPeeling::whyNotSplit(scf::ForOp loop,
                                     const BoundsCheck &check) {
  auto step = forms.of(loop.getStep());
  auto from = forms.of(loop.getLowerBound());
  if (!step || !from || step->start.constant().value_or(0) <= 0) {
    return "the loop's step is no positive constant; make it a constexpr";
  }
  if (!hints.countsSigned(loop)) {
    return "the loop counts unsigned numbers that may be above the largest "
           "signed one; tl.assume(end < 0x80000000) says that they are not";
  }
  if (!isNonNegative(from->start)) {
    return "the loop is not known to begin at 0 or above; "
           "tl.assume(start >= 0) says so";
  }
  unsigned iv = forms.scalars().number(loop.getInductionVar());
  for (const Term &term : check.slack.getTerms()) {
    if (!llvm::is_contained(term.scalars, iv)) {
      continue;
    }
    if (term.scalars.size() != 1 || term.coefficient >= 0 ||
        term.coefficient < -LargestSlope) {
      return "the loop does not bring the block nearer to its bound by a "
             "constant amount; count upwards by a constexpr";
    }
  }
  if (!isNonNegative(check.offset)) {
    return "the block is not known to begin at 0 or above; "
           "tl.assume(offset >= 0) says so";
  }
  auto rest = Polynomial::add(check.slack, Polynomial::of({{iv}, 1}),
                              -check.slack.coefficientOf({iv}));
  auto end = rest ? Polynomial::add(*rest, Polynomial(LargestSlope)) : rest;
  if (!end) {
    return "its bound is too large an expression; compute part of it into a "
           "variable that is not a sum or product";
  }
  if (!optimizer::isAvailable(*rest, loop, forms.scalars())) {
    return "what the block's place and bound are made of is computed in the "
           "loop; compute it before";
  }
  return {};
}

/// The bound is dividend / divisor, or not above 0. So is (n + c) / d with
/// constants c and d where the sum wraps: then it is negative.
struct LoopPeeling::Bound {
  Polynomial dividend;
  int64_t divisor = 1;
};

std::optional<LoopPeeling::Bound> LoopPeeling::upperBound(scf::ForOp loop) {
  auto high = forms.of(loop.getUpperBound());
  if (!high) {
    return std::nullopt;
  }
  auto quotient = loop.getUpperBound().getDefiningOp<tile::DivSIOp>();
  auto sum = quotient ? quotient.getLhs().getDefiningOp<arith::AddIOp>()
                      : arith::AddIOp();
  if (!sum || !sum.getType().isSignlessInteger()) {
    return Bound{high->start};
  }
  auto divisor = forms.of(quotient.getRhs()), more = forms.of(sum.getRhs());
  const int64_t by = divisor ? divisor->start.constant().value_or(0) : 0,
                added = more ? more->start.constant().value_or(-1) : -1;
  auto dividend =
      Polynomial::add(Polynomial::scalar(forms.scalars().number(sum.getLhs())),
                      Polynomial(added));
  return by > 0 && added >= 0 && dividend ? Bound{*dividend, by}
                                          : Bound{high->start};
}

bool LoopPeeling::leavesOneIteration(scf::ForOp loop,
                                     ArrayRef<Polynomial> slacks) {
  const unsigned iv = forms.scalars().number(loop.getInductionVar());
  const std::optional<Bound> high = upperBound(loop);
  const int64_t by = *forms.of(loop.getStep())->start.constant();
  return high && llvm::all_of(slacks, [&](const Polynomial &slack) {
           // slack = rest - slope * iteration < 0, and so iteration + by >=
           // high if rest + 1 + slope * by >= slope * high. The quotient high
           // is at most iteration + by if its dividend is at most divisor *
           // (iteration + by) + divisor - 1.
           const int64_t slope = -slack.coefficientOf({iv});
           const int64_t often = slope / high->divisor;
           int64_t ahead, rounded;
           if (slope % high->divisor != 0 ||
               __builtin_mul_overflow(slope, by, &ahead) ||
               __builtin_sub_overflow(slope, often, &rounded) ||
               __builtin_add_overflow(ahead, rounded, &ahead) ||
               __builtin_add_overflow(ahead, 1, &ahead)) {
             return false;
           }
           auto room = Polynomial::add(slack, Polynomial::of({{iv}, 1}), slope);
           room = room ? Polynomial::add(*room, Polynomial(ahead)) : room;
           room = room ? Polynomial::add(*room, high->dividend, -often) : room;
           return room && isNonNegative(*room);
         });
}

std::vector<IterationMask> LoopPeeling::costlyMasks(scf::ForOp loop) {
  auto step = forms.of(loop.getStep());
  auto from = forms.of(loop.getLowerBound());
  if (!boundsAreFree || !hasDots(loop) || !step || !from ||
      !hints.countsSigned(loop) || step->start.constant().value_or(0) <= 0 ||
      !isNonNegative(from->start)) {
    return {};
  }
  const unsigned iv = forms.scalars().number(loop.getInductionVar());
  auto isKnown = [&](const Polynomial &p) {
    return optimizer::isAvailable(p, loop, forms.scalars());
  };
  std::vector<IterationMask> all = masks.ofIterations(loop);
  llvm::erase_if(all, [&](const IterationMask &mask) {
    auto rest =
        Polynomial::add(mask.slack, Polynomial::of({{iv}, 1}), -mask.slope);
    return std::abs(mask.slope) > LargestSlope || !rest || !isKnown(*rest) ||
           !Polynomial::add(*rest, Polynomial(LargestSlope)) ||
           !Polynomial::add(Polynomial(LargestSlope), *rest, -1) ||
           !llvm::all_of(mask.conditions, isKnown) ||
           !isSelectedBy(mask.op, loop);
  });
  return all;
}
