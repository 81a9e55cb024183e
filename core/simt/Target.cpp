//===- Target.cpp - what holds for a target that says nothing else --------===//
//
// What   Dots without an instruction: rows of four accumulators a thread,
//        operands in shared memory.
// Why    Every target has a dot for every type, if not a fast one.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/Target.h"

#include <numeric>

using namespace tz;
using namespace tz::simt;

SharedAttr tz::simt::plainShared(mlir::MLIRContext *context,
                                 llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return SharedAttr::get(context, order, shape.back(), 0, 4, 3);
}

DotChoice Target::chooseDot(tile::DotOp dot, unsigned warps) const {
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(dot.getAcc().getType());
  llvm::SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  mlir::MLIRContext *context = dot.getContext();
  return {blockedLayout({shape, 4, order, lanes(), warps}),
          plainShared(context, tile::shapeOf(dot.getA().getType())),
          plainShared(context, tile::shapeOf(dot.getB().getType())), ""};
}
