//===- GuardedShifts.h - shifts by wide amounts -----------------*- C++ -*-===//
//
// What   See GuardedShifts.cpp.
// Why    See GuardedShifts.cpp.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_GUARDEDSHIFTS_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_GUARDEDSHIFTS_H

#include "llvm/IR/Function.h"

namespace tz::nvidia {

/// After LLVM's own passes, which would undo it.
void narrowGuardedShifts(llvm::Function &function);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_GUARDEDSHIFTS_H
