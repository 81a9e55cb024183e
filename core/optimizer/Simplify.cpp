//===- Simplify.cpp - tile-simplify ---------------------------------------===//
//
// What   Rewrites ops to fewer or simpler ones with the same value: constants,
//        splat/broadcast/reshape chains, chains of addptr, loops that carry
//        values for nothing.
// Why    Later passes look for one form of each idea; this makes it.
// Example (test/optimizer/simplify.mlir)
//   before
//     %one = arith.constant 1 : i32
//     %base = tile.splat %p : !tile.ptr<i32> -> tensor<64x32x!tile.ptr<i32>>
//     %rows = tile.splat %a : i32 -> tensor<64x1xi32>
//     %wide = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x32xi32>
//     %same = tile.divsi %b, %one : i32
//     %cols = tile.splat %same : i32 -> tensor<64x32xi32>
//     %sum = arith.addi %wide, %cols : tensor<64x32xi32>
//     tile.store %base, %sum : tensor<64x32x!tile.ptr<i32>>, tensor<64x32xi32>
//   after
//     %0 = tile.splat %arg0 : !tile.ptr<i32> -> tensor<64x32x!tile.ptr<i32>>
//     %1 = arith.addi %arg1, %arg2 : i32
//     %2 = tile.splat %1 : i32 -> tensor<64x32xi32>
//     tile.store %0, %2 : tensor<64x32x!tile.ptr<i32>>, tensor<64x32xi32>
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"
#include "core/optimizer/RewriteCounter.h"
#include "core/optimizer/TilePatterns.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tz::tile;

namespace tz::optimizer {
#define GEN_PASS_DEF_SIMPLIFY
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

namespace {
struct Simplify : tz::optimizer::impl::SimplifyBase<Simplify> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet list(context);
    for (StringRef name : {"arith", "scf", "tile"}) {
      context->getOrLoadDialect(name)->getCanonicalizationPatterns(list);
    }
    for (RegisteredOperationName op : context->getRegisteredOperations()) {
      op.getCanonicalizationPatterns(list, context);
    }
    tz::optimizer::addShapePatterns(list);
    tz::optimizer::addIntegerPatterns(list);
    tz::optimizer::addMemoryPatterns(list);
    tz::optimizer::addBranchPatterns(list);
    patterns = FrozenRewritePatternSet(std::move(list));
    return success();
  }

  void runOnOperation() override {
    tz::optimizer::Statistic *labelled[] = {
        &scalarWork,    &shapeChains, &constantIntegers, &comparedIntegers,
        &constantMasks, &emptyOps,    &carriedValues,    &widenedBehind};
    tz::optimizer::RewriteCounter counter(labelled, &canonicalized, &foldedOps,
                                          &deadOps);
    // Not reaching a fixpoint within the limit is no error: the IR is valid.
    bool hasChanged = false;
    (void)applyPatternsGreedily(
        getOperation(), patterns,
        GreedyRewriteConfig().setMaxIterations(4).setListener(&counter),
        &hasChanged);
    if (!hasChanged) {
      markAllAnalysesPreserved();
    }
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
