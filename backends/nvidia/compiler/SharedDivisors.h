//===- SharedDivisors.h - one reciprocal for many quotients -----*- C++ -*-===//
//
// What   See SharedDivisors.cpp.
// Why    See SharedDivisors.cpp.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_SHAREDDIVISORS_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_SHAREDDIVISORS_H

#include "llvm/IR/Function.h"

namespace tz::nvidia {

/// After LLVM's own passes: equal divisors are one value then.
void shareDivisors(llvm::Function &function);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_SHAREDDIVISORS_H
