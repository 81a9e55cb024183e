//===- MemoryPatterns.cpp - masks, offsets, values carried for nothing ----===//
//
// What   Constant masks, zero offsets, promises that say nothing, and what a
//        loop carries only to compute its own next value, or to count once
//        more.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/TilePatterns.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz::tile;

static std::optional<bool> constantMask(Value mask) {
  APInt bit;
  if (!mask || !matchPattern(mask, m_ConstantInt(&bit))) {
    return std::nullopt;
  }
  return bit.isOne();
}

namespace {
struct ConstantLoadMask : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<bool> mask = constantMask(op.getMask());
    if (!mask) {
      return failure();
    }
    if (*mask) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getMaskMutable().clear();
        op.getOtherMutable().clear();
      });
      return success();
    }
    if (op.getOther()) {
      rewriter.replaceOp(op, op.getOther());
      return success();
    }
    auto zero = rewriter.getZeroAttr(op.getType());
    if (!zero) {
      return failure(); // a tile of pointers
    }
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
    return success();
  }
};

struct ConstantStoreMask : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<bool> mask = constantMask(op.getMask());
    if (!mask) {
      return failure();
    }
    if (*mask) {
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    } else {
      rewriter.eraseOp(op);
    }
    return success();
  }
};

struct ZeroOffset : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op,
                                PatternRewriter &rewriter) const override {
    if (!matchPattern(op.getOffset(), m_Zero())) {
      return failure();
    }
    rewriter.replaceOp(op, op.getPointer());
    return success();
  }
};

struct EmptyPromise : OpRewritePattern<AssumeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AssumeOp op,
                                PatternRewriter &rewriter) const override {
    if (!matchPattern(op.getCondition(), m_One())) {
      return failure();
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// A carried value whose every use only makes its own next value: the loop
/// carries the first one instead, which upstream's folding then removes.
struct CarriedForNothing : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  static bool feedsOnlyItself(scf::ForOp loop, unsigned index) {
    Operation *yield = loop.getBody()->getTerminator();
    llvm::SmallSetVector<Value, 8> values;
    values.insert(loop.getRegionIterArg(index));
    for (unsigned i = 0; i < values.size() && i < 64; ++i) {
      for (OpOperand &use : values[i].getUses()) {
        Operation *user = use.getOwner();
        if (user == yield) {
          if (use.getOperandNumber() != index) {
            return false;
          }
          continue;
        }
        if (user->getNumRegions() != 0 || !isMemoryEffectFree(user) ||
            user->hasTrait<OpTrait::IsTerminator>()) {
          return false;
        }
        values.insert(user->result_begin(), user->result_end());
      }
    }
    return values.size() < 64;
  }

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    Operation *yield = loop.getBody()->getTerminator();
    bool changed = false;
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
      Value argument = loop.getRegionIterArg(i);
      if (!loop.getResult(i).use_empty() || yield->getOperand(i) == argument ||
          !feedsOnlyItself(loop, i)) {
        continue;
      }
      rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(i, argument); });
      changed = true;
    }
    return success(changed);
  }
};
/// A carried integer that counts beside the loop's counter, a constant apart
/// from it: its uses take the counter, so that what is computed of either is
/// equal.
struct CountsTwice : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  /// A value as another one, or none, and a constant.
  struct Sum {
    Value rest;
    APInt constant;
  };

  static Sum sumOf(Value value) {
    APInt constant(value.getType().getIntOrFloatBitWidth(), 0);
    if (matchPattern(value, m_ConstantInt(&constant))) {
      return {nullptr, constant};
    }
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) &&
        matchPattern(op->getOperand(1), m_ConstantInt(&constant))) {
      return {op->getOperand(0), isa<arith::AddIOp>(op) ? constant : -constant};
    }
    return {value, constant};
  }

  static bool isStep(scf::ForOp loop, Value argument, Value next) {
    auto add = next.getDefiningOp<arith::AddIOp>();
    if (!add || (add.getLhs() != argument && add.getRhs() != argument)) {
      return false;
    }
    Value step = add.getLhs() == argument ? add.getRhs() : add.getLhs();
    APInt a, b;
    return step == loop.getStep() ||
           (matchPattern(step, m_ConstantInt(&a)) &&
            matchPattern(loop.getStep(), m_ConstantInt(&b)) && a == b);
  }

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    Value counter = loop.getInductionVar();
    if (!counter.getType().isInteger()) {
      return failure();
    }
    const Sum begin = sumOf(loop.getLowerBound());
    bool changed = false;
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
      if (argument.getType() != counter.getType() || argument.use_empty() ||
          !isStep(loop, argument,
                  loop.getTiedLoopYieldedValue(argument)->get())) {
        continue;
      }
      const Sum first = sumOf(loop.getInitArgs()[i]);
      if (first.rest != begin.rest) {
        continue;
      }
      rewriter.setInsertionPointToStart(loop.getBody());
      Value apart = arith::ConstantOp::create(
          rewriter, loop.getLoc(),
          rewriter.getIntegerAttr(counter.getType(),
                                  first.constant - begin.constant));
      rewriter.replaceAllUsesWith(
          argument,
          arith::AddIOp::create(rewriter, loop.getLoc(), counter, apart));
      changed = true;
    }
    return success(changed);
  }
};
} // namespace

void tz::optimizer::addMemoryPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<ConstantLoadMask, ConstantStoreMask>({"constant-masks"},
                                                             context);
  patterns.addWithLabel<ZeroOffset, EmptyPromise>({"empty-ops"}, context);
  patterns.addWithLabel<CarriedForNothing, CountsTwice>({"carried-values"},
                                                        context);
}
