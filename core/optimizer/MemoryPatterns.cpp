//===- MemoryPatterns.cpp - masks, offsets, values carried for nothing ----===//
//
// What   Constant masks, zero offsets, promises that say nothing, and what a
//        loop carries only to compute its own next value.
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
} // namespace

void tz::optimizer::addMemoryPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.addWithLabel<ConstantLoadMask, ConstantStoreMask>({"constant-masks"},
                                                             context);
  patterns.addWithLabel<ZeroOffset, EmptyPromise>({"empty-ops"}, context);
  patterns.addWithLabel<CarriedForNothing>({"carried-values"}, context);
}
