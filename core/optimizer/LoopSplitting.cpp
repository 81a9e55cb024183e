//===- LoopSplitting.cpp - a loop in two parts ----------------------------===//
//
// What   Bounds of the parts, in 64 bits, and the copies.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/LoopSplitting.h"

#include "terrazzo/ir/Tile.h"

using namespace mlir;
using namespace tz;

namespace {
/// A loop's bounds as i64, and values of its type again.
struct Bounds {
  OpBuilder builder;
  Location loc;
  Type type;
  Value low, high;

  explicit Bounds(scf::ForOp loop)
      : builder(loop), loc(loop.getLoc()),
        type(loop.getInductionVar().getType()), low(wide(loop.getLowerBound())),
        high(wide(loop.getUpperBound())) {}

  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Value wide(Value v) {
    return type.isInteger(64)
               ? v
               : arith::ExtSIOp::create(builder, loc, builder.getI64Type(), v);
  }
  Value narrow(Value v) {
    return type.isInteger(64) ? v
                              : arith::TruncIOp::create(builder, loc, type, v);
  }
  /// `iteration`, but not before the first nor after the last.
  Value clamp(Value iteration) {
    iteration = tile::MinSIOp::create(builder, loc, iteration.getType(),
                                      iteration, high);
    return tile::MaxSIOp::create(builder, loc, iteration.getType(), iteration,
                                 low);
  }
  /// The first iteration at or after `at`, which is not before `low`.
  Value iterationFrom(Value at, int64_t step) {
    Value span = arith::SubIOp::create(builder, loc, at, low);
    span = arith::AddIOp::create(builder, loc, span, constant(step - 1));
    Value iterations =
        tile::DivSIOp::create(builder, loc, at.getType(), span, constant(step));
    span = arith::MulIOp::create(builder, loc, iterations, constant(step));
    return arith::AddIOp::create(builder, loc, low, span);
  }
  Value isBeforeEnd(Value iteration) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                 iteration, high);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }
};
} // namespace

scf::ForOp optimizer::splitHead(scf::ForOp loop, Value iteration,
                                int64_t step) {
  Bounds bounds(loop);
  Value next = bounds.iterationFrom(bounds.clamp(iteration), step);
  // Where none remain, the next iteration may lie outside of the type. A select
  // keeps what divides it, a minimum would not.
  Value remain = bounds.isBeforeEnd(next);
  Value low = loop.getLowerBound(), high = loop.getUpperBound();
  Value from = bounds.narrow(bounds.select(remain, next, bounds.low));
  auto head = cast<scf::ForOp>(bounds.builder.clone(*loop));
  head->removeAttr("tile.loop_unroll_factor"); // few iterations are left to it
  bounds.builder.setInsertionPoint(head);
  head.setUpperBound(bounds.select(remain, from, high));
  bounds.builder.setInsertionPoint(loop);
  loop.setLowerBound(from);
  loop.setUpperBound(bounds.select(remain, high, low));
  loop.getInitArgsMutable().assign(head.getResults());
  return head;
}

scf::ForOp optimizer::splitTail(scf::ForOp loop, Value iteration,
                                int64_t step) {
  Bounds bounds(loop);
  Value end = bounds.clamp(iteration);
  // Where the remaining iterations begin and end.
  Value next = end, last = loop.getUpperBound();
  if (step != 1) {
    next = bounds.iterationFrom(end, step);
    Value remain = bounds.isBeforeEnd(next); // as above
    next = bounds.select(remain, next, bounds.low);
    last = bounds.select(remain, last, loop.getLowerBound());
  }
  OpBuilder after(loop->getContext());
  after.setInsertionPointAfter(loop);
  auto tail = cast<scf::ForOp>(after.clone(*loop));
  loop.replaceAllUsesWith(tail.getResults());
  tail.getInitArgsMutable().assign(loop.getResults());
  tail->removeAttr("tile.loop_unroll_factor");
  Value until = bounds.narrow(end);
  tail.setLowerBound(next == end ? until : bounds.narrow(next));
  tail.setUpperBound(last);
  loop.setUpperBound(until);
  return tail;
}

void optimizer::runOnce(scf::ForOp loop) {
  OpBuilder builder(loop);
  const Location loc = loop.getLoc();
  Value any =
      arith::CmpIOp::create(builder, loc,
                            loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                                  : arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto once = scf::IfOp::create(
      builder, loc, any,
      [&](OpBuilder &then, Location) {
        IRMapping map;
        map.map(loop.getInductionVar(), loop.getLowerBound());
        map.map(loop.getRegionIterArgs(), loop.getInitArgs());
        for (Operation &op : *loop.getBody()) {
          then.clone(op, map);
        }
      },
      [&](OpBuilder &otherwise, Location at) {
        scf::YieldOp::create(otherwise, at, loop.getInitArgs());
      });
  loop.replaceAllUsesWith(once);
  loop.erase();
}
