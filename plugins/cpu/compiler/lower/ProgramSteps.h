//===- ProgramSteps.h - How far programs lie apart ------------------------===//
//
// What   By how much an address grows from one program to the next along each
//        axis of the grid.
// Why    It tells what programs share, what lies side by side, and what each
//        has for itself: the order of programs and the size of what a launch
//        reads depend on that.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_PROGRAMSTEPS_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_LOWER_PROGRAMSTEPS_H

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <optional>

namespace tz::cpu {

/// By how much a value grows from one program to the next along an axis.
struct Step {
  bool known = true;
  int64_t by = 0;

  static Step unknown() { return {false, 0}; }
  bool isZero() const { return known && by == 0; }
};

using Steps = std::array<Step, 3>; ///< along each axis

class ProgramSteps {
public:
  /// Of the addresses of a load, store or atomic, in bytes.
  Steps ofAccess(mlir::Operation *op);
  const Steps &of(mlir::Value value);

private:
  Steps ofView(mlir::Value view, mlir::OperandRange offsets);
  Steps ofArgument(mlir::BlockArgument argument);
  Steps find(mlir::Value value);

  llvm::DenseMap<mlir::Value, Steps> known;
  unsigned depth = 0;
};

} // namespace tz::cpu

#endif
