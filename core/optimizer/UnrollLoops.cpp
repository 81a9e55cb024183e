//===- UnrollLoops.cpp - tile-unroll-loops --------------------------------===//
//
// What   Copies the body of a loop `tl.range(..., loop_unroll_factor=n)` n
//        times; a second loop takes the iterations that are left.
// Why    The author asks for it where the body is short: loads of several
//        iterations are in flight together, and the counter costs a part.
// Example (test/optimizer/unroll-loops.mlir)
//   before
//     %low = arith.constant 0 : i32
//     %high = arith.constant 8 : i32
//     %one = arith.constant 1 : i32
//     scf.for %i = %low to %high step %one : i32 {
//       %at = tile.addptr %y, %i : !tile.ptr<i32>, i32
//       tile.store %at, %i : !tile.ptr<i32>, i32
//     } {tile.loop_unroll_factor = 2 : i32}
//   after
//     %c2_i32 = arith.constant 2 : i32
//     %c0_i32 = arith.constant 0 : i32
//     %c1_i32 = arith.constant 1 : i32
//     %c8_i32 = arith.constant 8 : i32
//     scf.for %arg1 = %c0_i32 to %c8_i32 step %c2_i32  : i32 {
//       %0 = tile.addptr %arg0, %arg1 : !tile.ptr<i32>, i32
//       tile.store %0, %arg1 : !tile.ptr<i32>, i32
//       %1 = arith.addi %arg1, %c1_i32 : i32
//       %2 = tile.addptr %arg0, %1 : !tile.ptr<i32>, i32
//       tile.store %2, %1 : !tile.ptr<i32>, i32
//     }
// Needs  PeelMasks before: it leaves the factor to the loop without checks.
// Keeps  the order of everything. The loop counts iterations, so that no
//        counter leaves its type where the author's does not.
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tz::tile;

namespace tz::optimizer {
#define GEN_PASS_DEF_UNROLLLOOPS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

static constexpr llvm::StringLiteral Factor = "tile.loop_unroll_factor";

namespace {
struct UnrollLoops : tz::optimizer::impl::UnrollLoopsBase<UnrollLoops> {
  using Base = tz::optimizer::impl::UnrollLoopsBase<UnrollLoops>;
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops; // inner ones first
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(Factor)) {
        loops.push_back(loop);
      }
    });
    if (loops.empty()) {
      return markAllAnalysesPreserved();
    }
    size_t made = 0;
    for (scf::ForOp loop : loops) {
      auto factor = loop->getAttrOfType<IntegerAttr>(Factor);
      loop->removeAttr(Factor);
      int64_t copies = factor ? factor.getInt() : 1;
      size_t size = 0;
      loop.getBody()->walk([&](Operation *) { ++size; });
      if (copies <= 1) {
        continue;
      }
      if (copies > limit || made + copies * size > limit) {
        ++declined;
        emitRemark(loop.getLoc())
            << "this loop is not unrolled: " << copies << " copies of " << size
            << " ops are more than the " << (limit - made)
            << " that are left to this kernel; a smaller loop_unroll_factor "
               "may fit";
        continue;
      }
      made += copies * size;
      unroll(loop, copies);
      ++unrolledLoops;
    }
  }

  void unroll(scf::ForOp loop, int64_t copies);
};
} // namespace

/// The loop's body so often, for iterations of `loop` that `main` counts.
static void copyBody(OpBuilder &builder, scf::ForOp loop, scf::ForOp main,
                     int64_t copies, Value low) {
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType();
  Block *body = main.getBody();
  if (!body->empty()) {
    body->back().erase(); // the builder made one: nothing is carried
  }
  builder.setInsertionPointToEnd(body);
  SmallVector<Value> carried(main.getRegionIterArgs());
  for (int64_t i = 0; i < copies; ++i) {
    Value iteration = main.getInductionVar();
    if (i > 0) {
      iteration = arith::AddIOp::create(
          builder, loc, iteration,
          arith::ConstantOp::create(builder, loc,
                                    builder.getIntegerAttr(type, i)));
    }
    Value index =
        arith::MulIOp::create(builder, loc, iteration, loop.getStep());
    index = arith::AddIOp::create(builder, loc, low, index);
    IRMapping map;
    map.map(loop.getInductionVar(), index);
    map.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator()) {
      builder.clone(op, map);
    }
    for (auto [value, yielded] :
         llvm::zip(carried, loop.getBody()->getTerminator()->getOperands())) {
      value = map.lookupOrDefault(yielded);
    }
  }
  scf::YieldOp::create(builder, loc, carried);
}

void UnrollLoops::unroll(scf::ForOp loop, int64_t copies) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  auto is = [&](arith::CmpIPredicate predicate, Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  // iterations = ceildiv(high - low, step). A distance that a signed type does
  // not hold leaves all iterations to the second loop.
  const bool isUnsigned = loop.getUnsignedCmp();
  auto larger = [&](Value a, Value b) -> Value {
    return isUnsigned ? MaxUIOp::create(builder, loc, type, a, b).getResult()
                      : MaxSIOp::create(builder, loc, type, a, b).getResult();
  };
  auto divide = [&](Value a, Value b) -> Value {
    return isUnsigned ? DivUIOp::create(builder, loc, type, a, b).getResult()
                      : DivSIOp::create(builder, loc, type, a, b).getResult();
  };
  Value low = loop.getLowerBound(), step = loop.getStep();
  Value high = larger(loop.getUpperBound(), low);
  Value distance = arith::SubIOp::create(builder, loc, high, low);
  Value none = constant(0), one = constant(1);
  Value iterations = arith::SubIOp::create(builder, loc, distance, one);
  iterations = divide(iterations, step);
  iterations = arith::AddIOp::create(builder, loc, iterations, one);
  Value runs =
      is(isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt,
         distance, none);
  iterations = arith::SelectOp::create(builder, loc, runs, iterations, none);
  Value factor = constant(copies);
  Value rest =
      isUnsigned
          ? RemUIOp::create(builder, loc, type, iterations, factor).getResult()
          : RemSIOp::create(builder, loc, type, iterations, factor).getResult();
  Value whole = arith::SubIOp::create(builder, loc, iterations, rest);
  // Where the second loop begins: at its end if nothing is left, since the
  // iteration after the last may lie outside of the type.
  Value next = arith::MulIOp::create(builder, loc, whole, step);
  next = arith::AddIOp::create(builder, loc, low, next);
  Value isDone = arith::AndIOp::create(
      builder, loc, runs, is(arith::CmpIPredicate::eq, rest, none));
  next = arith::SelectOp::create(builder, loc, isDone, high, next);

  auto main =
      scf::ForOp::create(builder, loc, none, whole, factor, loop.getInitArgs(),
                         /*bodyBuilder=*/nullptr, isUnsigned);
  main->setAttrs(loop->getAttrs());
  loop->moveAfter(main);
  loop.setLowerBound(next);
  loop.getInitArgsMutable().assign(main.getResults());

  copyBody(builder, loop, main, copies, low);
}
