//===- Conversions.cpp - Between numbers of different types ---------------===//
//
// What   Float to float, float to integer and back, fp8 in four formats.
// Why    LLVM calls the compiler's run-time library for most narrow floats.
//        Here they are integer operations, except where the target converts
//        f16.
//
// Rounding once: a value that is narrowed in two steps is rounded to odd in the
// first (inexact results get a set last bit), which the second cannot confuse
// with a tie.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/Arithmetic.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace tz::lowering {

Type *shapedAs(Type *like, Type *element) {
  if (auto *vector = dyn_cast<FixedVectorType>(like)) {
    return FixedVectorType::get(element, vector->getNumElements());
  }
  return element;
}

namespace {

/// Operations on f32 values, scalars or vectors, without fast-math flags.
struct Ops {
  using V = Value *;

  Ops(IRBuilderBase &b, FloatUnits units, Type *like)
      : b(b), units(units), type(shapedAs(like, b.getFloatTy())),
        intType(shapedAs(like, b.getInt32Ty())), guard(b) {
    b.clearFastMathFlags();
  }
  V ci(int64_t value) const { return ConstantInt::getSigned(intType, value); }
  V add(V x, V y) const { return b.CreateFAdd(x, y); }
  V sub(V x, V y) const { return b.CreateFSub(x, y); }
  V bits(V x) const { return b.CreateBitCast(x, intType); }
  V fromBits(V x) const { return b.CreateBitCast(x, type); }

