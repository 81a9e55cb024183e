//===- OrderedCompares.h - comparisons that know NaN ------------*- C++ -*-===//
//
// What   See OrderedCompares.cpp.
// Why    See OrderedCompares.cpp.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_ORDEREDCOMPARES_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_ORDEREDCOMPARES_H

#include "llvm/IR/Function.h"

namespace tz::nvidia {

/// After LLVM's own passes: they do not look into the instruction.
void keepOrderedCompares(llvm::Function &function);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_ORDEREDCOMPARES_H
