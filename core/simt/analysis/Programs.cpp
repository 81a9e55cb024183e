//===- Programs.cpp - how programs of one grid differ ---------------------===//
//
// What   See Programs.h.
// Why    See Programs.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Programs.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

/// What a value is computed from. False if there is more than arguments of the
/// kernel and pure ops.
static bool addSources(Value value, llvm::SetVector<Operation *> &ops) {
  SmallVector<Value> pending = {value};
  while (!pending.empty()) {
    Value one = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(one)) {
      if (!isa<tile::KernelOp>(argument.getOwner()->getParentOp())) {
        return false;
      }
      continue;
    }
    Operation *op = one.getDefiningOp();
    if (!isPure(op) || op->getNumRegions() != 0) {
      return false;
    }
    if (ops.insert(op)) {
      pending.append(op->operand_begin(), op->operand_end());
    }
  }
  return true;
}

bool tz::simt::isSameInPrograms(Value value) {
  llvm::SetVector<Operation *> ops;
  return addSources(value, ops) &&
         llvm::none_of(ops, llvm::IsaPred<tile::ProgramIdOp>);
}

bool tz::simt::isSameInBlocks(Value value) {
  llvm::SetVector<Operation *> ops;
  return addSources(value, ops);
}

Value tz::simt::areSameBeside(OpBuilder &b, Location loc, tile::KernelOp kernel,
                              ArrayRef<Value> values) {
  Block &body = kernel.getBody().front();
  llvm::SetVector<Operation *> ops;
  for (Value value : values) {
    if (!value.getType().isSignlessInteger() || !addSources(value, ops)) {
      return nullptr;
    }
  }
  if (!llvm::all_of(ops, [&](Operation *op) {
        return op->getBlock() == &body &&
               llvm::none_of(op->getResultTypes(),
                             llvm::IsaPred<RankedTensorType, tile::ViewType>);
      })) {
    return nullptr;
  }
  SmallVector<Operation *> inOrder = ops.takeVector();
  llvm::sort(inOrder, [](Operation *one, Operation *other) {
    return one->isBeforeInBlock(other);
  });
  // Only what leads from the number of the program is another there.
  IRMapping beside;
  for (Operation *op : inOrder) {
    auto id = dyn_cast<tile::ProgramIdOp>(op);
    if (id && id.getAxis() == 0) {
      Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
      Value other = arith::XOrIOp::create(b, loc, id, one);
      beside.map(id.getResult(), other);
    } else if (llvm::any_of(op->getOperands(), [&](Value operand) {
                 return beside.contains(operand);
               })) {
      b.clone(*op, beside);
    }
  }
  Value all = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  for (Value value : values) {
    if (Value there = beside.lookupOrNull(value)) {
      Value same =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value, there);
      all = arith::AndIOp::create(b, loc, all, same);
    }
  }
  return all;
}
