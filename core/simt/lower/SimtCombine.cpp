//===- SimtCombine.cpp - regions of scalars, and maps ---------------------===//
//
// What   What the region of a reduction, scan or map yields for the scalars of
//        one thread.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

using namespace llvm;

namespace tz::simt {

/// What the region yields for these scalars.
Registers KernelLowering::evaluate(mlir::Region &region,
                                   ArrayRef<Value *> arguments) {
  mlir::Block &body = region.front();
  for (auto [argument, value] :
       llvm::zip_equal(body.getArguments(), arguments)) {
    scalars[argument] = value;
  }
  const bool outer = inScalarRegion;
  inScalarRegion = true;
  // What the op around it accesses goes on behind this.
  const uint64_t seen = accessesSeen;
  Instruction *const last = lastAccess;
  emitBlock(body);
  accessesSeen = seen;
  lastAccess = last;
  inScalarRegion = outer;
  Registers results;
  for (mlir::Value value : body.getTerminator()->getOperands()) {
    results.push_back(scalar(value));
  }
  return results;
}

Registers KernelLowering::combineValues(mlir::Region &region,
                                        ArrayRef<Value *> first,
                                        ArrayRef<Value *> second) {
  SmallVector<Value *> arguments(first);
  llvm::append_range(arguments, second);
  return evaluate(region, arguments);
}

void KernelLowering::map(tile::MapOp op) {
  const int64_t count = layoutOf(op.getResults().front()).size(Axis::Register);
  SmallVector<Registers> results(op.getNumResults());
  for (unsigned reg = 0; reg < count; ++reg) {
    Registers arguments;
    for (mlir::Value source : op.getSources()) {
      arguments.push_back(tile(source)[reg]);
    }
    for (auto [i, value] : llvm::enumerate(evaluate(op.getBody(), arguments))) {
      results[i].push_back(value);
    }
  }
  for (auto [result, registers] : llvm::zip_equal(op.getResults(), results)) {
    define(result, std::move(registers));
  }
}

} // namespace tz::simt
