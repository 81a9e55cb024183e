//===- SimtTarget.cpp - what holds for a target that says nothing else ----===//
//
// What   Dots without an instruction: rows of four accumulators a thread,
//        operands in shared memory; what dots with one are made of.
// Why    Every target has a dot for every type, if not a fast one.
//===----------------------------------------------------------------------===//
#include "terrazzo/simt/SimtTarget.h"

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

CopyRequest tz::simt::copyRequest(mlir::scf::ForOp loop) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  auto number = [](mlir::Operation *op, llvm::StringRef name,
                   unsigned otherwise) {
    auto attribute = op->getAttrOfType<mlir::IntegerAttr>(name);
    return attribute ? unsigned(attribute.getInt()) : otherwise;
  };
  return {number(kernel, "tile.num_warps", 4),
          number(loop, "tile.num_stages", number(kernel, "tile.num_stages", 3)),
          loop->hasAttr("tile.warp_specialize"), clusterBlocks(kernel) > 1};
}

unsigned tz::simt::copyWarpsOf(mlir::scf::ForOp loop,
                               const SimtTarget &target) {
  return splitBlocks(loop->getParentOfType<tile::KernelOp>()) > 1
             ? 0
             : target.copyWarps(copyRequest(loop));
}

DotChoice SimtTarget::chooseDot(const DotRequest &request) const {
  tile::DotOp dot = request.dot;
  llvm::ArrayRef<int64_t> shape = tile::shapeOf(dot.getAcc().getType());
  llvm::SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  mlir::MLIRContext *context = dot.getContext();
  return {blockedLayout({shape, 4, order, lanes(), request.warps}),
          plainShared(context, tile::shapeOf(dot.getA().getType())),
          plainShared(context, tile::shapeOf(dot.getB().getType())), ""};
}

bool SimtTarget::canCopyAsync(mlir::Operation *load, const Contiguity &runs,
                              const Layout &layout, BufferType to) const {
  if (asyncCopyBytes() == 0) {
    return false;
  }
  // A copy may end within a vector: bounds do not count.
  const VectorAccess access = vectorOfLoad(runs, load, layout, vectorBytes());
  const int64_t count = access.dim == to.getLayout().getOrder()[0]
                            ? std::min(access.count, to.getRun())
                            : 1;
  return count * tile::storageBytes(to.getElementType()) >=
         int64_t(asyncCopyBytes());
}

SharedAttr tz::simt::swizzledShared(mlir::MLIRContext *context,
                                    llvm::ArrayRef<unsigned> order,
                                    int64_t unit, int64_t elementBytes) {
  unsigned bits = 3;
  while (bits > 0 && unit * elementBytes % (16 << bits) != 0) {
    --bits;
  }
  return SharedAttr::get(context, order, (16 << bits) / elementBytes, bits, 4,
                         3);
}

SharedAttr tz::simt::paddedShared(mlir::MLIRContext *context,
                                  llvm::ArrayRef<unsigned> order, int64_t unit,
                                  int64_t elementBytes) {
  const int64_t panel = unit & -unit;
  return SharedAttr::get(context, order, panel, 0, 4, 3, 16,
                         std::max<int64_t>(128, panel * elementBytes));
}

SharedAttr SimtTarget::sharedRows(mlir::MLIRContext *context,
                                  llvm::ArrayRef<unsigned> order, int64_t unit,
                                  int64_t elementBytes) const {
  return swizzledShared(context, order, unit, elementBytes);
}

Layout tz::simt::tiledLayout(const Tiling &tiling) {
  Layout layout = tiling.atom;
  const unsigned rank = layout.rank(), rows = rank - 2, columns = rank - 1;
  auto left = [&](unsigned dim) {
    return tiling.shape[dim] / layout.shape()[dim];
  };
  const int64_t parties =
      tiling.warps / std::max<int64_t>(1, layout.size(Axis::Warp));
  layout.repeat(Axis::Register, columns, left(columns) / tiling.across);
  layout.repeat(Axis::Warp, rows, tiling.down);
  layout.repeat(Axis::Warp, columns, tiling.across);
  layout.repeat(Axis::Warp, std::nullopt,
                parties / (tiling.down * tiling.across));
  for (unsigned dim = rank - 1; dim-- > 0;) {
    layout.repeat(Axis::Register, dim, left(dim));
  }
  return layout;
}
