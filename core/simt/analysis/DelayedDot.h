//===- DelayedDot.h - a dot that may run beside the next iteration -*- C++
//-*-===//
//
// What   The last dot of an iteration, where the next iteration may begin
//        before it: its dots, and what threads compute of them, need nothing
//        of this one.
// Why    In attention the matrix unit idles while the threads compute the
//        weights of a block of keys, and the threads while it multiplies them.
//        An iteration later the product of the weights runs beside the next
//        scores, and what is computed of these.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_DELAYEDDOT_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_DELAYEDDOT_H

#include "terrazzo/simt/SimtTarget.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SetVector.h"

namespace tz::simt {

/// The last dot of the loop's body, and how it depends on the others. An
/// iteration of the loop that is made has the dots before it, then the dot of
/// the iteration before, then what its sum goes through.
struct DelayedDot {
  DotOp dot;
  DotOp before;     // the dot behind which it will stand
  unsigned sum = 0; // of what the loop carries, the dot's
  /// What the carried sum goes through on its way to the accumulator, in order:
  /// registers alone.
  llvm::SetVector<mlir::Operation *> rescaling;
  /// Operands that this iteration computes, and the loop carries to the next.
  llvm::SmallVector<mlir::Value, 2> computed;
};

/// None where the dot cannot wait, or too little would run beside it. `isSlot`:
/// the staged tile will be a slot of a ring, and nothing else is made of its
/// load.
std::optional<DelayedDot>
findDelayedDot(mlir::scf::ForOp loop, llvm::function_ref<bool(StageOp)> isSlot,
               const SimtTarget &target);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_DELAYEDDOT_H
