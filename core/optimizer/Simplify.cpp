//===- Simplify.cpp - tile-simplify ---------------------------------------===//
//
// What   Rewrites ops to fewer or simpler ones with the same value: constants,
//        splat/broadcast/reshape chains, chains of addptr, loops that carry
//        values for nothing.
// Why    Later passes look for one form of each idea; this makes it.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"
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
    patterns = FrozenRewritePatternSet(std::move(list));
    return success();
  }

  void runOnOperation() override {
    // Not reaching a fixpoint within the limit is no error: the IR is valid.
    (void)applyPatternsGreedily(getOperation(), patterns,
                                GreedyRewriteConfig().setMaxIterations(4));
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
