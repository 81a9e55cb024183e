//===- BranchPatterns.cpp - what branches give ----------------------------===//
//
// What   A number that both sides of a branch widen in the same way leaves the
//        branch as it was, and is widened behind it.
// Why    What is loaded in either side waits behind it in registers: of fp32
//        twice as many as of bf16.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/TilePatterns.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tz::tile;

/// The op that widens a value, if it does nothing else.
static Operation *widening(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_present<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op)
             ? op
             : nullptr;
}

/// ... in either side of a branch; null if they do not widen the same type.
static Operation *widenedInBoth(scf::IfOp op, unsigned result) {
  Operation *one = widening(op.thenYield().getOperand(result)),
            *other = widening(op.elseYield().getOperand(result));
  return one && other && one->getName() == other->getName() &&
                 one->getAttrs() == other->getAttrs() &&
                 one->getOperand(0).getType() == other->getOperand(0).getType()
             ? one
             : nullptr;
}

namespace {
struct WidenBehindBranch : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::IfOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.elseBlock() || op.getNumResults() == 0) {
      return failure();
    }
    SmallVector<Operation *> widened;
    SmallVector<Type> types;
    for (unsigned i = 0; i < op.getNumResults(); ++i) {
      Operation *wide =
          op.getResult(i).use_empty() ? nullptr : widenedInBoth(op, i);
      widened.push_back(wide);
      types.push_back(wide ? wide->getOperand(0).getType()
                           : op.getResult(i).getType());
    }
    if (llvm::none_of(widened, [](Operation *wide) { return wide; })) {
      return failure();
    }
    auto made = scf::IfOp::create(rewriter, op.getLoc(), types,
                                  op.getCondition(), /*withElse=*/false);
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.eraseBlock(made.thenBlock());
    rewriter.inlineRegionBefore(op.getThenRegion(), made.getThenRegion(),
                                made.getThenRegion().end());
    rewriter.inlineRegionBefore(op.getElseRegion(), made.getElseRegion(),
                                made.getElseRegion().end());
    SmallVector<Value> results;
    for (auto [i, wide] : llvm::enumerate(widened)) {
      if (!wide) {
        results.push_back(made.getResult(unsigned(i)));
        continue;
      }
      Operation *behind = rewriter.clone(*wide);
      behind->setOperand(0, made.getResult(unsigned(i)));
      behind->setLoc(op.getLoc());
      results.push_back(behind->getResult(0));
      for (scf::YieldOp yield : {made.thenYield(), made.elseYield()}) {
        rewriter.modifyOpInPlace(yield, [&] {
          yield->setOperand(
              unsigned(i),
              yield.getOperand(unsigned(i)).getDefiningOp()->getOperand(0));
        });
      }
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void tz::optimizer::addBranchPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<WidenBehindBranch>({"widened-behind"},
                                           patterns.getContext());
}
