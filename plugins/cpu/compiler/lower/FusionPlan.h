//===- FusionPlan.h - Which tiles are computed where ----------------------===//
//
// What   For every tile value of a kernel: is it recomputed inside the loop
//        nests of its consumers, or written to the arena once; and between
//        which operations of its block must it stay alive.
// Why    A tile is never a register value (decision R15). Fusing everything
//        reads memory again and again, keeping everything writes it again and
//        again; and a fused load must not pass a store (decision R6).
//
// An op that must run at its place (store, reduce, dot, loop ...) is a *root*.
// The positions of the roots that consume a value, directly or through fused
// values, decide.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_FUSIONPLAN_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_FUSIONPLAN_H

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tz::cpu {

enum class Way : uint8_t {
  Fused, ///< computed where it is needed
  Kept,  ///< written to the arena at the first demand
  Eager, ///< written to the arena at its definition
};

struct ValuePlan {
  Way way = Way::Eager;
  bool nested = false; ///< used in a region inside its block
  /// Positions in its block of the roots that consume it, rising; without
  /// roots it is dead.
  llvm::SmallVector<int, 2> roots;

  int first() const { return roots.empty() ? -1 : roots.front(); }
  int last() const { return roots.empty() ? -1 : roots.back(); }
};

/// Has one tile result whose element at an index is a function of elements of
/// its operands (and, for loads, of memory).
bool isFusable(mlir::Operation *op);
/// Fusable, and the element at an index needs the operands there only.
bool isElementwise(mlir::Operation *op);
bool accessesMemory(mlir::Operation *op);
/// May `access` reach what `writer`, or an operation inside of it, writes?
bool mayMeet(mlir::Operation *access, mlir::Operation *writer);
/// The store writes the address that the load reads, in each lane.
bool haveSameAddresses(mlir::Operation *load, mlir::Operation *store);
/// A reshape that only inserts or removes dimensions of size one.
bool isUnitReshape(mlir::Operation *op);

class FusionPlan {
public:
  explicit FusionPlan(tile::KernelOp kernel);

  const ValuePlan &of(mlir::Value value) const;
  /// Position of `op` in its block.
  int position(mlir::Operation *op) const { return positions.lookup(op); }
  /// Place of `op` in the text of the kernel.
  unsigned order(mlir::Operation *op) const { return orders.lookup(op); }

private:
  struct Cost {
    unsigned ops = 1; ///< of one element, with all operands fused
    unsigned tree = 1;
    bool memory = false;
  };
  void planBlock(mlir::Block &block);
  Cost costOf(mlir::Operation *op);
  void planValue(mlir::Value value, mlir::Operation *op);
  bool movesAcrossWrite(mlir::Operation *load, int to) const;

  llvm::DenseMap<mlir::Operation *, int> positions;
  llvm::DenseMap<mlir::Operation *, unsigned> orders;
  llvm::DenseMap<mlir::Value, ValuePlan> plans;
  llvm::DenseMap<mlir::Value, Cost> costs;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<mlir::Operation *>> writers;
};

} // namespace tz::cpu

#endif
