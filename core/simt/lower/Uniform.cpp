//===- Uniform.cpp - what is equal in all lanes of a warp -----------------===//
//
// What   Tells a target that wants to know it of values that all lanes of a
// warp
//        hold, where LLVM takes them for different: behind exchanges, and where
//        lanes that differ compute the same.
// Why    What is computed from arguments alone LLVM finds itself.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

using namespace llvm;

namespace tz::simt {

Value *KernelLowering::uniformAny(Value *value) {
  if (isa<Constant>(value)) {
    return value;
  }
  return byWords(value, [&](Value *word) { return hooks.uniform(b, word); });
}

/// Is this what lanes bring to each other, or one place of memory?
static bool isExchange(mlir::Operation *op) {
  return isa<ConvertOp, tile::GatherOp, tile::ReduceOp, tile::AtomicRMWOp,
             tile::AtomicCASOp>(op);
}

void KernelLowering::makeUniform(mlir::Operation *op) {
  // Only where all lanes of the warp are.
  if (!uniform || inScalarRegion || isAlone || op->getNumRegions() > 1 ||
      isa<mlir::LoopLikeOpInterface>(op)) {
    return;
  }
  for (mlir::Value result : op->getResults()) {
    if (result.use_empty() || !uniform->isUniform(result)) {
      continue;
    }
    auto load = dyn_cast<tile::LoadOp>(op);
    const bool wasDifferent =
        llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
          return isa<mlir::RankedTensorType>(operand.getType()) &&
                 !uniform->isUniform(operand);
        });
    if (!wasDifferent && !isExchange(op) && !(load && load.getIsVolatile())) {
      continue; // as LLVM sees
    }
    if (!isa<mlir::RankedTensorType>(result.getType())) {
      scalars[result] = uniformAny(scalar(result));
      continue;
    }
    // Bits of lanes decide for each lane; as scalars they would be copied back.
    if (tile::elementType(result.getType()).isInteger(1)) {
      continue;
    }
    Registers registers = tile(result);
    for (Value *&value : registers) {
      value = uniformAny(value);
    }
    tiles[result] = std::move(registers);
  }
}

} // namespace tz::simt
