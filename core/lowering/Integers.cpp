//===- Integers.cpp - Total integer operations and minimum, maximum -------===//
//
// What   Division, remainder and shifts that are defined for all operands,
//        high products, and the float minimum and maximum of the language.
// Why    LLVM's own are undefined, trap or are poison in these cases (R5), and
//        vector units have no division of integers.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/Arithmetic.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace tz::lowering {

namespace {

/// LLVM makes multiplications of a division by a constant.
bool isPlainDivisor(Value *y) {
  auto *constant = dyn_cast<Constant>(y);
  if (constant && constant->getType()->isVectorTy()) {
    constant = constant->getSplatValue();
  }
  auto *integer = dyn_cast_or_null<ConstantInt>(constant);
  return integer && !integer->isZero() && !integer->isMinusOne();
}

Value *splatOf(IRBuilderBase &b, Type *vector, Value *scalar) {
  return b.CreateVectorSplat(cast<FixedVectorType>(vector)->getNumElements(),
                             scalar);
}

/// Divides vectors of up to 32 bits in floating point. The quotient of two
/// n-bit integers is further from the next integer than 2n+1 bits round. `y` is
/// not 0, and a splat if all divisors are one.
Value *divideAsFloat(IRBuilderBase &b, Value *x, Value *y, bool isSigned) {
  Type *type = x->getType();
  bool narrow = type->getScalarSizeInBits() <= 16;
  Type *word = shapedAs(type, b.getInt32Ty());
  Type *one = narrow ? b.getFloatTy() : b.getDoubleTy();
  auto convert = [&](Value *v) {
    Type *to = shapedAs(v->getType(), one);
    return isSigned ? b.CreateSIToFP(v, to) : b.CreateUIToFP(v, to);
  };
  IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  Value *quotient;
  if (Value *same = getSplatValue(y)) {
    // One reciprocal for all lanes, which does not change in a loop. It is too
    // large by 8 units of rounding, more than the three roundings can take
    // away: a whole quotient stays whole. That is far from the next integer.
    Value *reciprocal =
        b.CreateFMul(b.CreateFDiv(ConstantFP::get(one, 1), convert(same)),
                     ConstantFP::get(one, narrow ? 1 + 0x1p-21 : 1 + 0x1p-50));
    quotient = b.CreateFMul(convert(x), splatOf(b, type, reciprocal));
  } else {
    quotient = b.CreateFDiv(convert(x), convert(y));
  }
  Value *result = isSigned || narrow ? b.CreateFPToSI(quotient, word)
                                     : b.CreateFPToUI(quotient, word);
  return b.CreateTrunc(result, type);
}

/// 1 instead of a divisor that is treated apart.
Value *safeDivisor(IRBuilderBase &b, Value *y, bool isSigned) {
  Constant *zero = Constant::getNullValue(y->getType());
  Value *unsafe = b.CreateICmpEQ(y, zero);
  if (isSigned) {
    unsafe = b.CreateOr(
        unsafe, b.CreateICmpEQ(y, Constant::getAllOnesValue(y->getType())));
  }
  return b.CreateSelect(unsafe, ConstantInt::get(y->getType(), 1), y);
}

Value *divide(IRBuilderBase &b, Value *x, Value *y, bool isSigned) {
  if (isPlainDivisor(y)) {
    return isSigned ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y);
  }
  Type *type = x->getType();
  Constant *zero = Constant::getNullValue(type);
  Value *byZero = b.CreateICmpEQ(y, zero), *byMinusOne = nullptr;
  if (isSigned) {
    byMinusOne = b.CreateICmpEQ(y, Constant::getAllOnesValue(type));
  }
  Value *same = type->isVectorTy() ? getSplatValue(y) : nullptr;
  Value *divisor = same ? splatOf(b, type, safeDivisor(b, same, isSigned))
                        : safeDivisor(b, y, isSigned);
  Value *quotient;
  if (type->isVectorTy() && type->getScalarSizeInBits() <= 32) {
    quotient = divideAsFloat(b, x, divisor, isSigned);
  } else {
    // A frozen divisor: division by poison would be undefined.
    divisor = b.CreateFreeze(divisor);
    quotient = isSigned ? b.CreateSDiv(x, divisor) : b.CreateUDiv(x, divisor);
  }
  if (byMinusOne) {
    quotient = b.CreateSelect(byMinusOne, b.CreateNeg(x), quotient);
  }
  return b.CreateSelect(byZero, zero, quotient);
}

Value *remainder(IRBuilderBase &b, Value *x, Value *y, bool isSigned) {
  if (isPlainDivisor(y)) {
    return isSigned ? b.CreateSRem(x, y) : b.CreateURem(x, y);
  }
  return b.CreateSub(x, b.CreateMul(divide(b, x, y, isSigned), y));
}

/// The amount, or 0 where it is not below the width; and whether it is.
std::pair<Value *, Value *> boundedShift(IRBuilderBase &b, Value *y) {
  Type *type = y->getType();
  Value *inside =
      b.CreateICmpULT(y, ConstantInt::get(type, type->getScalarSizeInBits()));
  return {b.CreateSelect(inside, y, Constant::getNullValue(type)), inside};
}

} // namespace

Value *emitDivS(IRBuilderBase &b, Value *x, Value *y) {
  return divide(b, x, y, true);
}

Value *emitDivU(IRBuilderBase &b, Value *x, Value *y) {
  return divide(b, x, y, false);
}

Value *emitRemS(IRBuilderBase &b, Value *x, Value *y) {
  return remainder(b, x, y, true);
}

Value *emitRemU(IRBuilderBase &b, Value *x, Value *y) {
  return remainder(b, x, y, false);
}

Value *emitShl(IRBuilderBase &b, Value *x, Value *y) {
  auto [amount, inside] = boundedShift(b, y);
  return b.CreateSelect(inside, b.CreateShl(x, amount),
                        Constant::getNullValue(x->getType()));
}

Value *emitShrU(IRBuilderBase &b, Value *x, Value *y) {
  auto [amount, inside] = boundedShift(b, y);
  return b.CreateSelect(inside, b.CreateLShr(x, amount),
                        Constant::getNullValue(x->getType()));
}

Value *emitShrS(IRBuilderBase &b, Value *x, Value *y) {
  Type *type = y->getType();
  Value *last = ConstantInt::get(type, type->getScalarSizeInBits() - 1);
  return b.CreateAShr(x, b.CreateBinaryIntrinsic(Intrinsic::umin, y, last));
}

Value *emitMulHi(IRBuilderBase &b, Value *x, Value *y, bool isSigned) {
  Type *type = x->getType();
  unsigned width = type->getScalarSizeInBits();
  Type *wide = shapedAs(type, b.getIntNTy(2 * width));
  auto extend = [&](Value *v) {
    return isSigned ? b.CreateSExt(v, wide) : b.CreateZExt(v, wide);
  };
  Value *product = b.CreateMul(extend(x), extend(y));
  return b.CreateTrunc(b.CreateLShr(product, width), type);
}

Value *emitMinMax(IRBuilderBase &b, Value *x, Value *y, bool isMax,
                  bool propagateNan) {
  IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  // One machine instruction, which answers y if either is NaN.
  Value *first = isMax ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
  Value *result = b.CreateSelect(first, x, y);
  Value *suspect = propagateNan ? x : y;
  return b.CreateSelect(b.CreateFCmpUNO(suspect, suspect), x, result);
}

} // namespace tz::lowering
