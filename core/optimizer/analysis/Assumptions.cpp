//===- Assumptions.cpp - what tl.assume says of a kernel's values ---------===//
#include "core/optimizer/analysis/Assumptions.h"

using namespace mlir;
using namespace tz;

/// Whether each side of `compare` is a constant or a value of `block`.
static bool comparesValuesOf(Block *block, arith::CmpIOp compare) {
  return llvm::all_of(compare->getOperands(), [&](Value side) {
    return side.getDefiningOp<arith::ConstantOp>() ||
           side.getParentBlock() == block;
  });
}

SmallVector<arith::CmpIOp> analysis::assumedComparisons(tile::KernelOp kernel) {
  SmallVector<arith::CmpIOp> found;
  kernel.walk([&](tile::AssumeOp assumption) {
    SmallVector<Value> conditions{assumption.getCondition()};
    while (!conditions.empty()) {
      Operation *op = conditions.pop_back_val().getDefiningOp();
      if (isa_and_nonnull<arith::AndIOp>(op)) {
        conditions.append(op->operand_begin(), op->operand_end());
        continue;
      }
      auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
      if (compare && comparesValuesOf(assumption->getBlock(), compare)) {
        found.push_back(compare);
      }
    }
  });
  return found;
}
