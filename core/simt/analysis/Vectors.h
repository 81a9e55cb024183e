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

// `widest`: bytes of the widest access (SimtMachine::vectorBytes).

/// Through a tile of pointers; the mask, if any, is constant over each vector.
VectorAccess vectorOfPointers(const Contiguity &runs, mlir::Value pointer,
                              mlir::Value mask, const Layout &layout,
                              int64_t widest);

/// Does the mask hold for some elements of nearly every run of so many along
/// `dim`: for every third column, say? A bound cuts one vector of a row.
bool cutsMostVectors(const Contiguity &runs, mlir::Value mask, unsigned dim,
                     int64_t count);

/// Of a block of a view; its bounds lie between vectors.
VectorAccess vectorOfView(const Contiguity &runs, mlir::Value view,
                          mlir::ValueRange offsets,
                          llvm::ArrayRef<bool> checked, const Layout &layout,
                          int64_t widest);

/// Where a dimension of a view ends lies between aligned runs of so many
/// elements of the block; and where the block begins, if nothing is checked.
int64_t betweenBounds(const Contiguity &runs, mlir::Value view,
                      mlir::ValueRange offsets, unsigned dim, bool isChecked);

/// The register of a thread that holds the first element of the aligned run in
/// which a register's element lies, as far as registers lead there: what is
/// asked of each element of the run is asked of that one. `runs`: elements, of
/// each dimension.
unsigned firstOfRun(const Layout &layout, unsigned reg,
                    llvm::ArrayRef<int64_t> runs);

/// Elements of a buffer that a thread accesses at once.
unsigned vectorOfBuffer(BufferType type, const Layout &layout, int64_t widest);

/// Of a load, where a vector may end within the bounds of its view.
VectorAccess vectorOfLoad(const Contiguity &runs, mlir::Operation *load,
                          const Layout &layout, int64_t widest);

/// Elements of so many bytes in the widest access; at least one.
inline int64_t mostOfVector(int64_t widest, int64_t elementBytes) {
  return std::max<int64_t>(1, widest / elementBytes);
}

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_VECTORS_H
