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
#include "core/optimizer/RewriteCounter.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tz::tile;

namespace tz::optimizer {
#define GEN_PASS_DEF_COMBINE
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

/// The dot that makes `operand`, if its accumulator is still free.
static DotOp productOf(Value operand) {
  auto dot = operand.getDefiningOp<DotOp>();
  bool isFree = dot && (matchPattern(dot.getAcc(), m_AnyZeroFloat()) ||
                        matchPattern(dot.getAcc(), m_Zero()));
  return isFree ? dot : DotOp();
}

/// What `mask` is the negation of; null if it is none.
static Value negated(Value mask) {
  auto flip = mask.getDefiningOp<arith::XOrIOp>();
  return flip && matchPattern(flip.getRhs(), m_One()) &&
                 elementType(mask.getType()).isInteger(1)
             ? flip.getLhs()
             : Value();
}

/// The dimension along which a tile of three is the same; none if there is not
/// exactly one.
static std::optional<int64_t> repeatedDimension(Value tile) {
  auto broadcast = tile.getDefiningOp<BroadcastOp>();
  if (!broadcast) {
    return std::nullopt;
  }
  ArrayRef<int64_t> from = shapeOf(broadcast.getSource().getType());
  ArrayRef<int64_t> to = shapeOf(tile.getType());
  std::optional<int64_t> found;
  for (auto [dimension, sizes] : llvm::enumerate(llvm::zip(from, to))) {
    if (std::get<0>(sizes) != std::get<1>(sizes)) {
      if (found) {
        return std::nullopt;
      }
      found = dimension;
    }
  }
  return found;
}

/// sum(a[:, :, None] * b[None, :, :], axis=1): a matrix product in another
/// form.
static bool isMatrixProduct(ReduceOp reduce) {
  if (reduce.getSources().size() != 1) {
    return false;
  }
  Operation &combined = reduce.getCombine().front().front();
  auto product = reduce.getSources()[0].getDefiningOp<arith::MulFOp>();
  if (!product || shapeOf(product.getType()).size() != 3 ||
      !isa<arith::AddFOp>(combined) || !isa<YieldOp>(combined.getNextNode())) {
    return false;
  }
  auto a = repeatedDimension(product.getLhs());
  auto b = repeatedDimension(product.getRhs());
  return a && b && a != b && *a != reduce.getAxis() && *b != reduce.getAxis();
}

/// Why `dot` cannot take the other operand of `add` as accumulator; empty if it
/// can.
static StringRef obstacle(DotOp dot, Operation *add) {
  if (!dot->hasOneUse()) {
    return "the product without the sum is used as well; compute from the sum, "
           "or keep both";
  }
  if (dot.getMaxImprecise() != 0) {
    return "max_num_imprecise_acc counts from the product's own accumulator; "
           "pass acc= to tl.dot";
  }
  if (dot->getBlock() != add->getBlock()) {
    return "the product is computed in another branch or outside of the loop; "
           "compute it beside the sum";
  }
  return {};
}

namespace {
/// add(dot(a, b, 0), c) -> dot(a, b, c): the dot's order of summation is free.
template <typename Add>
struct AddIntoDot : OpRewritePattern<Add> {
  using OpRewritePattern<Add>::OpRewritePattern;
  LogicalResult matchAndRewrite(Add add,
                                PatternRewriter &rewriter) const override {
    for (bool swapped : {false, true}) {
      DotOp dot = productOf(swapped ? add.getRhs() : add.getLhs());
      if (!dot || !obstacle(dot, add).empty()) {
        continue;
      }
      Value acc = swapped ? add.getLhs() : add.getRhs();
      rewriter.replaceOpWithNewOp<DotOp>(add, add.getType(), dot.getA(),
                                         dot.getB(), acc, dot.getPrecision(),
                                         dot.getMaxImprecise());
      return success();
    }
    return failure();
  }
};

/// select(m, load p mask m, other) -> load p mask m other other, and so with
/// the arms the other way round where m is negated
struct SelectIntoLoad : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp select,
                                PatternRewriter &rewriter) const override {
    Value mask = select.getCondition();
    Value loaded = select.getTrueValue(), other = select.getFalseValue();
    if (Value positive = negated(mask)) {
      mask = positive;
      std::swap(loaded, other);
    }
    auto load = loaded.getDefiningOp<LoadOp>();
    if (!load || load.getMask() != mask || !load->hasOneUse() ||
        load->getBlock() != select->getBlock()) {
      return failure();
    }
    Operation *def = other.getDefiningOp();
    if (def && def->getBlock() == load->getBlock() &&
        load->isBeforeInBlock(def)) {
      return failure();
    }
    rewriter.modifyOpInPlace(load,
                             [&] { load.getOtherMutable().assign(other); });
    rewriter.replaceOp(select, load);
    return success();
  }
};

struct Combine : tz::optimizer::impl::CombineBase<Combine> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet list(context);
    list.addWithLabel<AddIntoDot<arith::AddFOp>, AddIntoDot<arith::AddIOp>>(
        {"dot-accumulators"}, context);
    list.addWithLabel<SelectIntoLoad>({"guarded-loads"}, context);
    patterns = FrozenRewritePatternSet(std::move(list));
    return success();
  }

  void runOnOperation() override {
    tz::optimizer::Statistic *labelled[] = {&dotAccumulators, &guardedLoads};
    tz::optimizer::RewriteCounter counter(labelled);
    bool hasChanged = false;
    (void)applyPatternsGreedily(
        getOperation(), patterns,
        GreedyRewriteConfig().setMaxIterations(2).setListener(&counter),
        &hasChanged);
    if (!hasChanged) {
      markAllAnalysesPreserved();
    }
    getOperation().walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::AddIOp>(op)) {
        explain(op);
      }
      if (auto reduce = dyn_cast<ReduceOp>(op);
          reduce && isMatrixProduct(reduce)) {
        ++declined;
        emitRemark(op->getLoc())
            << "this sum of products is a matrix product whose products are a "
               "tile of their own: it stays as it is written, because a dot "
               "neither rounds each product nor keeps the order of the "
               "additions; tl.dot(a, b, input_precision=\"ieee\") says that "
               "neither matters";
      }
    });
  }

  /// Says why a sum with a product is still an op of its own.
  void explain(Operation *add) {
    for (Value operand : add->getOperands()) {
      DotOp dot = productOf(operand);
      StringRef why = dot ? obstacle(dot, add) : "";
      if (!why.empty()) {
        ++declined;
        emitRemark(add->getLoc())
            << "this sum is a pass over the tile of its own: " << why;
        return;
      }
    }
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
