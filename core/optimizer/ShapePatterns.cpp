//===- ShapePatterns.cpp - splat, broadcast, reshape ----------------------===//
//
// What   Chains of shape ops become one; an elementwise op on splats becomes
//        the splat of a scalar op.
// Why    A scalar op costs nothing; a tile of equal values costs a tile.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/TilePatterns.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tz::tile;

/// The scalar that all lanes of `tile` are, made if it is a constant.
static Value scalarOf(PatternRewriter &rewriter, Value tile) {
  if (auto splat = tile.getDefiningOp<SplatOp>()) {
    return splat.getSource();
  }
  SplatElementsAttr constant;
  if (!matchPattern(tile, m_Constant(&constant))) {
    return {};
  }
  auto value = constant.getSplatValue<TypedAttr>();
  return arith::ConstantOp::create(rewriter, tile.getLoc(), value);
}

static bool isSplat(Value tile) {
  SplatElementsAttr constant;
  return tile.getDefiningOp<SplatOp>() ||
         matchPattern(tile, m_Constant(&constant));
}

namespace {
/// op(splat a, splat b) -> splat(op a, b)
struct ScalarWork : RewritePattern {
  explicit ScalarWork(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
        op->getNumRegions() != 0 || op->getNumOperands() == 0 ||
        !isMemoryEffectFree(op)) {
      return failure();
    }
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    bool anySplat = false;
    for (Value operand : op->getOperands()) {
      anySplat |= operand.getDefiningOp<SplatOp>() != nullptr;
      // A scalar operand (of select) is as it should be.
      if (isa<RankedTensorType>(operand.getType()) && !isSplat(operand)) {
        return failure();
      }
    }
    if (!type || !anySplat) {
      return failure();
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      bool isTile = isa<RankedTensorType>(operand.getType());
      operands.push_back(isTile ? scalarOf(rewriter, operand) : operand);
    }
    OperationState state(op->getLoc(), op->getName().getStringRef(), operands,
                         {type.getElementType()}, op->getAttrs());
    Operation *scalar = rewriter.create(state);
    rewriter.replaceOpWithNewOp<SplatOp>(op, type, scalar->getResult(0));
    return success();
  }
};

/// broadcast, reshape, transpose of a splat -> splat
template <typename Shape>
struct ShapeOfSplat : OpRewritePattern<Shape> {
  using OpRewritePattern<Shape>::OpRewritePattern;
  LogicalResult matchAndRewrite(Shape op,
                                PatternRewriter &rewriter) const override {
    auto splat = op.getSource().template getDefiningOp<SplatOp>();
    if (!splat) {
      return failure();
    }
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSource());
    return success();
  }
};

/// broadcast(broadcast x) -> broadcast x
struct BroadcastTwice : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<BroadcastOp>();
    if (!inner) {
      return failure();
    }
    rewriter.modifyOpInPlace(
        op, [&] { op.getSourceMutable().assign(inner.getSource()); });
    return success();
  }
};

/// transpose(transpose x) -> one transpose, which folds if it is none
struct TransposeTwice : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<TransposeOp>();
    if (!inner) {
      return failure();
    }
    SmallVector<int64_t> order;
    for (int64_t dim : op.getOrder()) {
      order.push_back(inner.getOrder()[dim]);
    }
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(),
                                             inner.getSource(), order);
    return success();
  }
};
} // namespace

void tz::optimizer::addShapePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<ScalarWork>({"scalar-work"}, context);
  patterns
      .addWithLabel<ShapeOfSplat<BroadcastOp>, ShapeOfSplat<ReshapeOp>,
                    ShapeOfSplat<TransposeOp>, BroadcastTwice, TransposeTwice>(
          {"shape-chains"}, context);
}