  IRBuilderBase &b;
  const FloatUnits units;
  Type *const type;
  Type *const intType;
  IRBuilderBase::FastMathFlagGuard guard;
};

/// A float format of at most 16 bits.
struct Format {
  unsigned mantissa; ///< stored bits
  int bias;
  unsigned bits;     ///< all of them
  uint32_t largest;  ///< code of the largest finite value
  uint32_t infinity; ///< code, 0 = none
  uint32_t nan;
  bool unsignedZero; ///< fnuz: one zero, one NaN
};

constexpr Format Half = {10, 15, 16, 0x7bff, 0x7c00, 0x7e00, false};

const Format &formatOf(Fp8 format) {
  static constexpr Format e4m3fn = {3, 7, 8, 0x7e, 0, 0x7f, false};
  static constexpr Format e5m2 = {2, 15, 8, 0x7b, 0x7c, 0x7e, false};
  static constexpr Format e4m3fnuz = {3, 8, 8, 0x7f, 0, 0x80, true};
  static constexpr Format e5m2fnuz = {2, 16, 8, 0x7f, 0, 0x80, true};
  switch (format) {
  case Fp8::E4M3FN:
    return e4m3fn;
  case Fp8::E5M2:
    return e5m2;
  case Fp8::E4M3FNUZ:
    return e4m3fnuz;
  case Fp8::E5M2FNUZ:
    break;
  }
  return e5m2fnuz;
}

/// Codes of f32 values as i32. `toInfinity`: what is too large becomes infinity
/// as IEEE says, instead of the largest finite value.
Value *pack(const Ops &o, Value *x, const Format &f, Rounding rounding,
            bool toInfinity) {
  IRBuilderBase &b = o.b;
  const bool nearest = rounding == Rounding::NearestEven;
  const unsigned drop = 23 - f.mantissa;
  Value *bits = o.bits(x);
  Value *a = b.CreateAnd(bits, o.ci(0x7fffffff));
  // Normal results: round in place, then move the exponent's origin.
  Value *rounded = a;
  if (nearest) {
    Value *last = b.CreateAnd(b.CreateLShr(a, drop), o.ci(1));
    rounded = b.CreateAdd(b.CreateAdd(a, o.ci((1 << (drop - 1)) - 1)), last);
  }
  const int64_t shift = int64_t{127 - f.bias} << 23;
  Value *normal = b.CreateLShr(b.CreateSub(rounded, o.ci(shift)), drop);
  // Denormal results: an addition puts the last bit at their unit.
  const int64_t magicBits = int64_t{128 - f.bias + static_cast<int>(drop)}
                            << 23;
  Value *magic = o.fromBits(o.ci(magicBits));
  Value *magnitude = o.fromBits(a);
  Value *sum = o.add(magnitude, magic);
  Value *denormal = b.CreateSub(o.bits(sum), o.ci(magicBits));
  if (!nearest) {
    Value *up = b.CreateFCmpOGT(o.sub(sum, magic), magnitude);
    denormal = b.CreateSub(denormal, b.CreateZExt(up, o.intType));
  }
  Value *isDenormal = b.CreateICmpULT(a, o.ci(int64_t{128 - f.bias} << 23));
  Value *code = b.CreateSelect(isDenormal, denormal, normal);
  Value *tooLarge = b.CreateICmpUGT(code, o.ci(f.largest));
  if (toInfinity) {
    Value *limit = o.ci(f.infinity);
    if (!nearest) {
      limit = b.CreateSelect(b.CreateICmpEQ(a, o.ci(0x7f800000)), limit,
                             o.ci(f.largest));
    }
    code = b.CreateSelect(tooLarge, limit, code);
  } else {
    code = b.CreateSelect(tooLarge, o.ci(f.largest), code);
  }
  Value *isNan = b.CreateICmpUGT(a, o.ci(0x7f800000));
  code = b.CreateSelect(isNan, o.ci(f.nan), code);
  Value *sign = b.CreateShl(b.CreateLShr(bits, 31), f.bits - 1);
  if (f.unsignedZero) {
    sign = b.CreateSelect(b.CreateICmpEQ(code, o.ci(0)), o.ci(0), sign);
  }
  return b.CreateOr(code, sign);
}

/// f32 values of codes in the low bits of i32; exact.
Value *unpack(const Ops &o, Value *code, const Format &f) {
  IRBuilderBase &b = o.b;
  const int64_t top = int64_t{1} << (f.bits - 1);
  Value *a = b.CreateAnd(code, o.ci(top - 1));
  Value *sign = b.CreateShl(b.CreateAnd(code, o.ci(top)), 32 - f.bits);
  Value *moved = b.CreateShl(a, 23 - f.mantissa);
  const int64_t origin = int64_t{127 - f.bias} << 23;
  Value *normal = b.CreateAdd(moved, o.ci(origin));
  // A denormal gets the exponent of the least normal, whose 1 is taken off.
  const int64_t least = origin + (int64_t{1} << 23);
  Value *denormal = o.bits(o.sub(o.fromBits(b.CreateAdd(moved, o.ci(least))),
                                 o.fromBits(o.ci(least))));
  Value *isDenormal = b.CreateICmpULT(a, o.ci(int64_t{1} << f.mantissa));
  Value *bits = b.CreateSelect(isDenormal, denormal, normal);
  if (f.infinity != 0) {
    Value *special = b.CreateICmpUGE(a, o.ci(f.infinity));
    // Mantissa bits stay, so that NaN stays NaN and infinity infinity.
    bits = b.CreateSelect(special, b.CreateOr(moved, o.ci(0x7f800000)), bits);
  } else if (!f.unsignedZero) {
    bits =
        b.CreateSelect(b.CreateICmpEQ(a, o.ci(f.nan)), o.ci(0x7fc00000), bits);
  }
  bits = b.CreateOr(bits, sign);
  if (f.unsignedZero) {
    bits = b.CreateSelect(b.CreateICmpEQ(code, o.ci(f.nan)), o.ci(0x7fc00000),
                          bits);
  }
  return o.fromBits(bits);
}

Value *bfloatToF32(const Ops &o, Value *x) {
  IRBuilderBase &b = o.b;
  Value *bits = b.CreateBitCast(x, shapedAs(x->getType(), b.getInt16Ty()));
  return o.fromBits(b.CreateShl(b.CreateZExt(bits, o.intType), 16));
}

Value *halfToF32(const Ops &o, Value *x) {
  IRBuilderBase &b = o.b;
  if (o.units.half) {
    return b.CreateFPExt(x, o.type);
  }
  Value *bits = b.CreateBitCast(x, shapedAs(x->getType(), b.getInt16Ty()));
  return unpack(o, b.CreateZExt(bits, o.intType), Half);
}

/// One step toward zero where the nearest value was further from it.
Value *towardZero(IRBuilderBase &b, Value *narrow, Value *back, Value *x,
                  Type *bitsType) {
  auto magnitude = [&](Value *v) {
    return b.CreateUnaryIntrinsic(Intrinsic::fabs, v);
  };
  Value *further = b.CreateFCmpOGT(magnitude(back), magnitude(x));
  return b.CreateSub(b.CreateBitCast(narrow, bitsType),
                     b.CreateZExt(further, bitsType));
}

Value *f32ToBfloat(const Ops &o, Value *x, Rounding rounding) {
  IRBuilderBase &b = o.b;
  if (o.units.bfloat && rounding == Rounding::NearestEven) {
    return b.CreateFPTrunc(x, shapedAs(x->getType(), b.getBFloatTy()));
  }
  Value *bits = o.bits(x), *sum = bits;
  if (rounding == Rounding::NearestEven) {
    Value *last = b.CreateAnd(b.CreateLShr(bits, 16), o.ci(1));
    sum = b.CreateAdd(b.CreateAdd(bits, o.ci(0x7fff)), last);
  }
  // A NaN whose payload lies in the dropped bits must not become infinity.
  Value *isNan = b.CreateFCmpUNO(x, x);
  sum = b.CreateSelect(isNan, b.CreateOr(bits, o.ci(0x400000)), sum);
  Type *i16 = shapedAs(x->getType(), b.getInt16Ty());
  return b.CreateBitCast(b.CreateTrunc(b.CreateLShr(sum, 16), i16),
                         shapedAs(x->getType(), b.getBFloatTy()));
}

Value *f32ToHalf(const Ops &o, Value *x, Rounding rounding) {
  IRBuilderBase &b = o.b;
  Type *i16 = shapedAs(x->getType(), b.getInt16Ty());
  Type *half = shapedAs(x->getType(), b.getHalfTy());
  if (!o.units.half) {
    return b.CreateBitCast(b.CreateTrunc(pack(o, x, Half, rounding, true), i16),
                           half);
  }
  Value *nearest = b.CreateFPTrunc(x, half);
  if (rounding == Rounding::NearestEven) {
    return nearest;
  }
  return b.CreateBitCast(
      towardZero(b, nearest, b.CreateFPExt(nearest, o.type), x, i16), half);
}

Value *f64ToF32(const Ops &o, Value *x, Rounding rounding) {
  IRBuilderBase &b = o.b;
  Value *nearest = b.CreateFPTrunc(x, o.type);
  if (rounding == Rounding::NearestEven) {
    return nearest;
  }
  Value *back = b.CreateFPExt(nearest, x->getType());
  return o.fromBits(towardZero(b, nearest, back, x, o.intType));
}

/// f64 to f32, inexact results with the last bit set.
Value *f64ToOddF32(const Ops &o, Value *x) {
  IRBuilderBase &b = o.b;
  Value *nearest = b.CreateFPTrunc(x, o.type);
  Value *back = b.CreateFPExt(nearest, x->getType());
  Value *bits = towardZero(b, nearest, back, x, o.intType);
  Value *inexact = b.CreateFCmpONE(back, x);
  return o.fromBits(b.CreateOr(bits, b.CreateZExt(inexact, o.intType)));
}

/// Exact for f16 and bf16, rounded to odd for f64.
Value *toF32ForNarrowing(const Ops &o, Value *x) {
  Type *element = x->getType()->getScalarType();
  return element->isHalfTy()     ? halfToF32(o, x)
         : element->isBFloatTy() ? bfloatToF32(o, x)
         : element->isDoubleTy() ? f64ToOddF32(o, x)
                                 : x;
}

} // namespace

