//===- UniformValues.h - what is equal in all lanes of a warp ---*- C++ -*-===//
//
// What   Of each tile, along each dimension, how many elements beside each
// other
//        are equal, whatever their type; with a layout, whether the lanes of a
//        warp hold the same in each register.
// Why    Some machines have registers and loads of a whole warp beside those of
//        its lanes. LLVM finds what is computed from arguments and program ids
//        alone. It cannot see through shared memory, exchanges between lanes and
//        coordinates that the layout makes equal.
//
// Scalars of the kernel are the same in all threads; within the regions of
// reductions and the like they are not, and nothing is said of them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_UNIFORMVALUES_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_UNIFORMVALUES_H

#include "terrazzo/simt/Contiguity.h"
#include "terrazzo/simt/Simt.h"

namespace tz::simt {

class UniformValues {
public:
  /// `runs` is of the kernel, and is read here alone.
  UniformValues(tile::KernelOp kernel, const Contiguity &runs);

  /// Equal elements beside each other along each dimension: powers of two,
  /// from each multiple of them on; AllEqual: along the whole dimension.
  using Equal = llvm::SmallVector<int64_t, 4>;
  static constexpr int64_t AllEqual = int64_t{1} << 62;
  /// Of a tile.
  Equal equalAlong(mlir::Value tile) const;
  /// Do all lanes of each warp hold the same: of a scalar of the kernel, of
  /// each register of a tile with a layout?
  bool isUniform(mlir::Value value) const;
  /// Has a load one address and one predicate in all lanes of each warp? Not of
  /// volatile ones: lanes may see different values.
  bool isUniformLoad(tile::LoadOp load) const;

private:
  void visit(mlir::Operation *op);
  Equal evaluate(mlir::Operation *op, mlir::Type type) const;
  Equal common(mlir::ValueRange tiles, mlir::Type type) const;
  void set(mlir::Value value, const Equal &equal);

  const Contiguity &runs;
  llvm::DenseMap<mlir::Value, Equal> known;
  bool hasChanged = false;
};

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_UNIFORMVALUES_H
