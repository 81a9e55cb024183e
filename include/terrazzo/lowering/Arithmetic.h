//===- Arithmetic.h - total arithmetic as LLVM IR -------------------------===//
//
// What   Emits the integer operations, minima and maxima and conversions of
//        tile IR, on scalars and on fixed vectors alike.
// Why    They are defined for every operand; LLVM's own trap, are undefined or
//        poison for some, or become calls (R5). No vendor should have to write
//        the selects.
//
// All functions take values of one type T or <N x T> and emit straight-line
// code at the insertion point, which stays in its block. Fast-math flags of the
// builder are ignored.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_LOWERING_ARITHMETIC_H
#define TERRAZZO_LOWERING_ARITHMETIC_H

#include "llvm/IR/IRBuilder.h"

namespace tz::lowering {

/// What the target's instructions do; the rest becomes other operations.
struct FloatUnits {
  bool half = false;             ///< f16 from and to f32
  bool bfloat = false;           ///< f32 to bf16, to nearest even
  bool halfArithmetic = false;   ///< + - x, fma of f16
  bool bfloatArithmetic = false; ///< + - x, fma of bf16
  bool doubles = true;           ///< f64: else no conversion goes by way of it
};

/// fp8 formats; their values are i8.
enum class Fp8 { E4M3FN, E5M2, E4M3FNUZ, E5M2FNUZ };

enum class Rounding { NearestEven, TowardZero };

/// `element`, or a vector of it with the lanes of `like`.
llvm::Type *shapedAs(llvm::Type *like, llvm::Type *element);

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
llvm::Value *emitFpToInt(llvm::IRBuilderBase &b, FloatUnits units,
                         llvm::Value *x, llvm::Type *toElement, bool isSigned);

/// Integer to float, correctly rounded, to f16, bf16, f32 or f64.
llvm::Value *emitIntToFp(llvm::IRBuilderBase &b, FloatUnits units,
                         llvm::Value *x, llvm::Type *toElement, bool isSigned);

/// Between f16, bf16, f32 and f64, in any direction, rounded once.
llvm::Value *emitFpCast(llvm::IRBuilderBase &b, FloatUnits units,
                        llvm::Value *x, llvm::Type *toElement,
                        Rounding rounding = Rounding::NearestEven);

/// From f16, bf16, f32 or f64; saturates to the largest finite value, NaN stays
/// NaN. Result: i8 or <N x i8>.
llvm::Value *emitToFp8(llvm::IRBuilderBase &b, FloatUnits units, llvm::Value *x,
                       Fp8 format, Rounding rounding = Rounding::NearestEven);
/// Exact. `toElement` is f16, bf16, f32 or f64; all fp8 values fit in f16 and
/// bf16 except those below their smallest denormals, which do not exist.
llvm::Value *emitFromFp8(llvm::IRBuilderBase &b, FloatUnits units,
                         llvm::Value *x, Fp8 format, llvm::Type *toElement);

} // namespace tz::lowering

#endif // TERRAZZO_LOWERING_ARITHMETIC_H
