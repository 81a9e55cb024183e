//===- UnrollLoops.cpp - tile-unroll-loops --------------------------------===//
//
// What   Gives a loop with `tl.range(..., loop_unroll_factor=n)` n copies of its
//        body; a second loop takes the turns that are left.
// Why    The author asks for it where the body is short: loads of several turns
//        are in flight together, and the counter costs a part.
// Example (test/optimizer/unroll-loops.mlir)
// Needs  PeelMasks before: it leaves the factor to the loop without checks.
// Keeps  the order of everything. The loop counts turns, so that no counter
//        leaves its type where the author's does not.
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tz::tile;

namespace tz::optimizer {
#define GEN_PASS_DEF_UNROLLLOOPS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

static constexpr llvm::StringLiteral kFactor = "tile.loop_unroll_factor";

namespace {
struct UnrollLoops : tz::optimizer::impl::UnrollLoopsBase<UnrollLoops> {
  using Base = tz::optimizer::impl::UnrollLoopsBase<UnrollLoops>;
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops; // inner ones first
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(kFactor)) {
        loops.push_back(loop);
      }
    });
    size_t made = 0;
    for (scf::ForOp loop : loops) {
      auto factor = loop->getAttrOfType<IntegerAttr>(kFactor);
      loop->removeAttr(kFactor);
      int64_t copies = factor ? factor.getInt() : 1;
      size_t size = 0;
      loop.getBody()->walk([&](Operation *) { ++size; });
      if (copies <= 1) {
        continue;
      }
      if (copies > limit || made + copies * size > limit) {
        ++declined;
        emitRemark(loop.getLoc())
            << "this loop is not unrolled: " << copies << " copies of "
            << size << " ops are more than the " << (limit - made)
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

void UnrollLoops::unroll(scf::ForOp loop, int64_t copies) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Type type = loop.getInductionVar().getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  // The distance as an unsigned number: no bounds are too far apart for it.
  Value low = loop.getLowerBound(), step = loop.getStep(), one = constant(1);
  Value high = MaxSIOp::create(builder, loc, type, loop.getUpperBound(), low);
  Value distance = arith::SubIOp::create(builder, loc, high, low);
  // ceildiv without overflow: (distance - 1) / step + 1, or none.
  Value last = arith::SubIOp::create(builder, loc, distance, one);
  Value turns = DivUIOp::create(builder, loc, type, last, step);
  turns = arith::AddIOp::create(builder, loc, turns, one);
  Value none = constant(0);
  Value empty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                      distance, none);
  turns = arith::SelectOp::create(builder, loc, empty, none, turns);
}
