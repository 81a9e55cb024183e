//===- Vectors.h - how much a thread accesses at once -----------*- C++ -*-===//
//
// What   Elements of device memory that one instruction of a thread loads or
//        stores, from layout, alignment, mask and bounds.
// Why    The lowering and the passes that decide about accesses must agree.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_VECTORS_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_VECTORS_H

#include "terrazzo/simt/Contiguity.h"
#include "terrazzo/simt/Simt.h"

namespace tz::simt {

/// `count` elements beside each other along `dim`: a power of two.
struct VectorAccess {
  unsigned dim = 0;
  int64_t count = 1;
};

/// Bytes of the widest access.
inline constexpr int64_t WidestAccess = 16;

/// Through a tile of pointers; the mask, if any, is constant over each vector.
VectorAccess vectorOfPointers(const Contiguity &runs, mlir::Value pointer,
                              mlir::Value mask, const Layout &layout);

/// Of a block of a view; its bounds lie between vectors.
VectorAccess vectorOfView(const Contiguity &runs, mlir::Value view,
                          mlir::ValueRange offsets,
                          llvm::ArrayRef<bool> checked, const Layout &layout);

/// Elements of a buffer that a thread accesses at once.
unsigned vectorOfBuffer(BufferType type, const Layout &layout);

/// Of a load, where a vector may end within the bounds of its view.
VectorAccess vectorOfLoad(const Contiguity &runs, mlir::Operation *load,
                          const Layout &layout);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_VECTORS_H
