//===- LoadSlice.h - a load and what it is computed from --------*- C++ -*-===//
//
// What   Which ops move with a load that begins earlier in its block.
// Why    Passes that begin loads earlier differ in what a load goes before, not
//        in what comes with it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_PASSES_LOADSLICE_H
#define TERRAZZO_CORE_SIMT_PASSES_LOADSLICE_H

#include "terrazzo/simt/Simt.h"

#include "llvm/ADT/SetVector.h"

namespace tz::simt {

using LoadSlice = llvm::SetVector<mlir::Operation *>;

/// A load that may be done earlier than it is asked for.
bool isMovableLoad(mlir::Operation *op);

/// Registers of 32 bits that a value takes in a thread.
int64_t registersOf(mlir::Value value);

/// Adds the op and what it needs from `point` on, in order. False: it needs
/// what the threads make together, or too much.
bool addToSlice(mlir::Operation *point, mlir::Operation *op, LoadSlice &slice);

/// Gives the ops of each block in order to a `Stretch`, a new one where
/// add(op) says that the last one has ended; how many loads they have moved.
/// Blocks with dots stay as they are: accumulators leave few registers, and
/// other passes care for the loads.
template <typename Stretch>
size_t moveLoads(tile::KernelOp kernel) {
  size_t moved = 0;
  kernel.walk([&](mlir::Block *block) {
    if (!block->getOps<DotOp>().empty()) {
      return;
    }
    Stretch stretch;
    for (mlir::Operation &op : llvm::make_early_inc_range(*block)) {
      if (!stretch.add(op)) {
        moved += stretch.moved();
        stretch = {};
      }
    }
    moved += stretch.moved();
  });
  return moved;
}

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_PASSES_LOADSLICE_H
