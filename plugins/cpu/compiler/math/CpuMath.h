//===- CpuMath.h - Vector math and conversions without calls --------------===//
//
// What   Emits LLVM IR for the math of tile IR, on scalars and on fixed vectors
//        alike. Conversions and guarded integers: terrazzo/lowering.
// Why    LLVM turns most of these into calls of libm or compiler-rt, and an
//        object of this plugin may not have foreign symbols (decision R15);
//        what it does not turn into calls it may turn into poison (R5).
//
// All functions take values of one type T or <N x T> and emit straight-line
// code at the insertion point, which stays in its block. Long functions (sin,
// pow, ...) become calls of internal functions that are made once a module.
// Vectors should be one to four native registers wide.
// Fast-math flags of the builder are ignored. Accuracy: ulpBound().
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_MATH_CPUMATH_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_MATH_CPUMATH_H

#include "plugins/cpu/compiler/Isa.h"

#include "terrazzo/lowering/Arithmetic.h"

#include "llvm/IR/IRBuilder.h"

namespace tz::cpu::math {

enum class Fn {
  // One operand, f32 or f64.
  Exp,
  Exp2,
  Log,
  Log2,
  Sin,
  Cos,
  Tanh,
  Erf,
  Sqrt,
  Rsqrt,
  Rcp,
  Floor,
  Ceil,
  Trunc,
  Round, ///< half away from zero
  RoundEven,
  Abs,
  // Two operands.
  Div,
  Fmod,
  Pow
};

/// True if emit() has this function for elements of `element` (f32 or f64).
bool supports(Fn fn, llvm::Type *element);

/// The largest error in units of the last place that the tests allow.
double ulpBound(Fn fn, llvm::Type *element);

llvm::Value *emit(llvm::IRBuilderBase &b, const Isa &isa, Fn fn,
                  llvm::ArrayRef<llvm::Value *> args);

} // namespace tz::cpu::math

#endif
