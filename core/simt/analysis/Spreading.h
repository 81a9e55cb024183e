//===- Spreading.h - layouts of all tiles from those of anchors -*- C++ -*-===//
//
// What   The layout that the users of each tile see: spread from dots, then
//        from accesses, over the values that are computed with them; the rest
//        gets a plain one.
// Why    Values that meet in an operation should have one layout, so that no
//        data moves between threads.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_SPREADING_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_SPREADING_H

#include "core/simt/analysis/Anchors.h"

namespace tz::simt {

class Spreading {
public:
  Spreading(tile::KernelOp kernel, const Anchors &anchors);

  /// Each tile of the kernel has one.
  const Layout &of(mlir::Value value) const {
    return choices.find(value)->second.layout;
  }

private:
  /// Who wins where two layouts spread to one value.
  enum Priority : unsigned { Default = 1, Memory = 2, Dot = 3 };
  struct Chosen {
    Layout layout;
    Priority priority;
  };

  void give(mlir::Value value, const Layout &layout, Priority priority);
  void spread();
  void spreadFrom(mlir::Value value);
  void spreadThrough(mlir::Operation *op, mlir::Value value,
                     const Chosen &from);
  void giveToCarried(tile::KernelOp kernel);
  void chooseRest(tile::KernelOp kernel);

  const Anchors &anchors;
  llvm::DenseMap<mlir::Value, Chosen> choices;
  llvm::SmallVector<mlir::Value> work;
};

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_SPREADING_H
