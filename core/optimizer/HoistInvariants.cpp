//===- HoistInvariants.cpp - tile-hoist-invariants ------------------------===//
//
// What   Moves ops whose operands do not change in a loop to before it.
// Why    RecoverViews recognises a loop-carried pointer by its increment, which
//        must be one value for the whole loop; and no backend should pay for
//        the same load in every iteration.
// Example (test/optimizer/hoist-invariants.mlir)
//   before
//     %low = arith.constant 0 : i32
//     %high = arith.constant 8 : i32
//     %one = arith.constant 1 : i32
//     scf.for %i = %low to %high step %one : i32 {
//       %from = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//       %v = tile.load %from {group = 1 : i64} : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
//       %at = tile.addptr %y, %i : !tile.ptr<f32>, i32
//       %to = tile.splat %at : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//       tile.store %to, %v {group = 2 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
//     }
//   after
//     %c0_i32 = arith.constant 0 : i32
//     %c8_i32 = arith.constant 8 : i32
//     %c1_i32 = arith.constant 1 : i32
//     %0 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//     %1 = tile.load %0 {group = 1 : i64} : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
//     scf.for %arg2 = %c0_i32 to %c8_i32 step %c1_i32  : i32 {
//       %2 = tile.addptr %arg1, %arg2 : !tile.ptr<f32>, i32
//       %3 = tile.splat %2 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
//       tile.store %3, %1 {group = 2 : i64} : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
//     }
// Keeps  order of memory (R6). A load moves only out of a loop that runs at
//        least once: nothing promises that its bytes exist otherwise. A loop with
//        disable_licm keeps loads and floats: only what addresses are made of
//        leaves it.
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"

#include "terrazzo/analysis/Hints.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace tz;
using namespace tz::tile;

namespace tz::optimizer {
#define GEN_PASS_DEF_HOISTINVARIANTS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

/// Of tl.range(..., disable_licm=True) and tl.condition.
static constexpr llvm::StringLiteral Disabled = "tile.disable_licm";

/// The R6 group of an access; none for other ops.
static std::optional<int64_t> groupOf(Operation *op) {
  auto group = op->getAttrOfType<IntegerAttr>("group");
  return isa<LoadOp, StoreOp, LoadViewOp, StoreViewOp, AtomicRMWOp,
             AtomicCASOp>(op)
             ? std::optional(group ? group.getInt() : 0)
             : std::nullopt;
}

/// Out of a loop whose author forbids to move its work: only integers, masks,
/// pointers and views. RecoverViews needs one increment for the whole loop, and
/// what it has made a view of is no tile any more.
static size_t hoistAddresses(LoopLikeOpInterface loop) {
  auto isAddress = [](Type type) {
    return isa<ViewType>(type) ||
           isa<IntegerType, IndexType, PtrType>(elementType(type));
  };
  return moveLoopInvariantCode(
      loop.getLoopRegions(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [&](Operation *op, Region *) {
        return isMemoryEffectFree(op) && isSpeculatable(op) &&
               llvm::all_of(op->getResultTypes(), isAddress);
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

/// What in `loop` keeps a load of `group` in its place: a write that may reach
/// its bytes, or an op that may end the program before it. Null: nothing.
static Operation *interferes(scf::ForOp loop, int64_t group) {
  Operation *found = nullptr;
  loop.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isa<AssumeOp>(op) || isMemoryEffectFree(op) ||
        hasSingleEffect<MemoryEffects::Read>(op)) {
      return WalkResult::advance();
    }
    std::optional<int64_t> other = groupOf(op);
    if (other && *other != 0 && group != 0 && *other != group) {
      return WalkResult::advance();
    }
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

namespace {
struct HoistInvariants
    : tz::optimizer::impl::HoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    // Inner loops first: what leaves one may leave the next as well.
    bool hasLoops = false;
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      hasLoops = true;
      hoistedOps += loop->hasAttr(Disabled) ? hoistAddresses(loop)
                                            : moveLoopInvariantCode(loop);
    });
    if (!hasLoops) {
      return markAllAnalysesPreserved();
    }
    if (getOperation()
            .walk([](scf::ForOp) { return WalkResult::interrupt(); })
            .wasInterrupted()) {
      analysis::Hints hints(getOperation());
      getOperation()->walk([&](scf::ForOp loop) { hoistLoads(loop, hints); });
    }
  }

  void hoistLoads(scf::ForOp loop, const analysis::Hints &hints) {
    if (loop->hasAttr(Disabled)) {
      return;
    }
    bool runs =
        hints.countsSigned(loop) && hints.range(loop.getLowerBound()).high <
                                        hints.range(loop.getUpperBound()).low;
    SmallVector<Operation *> loads;
    for (Operation &op : *loop.getBody()) {
      auto isOutside = [&](Value v) { return loop.isDefinedOutsideOfLoop(v); };
      if (!isa<LoadOp, LoadViewOp>(op) ||
          !hasSingleEffect<MemoryEffects::Read>(&op) ||
          !llvm::all_of(op.getOperands(), isOutside)) {
        continue;
      }
      Operation *obstacle = interferes(loop, *groupOf(&op));
      if (runs && !obstacle) {
        loads.push_back(&op);
      } else {
        explain(&op, obstacle);
      }
    }
    for (Operation *op : loads) {
      op->moveBefore(loop);
      ++hoistedLoads;
    }
  }

  /// Says why a load of the same bytes in every iteration stays in its loop.
  void explain(Operation *load, Operation *obstacle) {
    ++declined;
    InFlightDiagnostic remark = emitRemark(load->getLoc());
    remark << "this load reads the same bytes in every iteration of the loop: ";
    if (!obstacle) {
      remark << "it stays there, because the loop is not known to run; "
                "tl.assume(end > start) says so";
      return;
    }
    bool writes = isa<StoreOp, StoreViewOp, AtomicRMWOp, AtomicCASOp>(obstacle);
    remark << (writes
                   ? "it stays there, because a write in the loop may reach "
                     "those bytes; load before the loop if none does"
                   : "it stays there, because the loop has an op that orders "
                     "memory or may end the program; load before the loop "
                     "if that is meant");
  }
};
} // namespace
