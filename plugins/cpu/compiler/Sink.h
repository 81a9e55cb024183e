//===- Sink.h - Cheap values beside their uses ------------------*- C++ -*-===//
//
// What   Shortens the lives of values in long kernels.
// Why    Each nest of a kernel has addresses of its own, a base and a constant
//        away. If they stand before the loop over programs, or other nests use
//        them again, they live through much of the function, and allocating
//        registers costs nests times nests.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_SINK_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_SINK_H

#include "llvm/IR/Function.h"

namespace tz::cpu {

/// Computes what costs one instruction again in each block that uses it: what
/// stands outside of all loops and has one operand that is no constant; and
/// in a loop of more than `blocksOfLong` blocks, addresses that few blocks use,
/// one of them far behind.
/// Functions with few such values are left as they are.
void sinkCheapValues(llvm::Function &function, size_t blocksOfLong);

} // namespace tz::cpu

#endif