Value *emitFpCast(IRBuilderBase &b, FloatUnits units, Value *x, Type *toElement,
                  Rounding rounding) {
  Type *from = x->getType()->getScalarType();
  if (from == toElement) {
    return x;
  }
  const Ops o(b, units, x->getType());
  if (toElement->isFloatTy() || toElement->isDoubleTy()) {
    if (from->isDoubleTy()) {
      return f64ToF32(o, x, rounding);
    }
    Value *f32 = toF32ForNarrowing(o, x);
    return toElement->isFloatTy()
               ? f32
               : b.CreateFPExt(f32, shapedAs(x->getType(), toElement));
  }
  Value *f32 = toF32ForNarrowing(o, x);
  return toElement->isHalfTy() ? f32ToHalf(o, f32, rounding)
                               : f32ToBfloat(o, f32, rounding);
}

Value *emitToFp8(IRBuilderBase &b, FloatUnits units, Value *x, Fp8 format,
                 Rounding rounding) {
  const Ops o(b, units, x->getType());
  Value *code =
      pack(o, toF32ForNarrowing(o, x), formatOf(format), rounding, false);
  return b.CreateTrunc(code, shapedAs(x->getType(), b.getInt8Ty()));
}

Value *emitFromFp8(IRBuilderBase &b, FloatUnits units, Value *x, Fp8 format,
                   Type *toElement) {
  const Ops o(b, units, x->getType());
  Value *f32 = unpack(o, b.CreateZExt(x, o.intType), formatOf(format));
  return emitFpCast(b, units, f32, toElement);
}

