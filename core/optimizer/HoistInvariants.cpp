//===- HoistInvariants.cpp - tile-hoist-invariants ------------------------===//
//
// What   Moves ops whose operands do not change in a loop to before it.
// Why    RecoverViews recognises a loop-carried pointer by its increment, which
//        must be one value for the whole loop; and no backend should pay for
//        the same load in every turn.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace tz::tile;

namespace tz::optimizer {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

namespace {
struct HoistInvariants
    : tz::optimizer::impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    // Inner loops first: what leaves one may leave the next as well.
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      hoistedOps += moveLoopInvariantCode(loop);
    });
  }
};
} // namespace
