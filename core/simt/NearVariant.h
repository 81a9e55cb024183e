//===- NearVariant.h - a kernel for short steps of views --------*- C++ -*-===//
//
// What   assumeNear(): says in the kernel that the arguments which are steps of
//        its views are short, and gives the condition for the launch plan.
// Why    Whether blocks lie within SimtMachine::nearBytes depends on strides,
//        which a launch knows. They nearly always do.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_NEARVARIANT_H
#define TERRAZZO_CORE_SIMT_NEARVARIANT_H

#include "terrazzo/ir/Tile.h"
#include "terrazzo/plugin/Artifact.h"

namespace tz::simt {

struct ShortSteps {
  mlir::BlockArgument argument;
  int64_t end; ///< from 0 to below this
};

/// The arguments of which it depends whether accesses under masks have near
/// places; none: nothing depends on arguments, or on something else as well.
llvm::SmallVector<ShortSteps> stepsToShorten(tile::KernelOp kernel,
                                             int64_t nearBytes);

/// In a kernel with the same arguments.
void assumeNear(tile::KernelOp kernel, llvm::ArrayRef<ShortSteps> steps);
tz::plugin::Expr areNear(llvm::ArrayRef<ShortSteps> steps);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_NEARVARIANT_H
