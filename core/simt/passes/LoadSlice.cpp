//===- LoadSlice.cpp - a load and what it is computed from ----------------===//
#include "core/simt/passes/LoadSlice.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

bool tz::simt::isMovableLoad(Operation *op) {
  auto pointers = dyn_cast<tile::LoadOp>(op);
  return (pointers && !pointers.getIsVolatile()) || isa<tile::LoadViewOp>(op);
}

/// Each thread computes it alone, in a few instructions.
static bool isOfThread(Operation *op) {
  return isPure(op) && op->getNumRegions() == 0 &&
         (op->hasTrait<OpTrait::Elementwise>() ||
          isa<tile::SplatOp, tile::RangeOp, tile::BroadcastOp, tile::MakeViewOp,
              tile::AdvanceViewOp, arith::ConstantOp, arith::SelectOp>(op) ||
          llvm::none_of(op->getOperandTypes(), hasLayout));
}

int64_t tz::simt::registersOf(Value value) {
  const int64_t bytes = tile::storageBytes(tile::elementType(value.getType()));
  return hasLayout(value.getType())
             ? (layoutOf(value).size(Axis::Register) * bytes + 3) / 4
             : 1;
}

bool tz::simt::addToSlice(Operation *point, Operation *op, LoadSlice &slice) {
  constexpr size_t mostOps = 32; // compilation takes time for each
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (!source || source->getBlock() != point->getBlock() ||
        source->isBeforeInBlock(point) || slice.contains(source)) {
      continue;
    }
    if (!isOfThread(source) || slice.size() >= mostOps ||
        !addToSlice(point, source, slice)) {
      return false;
    }
  }
  slice.insert(op);
  return true;
}