Value *emitFpToInt(IRBuilderBase &b, FloatUnits units, Value *x,
                   Type *toElement, bool isSigned) {
  Type *from = x->getType()->getScalarType();
  if (!from->isFloatTy() && !from->isDoubleTy()) {
    x = emitFpCast(b, units, x, b.getFloatTy());
  }
  Type *type = shapedAs(x->getType(), toElement);
  return b.CreateIntrinsic(isSigned ? Intrinsic::fptosi_sat
                                    : Intrinsic::fptoui_sat,
                           {type, x->getType()}, {x});
}

/// Numbers of so many bits and more lose their last bits, of which one, the
/// last that is kept, says whether they were 0.
static Value *keepHeld(IRBuilderBase &b, Value *a, unsigned held) {
  Type *type = a->getType();
  const unsigned bits = type->getScalarSizeInBits(),
                 rest = std::max(32u, bits) - held;
  auto c = [&](uint64_t v) { return ConstantInt::get(type, v); };
  const uint64_t low = (uint64_t{1} << rest) - 1;
  Value *lost = b.CreateICmpNE(b.CreateAnd(a, c(low)), c(0));
  Value *kept = b.CreateOr(b.CreateXor(a, b.CreateAnd(a, c(low))),
                           b.CreateShl(b.CreateZExt(lost, type), rest));
  return b.CreateSelect(b.CreateICmpUGE(a, c(uint64_t{1} << held)), kept, a);
}

/// The same of 64 bits for f32: how many are lost depends on the number, so
/// that at least 14 of its own are left.
static Value *keepForF32(IRBuilderBase &b, Value *a) {
  Type *type = a->getType();
  auto c = [&](uint64_t v) { return ConstantInt::get(type, v); };
  Value *rest = c(0);
  for (unsigned held = 24; held < 64; held += 10) {
    rest = b.CreateSelect(b.CreateICmpUGE(a, c(uint64_t{1} << held)),
                          c(held - 14), rest);
  }
  Value *low = b.CreateSub(b.CreateShl(c(1), rest), c(1));
  Value *cut = b.CreateAnd(a, low);
  Value *lost = b.CreateZExt(b.CreateICmpNE(cut, c(0)), type);
  return b.CreateOr(b.CreateXor(a, cut), b.CreateShl(lost, rest));
}

Value *emitIntToFp(IRBuilderBase &b, FloatUnits units, Value *x,
                   Type *toElement, bool isSigned) {
  auto convert = [&](Value *v, Type *element, bool asSigned) {
    Type *type = shapedAs(v->getType(), element);
    return asSigned ? b.CreateSIToFP(v, type) : b.CreateUIToFP(v, type);
  };
  if (toElement->isFloatTy() || toElement->isDoubleTy()) {
    return convert(x, toElement, isSigned);
  }
  const unsigned bits = x->getType()->getScalarSizeInBits();
  // f32 holds 16 bits exactly, and what it rounds is infinite as f16.
  if (toElement->isHalfTy() || bits <= 16) {
    return emitFpCast(b, units, convert(x, b.getFloatTy(), isSigned),
                      toElement);
  }
  // Keep what a wider float holds, with a sticky last bit.
  const bool byDouble = bits > 32 && units.doubles;
  Type *wide = byDouble ? b.getDoubleTy() : b.getFloatTy(),
       *type = x->getType();
  auto c = [&](uint64_t v) { return ConstantInt::get(type, v); };
  Value *negative = isSigned ? b.CreateICmpSLT(x, c(0)) : nullptr;
  Value *a = negative ? b.CreateSelect(negative, b.CreateNeg(x), x) : x;
  a = bits > 32 && !byDouble ? keepForF32(b, a)
                             : keepHeld(b, a, byDouble ? 53 : 24);
  Value *real = convert(a, wide, false);
  if (negative) {
    real = b.CreateSelect(negative, b.CreateFNeg(real), real);
  }
  return emitFpCast(b, units, real, toElement);
}

} // namespace tz::lowering
