//===- LoopContents.cpp - what loops hold, and who reads their masks ------===//
//
// What   See the header.
// Why    See the header.
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/LoopContents.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using namespace tz::tile;

/// Ops between a comparison and its reader that are looked at.
static constexpr size_t LargestMask = 32;

bool tz::analysis::hasDots(Operation *op) {
  return op->walk([](DotOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static bool isMaskFromBefore(Value value, Operation *loop) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger(1) &&
         !loop->isAncestor(value.getParentBlock()->getParentOp());
}

bool tz::analysis::loopsAskFrom(Operation *first,
                                function_ref<bool(Operation *)> isChecked) {
  return llvm::any_of(
      llvm::make_range(first->getIterator(), first->getBlock()->end()),
      [&](Operation &top) {
        return top
            .walk([&](LoopLikeOpInterface loop) {
              return loop->walk([&](Operation *op) {
                bool asks = isChecked(op);
                for (Value operand : op->getOperands()) {
                  asks = asks || isMaskFromBefore(operand, loop);
                }
                return asks ? WalkResult::interrupt() : WalkResult::advance();
              });
            })
            .wasInterrupted();
      });
}

Operation *tz::analysis::lastDotLoop(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    if (isa<scf::ForOp>(op) && hasDots(&op)) {
      return &op;
    }
  }
  return nullptr;
}

bool tz::analysis::isSelectedBy(arith::CmpIOp mask, scf::ForOp loop) {
  SmallVector<Value> pending{mask};
  for (size_t i = 0; i < pending.size() && i < LargestMask; ++i) {
    for (OpOperand &use : pending[i].getUses()) {
      Operation *op = use.getOwner();
      if (isa<arith::SelectOp>(op) && use.getOperandNumber() == 0) {
        return true;
      }
      if (loop->isProperAncestor(op) &&
          isa<arith::AndIOp, BroadcastOp, ReshapeOp, TransposeOp>(op)) {
        pending.push_back(op->getResult(0));
      }
    }
  }
  return false;
}

bool tz::analysis::isPredicate(Value mask, scf::ForOp loop) {
  SmallVector<Value> pending{mask};
  for (size_t i = 0; i < pending.size(); ++i) {
    for (OpOperand &use : pending[i].getUses()) {
      Operation *op = use.getOwner();
      if (auto load = dyn_cast<LoadOp>(op)) {
        if (use.get() != load.getMask() || use.get() == load.getOther() ||
            (load.getOther() && !matchPattern(load.getOther(), m_Zero()) &&
             !matchPattern(load.getOther(), m_AnyZeroFloat()))) {
          return false;
        }
      } else if (isa<arith::AndIOp, BroadcastOp, ReshapeOp, TransposeOp>(op) &&
                 loop->isProperAncestor(op) && i < LargestMask) {
        pending.push_back(op->getResult(0));
      } else {
        return false;
      }
    }
  }
  return true;
}

bool tz::analysis::computesOperands(scf::ForOp loop) {
  return loop
      .walk([&](DotOp dot) {
        for (Value operand : {dot.getA(), dot.getB()}) {
          Operation *op = operand.getDefiningOp();
          while (op && isa<ReshapeOp, TransposeOp>(op)) {
            op = op->getOperand(0).getDefiningOp();
          }
          if (op && loop->isProperAncestor(op) &&
              !isa<LoadOp, LoadViewOp>(op)) {
            return WalkResult::interrupt();
          }
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

bool tz::analysis::dependsOnProgram(const Polynomial &p,
                                    const ScalarTable &scalars) {
  return llvm::any_of(p.getTerms(), [&](const Term &term) {
    return llvm::any_of(term.scalars, [&](unsigned number) {
      return scalars.value(number).getDefiningOp<ProgramIdOp>() != nullptr;
    });
  });
}
