//===- IterationBounds.cpp - from which iteration, and up to which --------===//
//
// What   See the header.
// Why    See the header.
//===----------------------------------------------------------------------===//
#include "core/optimizer/IterationBounds.h"

#include "core/optimizer/Versioning.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using namespace tz::tile;

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

Value tz::optimizer::fullUntil(OpBuilder &builder, scf::ForOp loop,
                               ArrayRef<Polynomial> slacks,
                               ScalarTable &scalars) {
  unsigned iv = scalars.number(loop.getInductionVar());
  Location loc = loop.getLoc();
  Type i64 = builder.getI64Type();
  Value bound;
  SmallVector<Polynomial> seen;
  for (const Polynomial &slack : slacks) {
    if (llvm::is_contained(seen, slack)) {
      continue;
    }
    seen.push_back(slack);
    // slack = rest - slope * iv >= 0 up to iv = floor(rest / slope)
    int64_t slope = -slack.coefficientOf({iv});
    auto rest = Polynomial::add(slack, Polynomial::of({{iv}, 1}), slope);
    Polynomial above = *Polynomial::add(*rest, Polynomial(slope));
    Value end = scalars.emit(builder, loc, above);
    if (slope != 1) {
      end = MaxSIOp::create(builder, loc, i64, end, constant(builder, loc, 0));
      end = DivSIOp::create(builder, loc, i64, end,
                            constant(builder, loc, slope));
    }
    bound = bound ? MinSIOp::create(builder, loc, i64, bound, end) : end;
  }
  return bound;
}

SmallVector<Polynomial>
tz::optimizer::conditionsOf(ArrayRef<IterationMask> all) {
  SmallVector<Polynomial> conditions;
  for (const IterationMask &mask : all) {
    for (const Polynomial &p : mask.conditions) {
      if (!llvm::is_contained(conditions, p)) {
        conditions.push_back(p);
      }
    }
  }
  return conditions;
}

Value tz::optimizer::iterationIf(OpBuilder &builder,
                                 ArrayRef<Polynomial> conditions,
                                 Value iteration, Value other,
                                 const ScalarTable &scalars) {
  Location loc = iteration.getLoc();
  Value holds = optimizer::emitNonNegative(builder, loc, conditions, scalars);
  if (!holds) {
    return iteration;
  }
  if (other.getType() != iteration.getType()) {
    other = arith::ExtSIOp::create(builder, loc, iteration.getType(), other);
  }
  return arith::SelectOp::create(builder, loc, holds, iteration, other);
}

void tz::optimizer::assume(scf::ForOp loop, ArrayRef<IterationMask> all) {
  OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
  for (const IterationMask &mask : all) {
    arith::CmpIOp op = mask.op;
    TypedAttr yes = builder.getBoolAttr(true);
    if (auto tile = dyn_cast<RankedTensorType>(op.getType())) {
      yes = SplatElementsAttr::get(tile, Attribute(yes));
    }
    op.replaceAllUsesWith(
        arith::ConstantOp::create(builder, op.getLoc(), yes).getResult());
  }
}

Value tz::optimizer::fullFrom(OpBuilder &builder, scf::ForOp loop,
                              ArrayRef<IterationMask> rising,
                              ScalarTable &scalars) {
  const unsigned iv = scalars.number(loop.getInductionVar());
  Location loc = loop.getLoc();
  Type i64 = builder.getI64Type();
  Value first;
  for (const IterationMask &mask : rising) {
    // slack = rest + slope * iv >= 0 from iv = ceil(-rest / slope)
    auto rest =
        Polynomial::add(mask.slack, Polynomial::of({{iv}, 1}), -mask.slope);
    auto above = Polynomial::add(Polynomial(mask.slope - 1), *rest, -1);
    Value from = scalars.emit(builder, loc, *above);
    from = MaxSIOp::create(builder, loc, i64, from, constant(builder, loc, 0));
    if (mask.slope != 1) {
      from = DivSIOp::create(builder, loc, i64, from,
                             constant(builder, loc, mask.slope));
    }
    first = first ? MaxSIOp::create(builder, loc, i64, first, from) : from;
  }
  return iterationIf(builder, conditionsOf(rising), first, loop.getUpperBound(),
                     scalars);
}
