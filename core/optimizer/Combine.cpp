//===- Combine.cpp - tile-combine -----------------------------------------===//
//
// What   Joins neighbours that one op can do: a dot and the sum it goes into, a
//        select and the load that it guards.
// Why    Matrix units and micro-kernels add into their accumulator for nothing;
//        a second tile of sums costs registers and a pass over them.
// Example (test/optimizer/combine.mlir)
//   before
//     %zero = arith.constant dense<0.0> : tensor<16x16xf32>
//     %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
//     %a = tile.load %ps : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
//     %acc = tile.splat %s : f32 -> tensor<16x16xf32>
//     %d = tile.dot %a, %a, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
//     %sum = arith.addf %acc, %d : tensor<16x16xf32>
//     tile.store %ps, %sum : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
//   after
//     %0 = tile.splat %arg0 : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
//     %1 = tile.load %0 : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
//     %2 = tile.splat %arg1 : f32 -> tensor<16x16xf32>
//     %3 = tile.dot %1, %1, %2 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
//     tile.store %0, %3 : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
//===----------------------------------------------------------------------===//
#include "core/optimizer/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tz::tile;

namespace tz::optimizer {
#define GEN_PASS_DEF_COMBINE
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

/// add(dot(a, b, 0), c) -> dot(a, b, c): the dot's order of summation is free.
template <typename Add>
static LogicalResult addIntoDot(Add add, PatternRewriter &rewriter) {
  for (bool swapped : {false, true}) {
    Value product = swapped ? add.getRhs() : add.getLhs();
    Value acc = swapped ? add.getLhs() : add.getRhs();
    auto dot = product.template getDefiningOp<DotOp>();
    if (!dot || !dot->hasOneUse() || dot.getMaxImprecise() != 0 ||
        dot->getBlock() != add->getBlock()) {
      continue;
    }
    if (!matchPattern(dot.getAcc(), m_AnyZeroFloat()) &&
        !matchPattern(dot.getAcc(), m_Zero())) {
      continue;
    }
    rewriter.replaceOpWithNewOp<DotOp>(add, add.getType(), dot.getA(),
                                       dot.getB(), acc, dot.getPrecision(),
                                       dot.getMaxImprecise());
    return success();
  }
  return failure();
}

/// select(m, load p mask m, other) -> load p mask m other other
static LogicalResult selectIntoLoad(arith::SelectOp select,
                                    PatternRewriter &rewriter) {
  auto load = select.getTrueValue().getDefiningOp<LoadOp>();
  if (!load || load.getMask() != select.getCondition() || !load->hasOneUse() ||
      load->getBlock() != select->getBlock()) {
    return failure();
  }
  Value other = select.getFalseValue();
  Operation *def = other.getDefiningOp();
  if (def && def->getBlock() == load->getBlock() &&
      load->isBeforeInBlock(def)) {
    return failure();
  }
  rewriter.modifyOpInPlace(load, [&] { load.getOtherMutable().assign(other); });
  rewriter.replaceOp(select, load);
  return success();
}

namespace {
struct Combine : tz::optimizer::impl::CombineBase<Combine> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet list(context);
    list.add(+[](arith::AddFOp op, PatternRewriter &rewriter) {
      return addIntoDot(op, rewriter);
    });
    list.add(+[](arith::AddIOp op, PatternRewriter &rewriter) {
      return addIntoDot(op, rewriter);
    });
    list.add(+[](arith::SelectOp op, PatternRewriter &rewriter) {
      return selectIntoLoad(op, rewriter);
    });
    patterns = FrozenRewritePatternSet(std::move(list));
    return success();
  }

  void runOnOperation() override {
    (void)applyPatternsGreedily(getOperation(), patterns,
                                GreedyRewriteConfig().setMaxIterations(2));
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
