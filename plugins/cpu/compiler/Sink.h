//===- Sink.h - Cheap values beside their uses ------------------*- C++ -*-===//
//
// What   Takes back what hoisting out of the program loop does to long kernels.
// Why    Each nest of a kernel has addresses of its own, a base and a constant
//        away. Before the loop over programs all of them live through the
//        whole function, and allocating registers costs nests times nests.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_SINK_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_SINK_H

#include "llvm/IR/Function.h"

namespace tz::cpu {

/// Computes what stands outside of all loops, costs one instruction and has one
/// operand that is no constant, again in each block that uses it. Functions
/// with few such values are left as they are.
void sinkCheapValues(llvm::Function &function);

} // namespace tz::cpu

#endif
