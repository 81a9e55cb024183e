//===- Target.cpp - what holds for a target that says nothing else --------===//
//
// What   Dots without an instruction: rows of four accumulators a thread,
//        operands in shared memory.
// Why    Every target has a dot for every type, if not a fast one.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/Target.h"

#include "core/simt/analysis/Vectors.h"

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

bool Target::canCopyAsync(mlir::Operation *load, const Contiguity &runs,
                          const Layout &layout, BufferType to) const {
  if (asyncCopyBytes() == 0) {
    return false;
  }
  VectorAccess access;
  if (auto view = mlir::dyn_cast<tile::LoadViewOp>(load)) {
    access = vectorOfView(runs, view.getView(), view.getOffsets(),
                          view.getChecked(), layout);
  } else {
    auto pointers = mlir::cast<tile::LoadOp>(load);
    access = vectorOfPointers(runs, pointers.getPointer(), pointers.getMask(),
                              layout);
  }
  const SharedAttr shared = to.getLayout();
  const int64_t run = shared.getPanel() & -shared.getPanel();
  const int64_t count =
      access.dim == shared.getOrder()[0] ? std::min(access.count, run) : 1;
  return count * tile::storageBytes(to.getElementType()) >=
         int64_t(asyncCopyBytes());
}
