//===- IntegerPatterns.cpp - constant operands of integer tile ops --------===//
//
// What   Division, remainder, shifts, minimum and maximum with constants; a
//        minimum that is written as a comparison and a choice.
// Why    cdiv of constexpr sizes and block counts should be numbers; loops with
//        a constant number of iterations are better loops. A reduction knows
//        that the order of a minimum's operands does not matter.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/TilePatterns.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/APInt.h"

using namespace mlir;
using namespace tz::tile;

/// The value of `op` for these operands; nullopt where the dialect leaves it
/// open (division by zero).
template <typename Op>
static std::optional<APInt> evaluate(const APInt &a, const APInt &b) {
  unsigned width = a.getBitWidth();
  if constexpr (std::is_same_v<Op, MinSIOp>) {
    return llvm::APIntOps::smin(a, b);
  } else if constexpr (std::is_same_v<Op, MaxSIOp>) {
    return llvm::APIntOps::smax(a, b);
  } else if constexpr (std::is_same_v<Op, MinUIOp>) {
    return llvm::APIntOps::umin(a, b);
  } else if constexpr (std::is_same_v<Op, MaxUIOp>) {
    return llvm::APIntOps::umax(a, b);
  } else if constexpr (std::is_same_v<Op, ShlOp>) {
    return b.uge(width) ? APInt(width, 0) : a.shl(b);
  } else if constexpr (std::is_same_v<Op, ShrUIOp>) {
    return b.uge(width) ? APInt(width, 0) : a.lshr(b);
  } else if constexpr (std::is_same_v<Op, ShrSIOp>) {
    return b.uge(width) ? a.ashr(width - 1) : a.ashr(b);
  } else if (b.isZero() || (a.isMinSignedValue() && b.isAllOnes())) {
    return std::nullopt;
  } else if constexpr (std::is_same_v<Op, DivSIOp>) {
    return a.sdiv(b);
  } else if constexpr (std::is_same_v<Op, RemSIOp>) {
    return a.srem(b);
  } else if constexpr (std::is_same_v<Op, DivUIOp>) {
    return a.udiv(b);
  } else {
    static_assert(std::is_same_v<Op, RemUIOp>);
    return a.urem(b);
  }
}

namespace {
template <typename Op>
struct FoldInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    APInt b;
    if (!matchPattern(op.getRhs(), m_ConstantInt(&b))) {
      return failure();
    }
    Type type = op.getType();
    auto replaceBy = [&](const APInt &value) {
      TypedAttr attribute = IntegerAttr::get(elementType(type), value);
      if (auto tile = dyn_cast<RankedTensorType>(type)) {
        attribute = SplatElementsAttr::get(tile, attribute);
      }
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, attribute);
      return success();
    };
    APInt a;
    if (matchPattern(op.getLhs(), m_ConstantInt(&a))) {
      std::optional<APInt> value = evaluate<Op>(a, b);
      return value ? replaceBy(*value) : failure();
    }
    constexpr bool divides =
        std::is_same_v<Op, DivSIOp> || std::is_same_v<Op, DivUIOp>;
    constexpr bool remains =
        std::is_same_v<Op, RemSIOp> || std::is_same_v<Op, RemUIOp>;
    constexpr bool shifts = std::is_same_v<Op, ShlOp> ||
                            std::is_same_v<Op, ShrSIOp> ||
                            std::is_same_v<Op, ShrUIOp>;
    if constexpr (divides) {
      if (b.isOne() && b.getBitWidth() > 1) {
        rewriter.replaceOp(op, op.getLhs());
        return success();
      }
    } else if constexpr (remains) {
      if (b.isOne() && b.getBitWidth() > 1) {
        return replaceBy(APInt(b.getBitWidth(), 0));
      }
    } else if constexpr (shifts) {
      if (b.isZero()) {
        rewriter.replaceOp(op, op.getLhs());
        return success();
      }
    }
    return failure();
  }
};

struct FoldLeadingZeros : OpRewritePattern<ClzOp> {
  using OpRewritePattern<ClzOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ClzOp op,
                                PatternRewriter &rewriter) const override {
    APInt value;
    if (!matchPattern(op.getSource(), m_ConstantInt(&value))) {
      return failure();
    }
    const APInt zeros(value.getBitWidth(), value.countl_zero());
    TypedAttr attribute = IntegerAttr::get(elementType(op.getType()), zeros);
    if (auto tile = dyn_cast<RankedTensorType>(op.getType())) {
      attribute = SplatElementsAttr::get(tile, attribute);
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, attribute);
    return success();
  }
};

/// The smaller or larger of a value and itself is it.
template <typename Op>
struct FoldSame : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (op.getLhs() != op.getRhs()) {
      return failure();
    }
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};
/// Of two compared integers, the one that is less or the one that is more.
/// Equal ones are the same, so it does not matter which is taken then.
struct ChooseCompared : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern<arith::SelectOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp select,
                                PatternRewriter &rewriter) const override {
    auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare || elementType(select.getType()).isInteger(1)) {
      return failure();
    }
    const Value a = compare.getLhs(), b = compare.getRhs(),
                yes = select.getTrueValue(), no = select.getFalseValue();
    const bool isSwapped = yes == b && no == a;
    if (!isSwapped && (yes != a || no != b)) {
      return failure();
    }
    switch (isSwapped ? arith::invertPredicate(compare.getPredicate())
                      : compare.getPredicate()) {
    case arith::CmpIPredicate::slt:
    case arith::CmpIPredicate::sle:
      rewriter.replaceOpWithNewOp<MinSIOp>(select, a, b);
      return success();
    case arith::CmpIPredicate::sgt:
    case arith::CmpIPredicate::sge:
      rewriter.replaceOpWithNewOp<MaxSIOp>(select, a, b);
      return success();
    case arith::CmpIPredicate::ult:
    case arith::CmpIPredicate::ule:
      rewriter.replaceOpWithNewOp<MinUIOp>(select, a, b);
      return success();
    case arith::CmpIPredicate::ugt:
    case arith::CmpIPredicate::uge:
      rewriter.replaceOpWithNewOp<MaxUIOp>(select, a, b);
      return success();
    default:
      return failure();
    }
  }
};
} // namespace

void tz::optimizer::addIntegerPatterns(RewritePatternSet &patterns) {
  patterns.addWithLabel<
      FoldInteger<DivSIOp>, FoldInteger<DivUIOp>, FoldInteger<RemSIOp>,
      FoldInteger<RemUIOp>, FoldInteger<ShlOp>, FoldInteger<ShrSIOp>,
      FoldInteger<ShrUIOp>, FoldInteger<MinSIOp>, FoldInteger<MinUIOp>,
      FoldInteger<MaxSIOp>, FoldInteger<MaxUIOp>, FoldSame<MinSIOp>,
      FoldSame<MinUIOp>, FoldSame<MaxSIOp>, FoldSame<MaxUIOp>,
      FoldLeadingZeros>({"constant-integers"}, patterns.getContext());
  patterns.addWithLabel<ChooseCompared>({"compared-integers"},
                                        patterns.getContext());
}
