//===- Math.h - Vector math and conversions without calls -----------------===//
//
// What   Emits LLVM IR for the math of tile IR and for its conversions and
//        guarded integer operations, on scalars and on fixed vectors alike.
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
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_MATH_MATH_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_MATH_MATH_H

#include "plugins/cpu/compiler/Isa.h"

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

//===--- Integers (P6, P7) -----------------------------------------------===//

/// Division and remainder that never trap and are never undefined: x/0 = 0,
/// x%0 = x, MIN/-1 = MIN, MIN%-1 = 0.
llvm::Value *emitDivS(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y);
llvm::Value *emitDivU(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y);
llvm::Value *emitRemS(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y);
llvm::Value *emitRemU(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y);
/// Shifts; an amount that is not below the width gives 0, or the sign for ShrS.
/// The amount counts as unsigned.
llvm::Value *emitShl(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y);
llvm::Value *emitShrU(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y);
llvm::Value *emitShrS(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y);
/// High half of the product.
llvm::Value *emitMulHi(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y,
                       bool isSigned);

//===--- Minimum and maximum (P14) ---------------------------------------===//

/// Floats. With `propagateNan` a NaN operand gives NaN; else the other operand.
llvm::Value *emitMinMax(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y,
                        bool isMax, bool propagateNan);

//===--- Conversions (P15, P16) ------------------------------------------===//

/// Float to integer, saturating; NaN gives 0. `x` is f16, bf16, f32 or f64.
llvm::Value *emitFpToInt(llvm::IRBuilderBase &b, const Isa &isa, llvm::Value *x,
                         llvm::Type *toElement, bool isSigned);

/// Integer to float, correctly rounded, to f16, bf16, f32 or f64.
llvm::Value *emitIntToFp(llvm::IRBuilderBase &b, const Isa &isa, llvm::Value *x,
                         llvm::Type *toElement, bool isSigned);

/// fp8 formats; their values are i8.
enum class Fp8 { E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ };

enum class Rounding { NearestEven, TowardZero };

/// Between f16, bf16, f32 and f64, in any direction, rounded once.
llvm::Value *emitFpCast(llvm::IRBuilderBase &b, const Isa &isa, llvm::Value *x,
                        llvm::Type *toElement,
                        Rounding rounding = Rounding::NearestEven);

/// From f16, bf16, f32 or f64; saturates to the largest finite value, NaN stays
/// NaN. Result: i8 or <N x i8>.
llvm::Value *emitToFp8(llvm::IRBuilderBase &b, const Isa &isa, llvm::Value *x,
                       Fp8 format, Rounding rounding = Rounding::NearestEven);
/// Exact. `toElement` is f16, bf16, f32 or f64; all fp8 values fit in f16 and
/// bf16 except those below their smallest denormals, which do not exist.
llvm::Value *emitFromFp8(llvm::IRBuilderBase &b, const Isa &isa, llvm::Value *x,
                         Fp8 format, llvm::Type *toElement);

} // namespace tz::cpu::math

#endif
