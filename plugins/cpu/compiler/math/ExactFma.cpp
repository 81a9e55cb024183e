//===- ExactFma.cpp - x * y + z rounded once, without the instruction -----===//
//
// What   Of float: the sum in double, rounded to odd, then to float. Of double:
//        the sum of two integers of 128 bits, lane by lane.
// Why    tl.fma means one rounding on every target, for huge, tiny and
//        cancelling operands too, and formulas count on its error.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/math/Ops.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace tz::cpu::math {

Value *fmaInDouble(const Ops &o, Value *x, Value *y, Value *z) {
  IRBuilderBase &b = o.b;
  const Ops wide(b, o.isa, shapedAs(o.type, b.getDoubleTy()));
  // The product of two floats is a double. Were their sum rounded to the
  // nearest double, the second rounding could see a tie that there is not.
  // Rounded to odd, what was lost stays visible in the last bit.
  Value *product =
      wide.mul(b.CreateFPExt(x, wide.type), b.CreateFPExt(y, wide.type));
  Value *addend = b.CreateFPExt(z, wide.type);
  Value *sum = wide.add(product, addend);
  Value *part = wide.sub(sum, product);
  Value *error =
      wide.add(wide.sub(product, wide.sub(sum, part)), wide.sub(addend, part));
  Value *bits = wide.bits(sum);
  Value *isEven = b.CreateICmpEQ(b.CreateAnd(bits, wide.ci(1)), wide.ci(0));
  // Not of infinities and NaN: their error is NaN.
  Value *isInexact = b.CreateFCmpONE(error, wide.c(0));
  Value *awayFromZero =
      b.CreateICmpSGE(b.CreateXor(bits, wide.bits(error)), wide.ci(0));
  Value *odd =
      b.CreateAdd(bits, b.CreateSelect(awayFromZero, wide.ci(1), wide.ci(-1)));
  bits = b.CreateSelect(b.CreateAnd(isEven, isInexact), odd, bits);
  return b.CreateFPTrunc(wide.fromBits(bits), o.type);
}

namespace {

/// Emits the exact sum of doubles with integers.
class IntegerFma {
public:
  explicit IntegerFma(const Ops &o) : o(o), b(o.b) {}
  /// Of scalars. Finite operands, x and y not zero, z not zero.
  Value *emit(Value *x, Value *y, Value *z);

private:
  using V = Value *;
  /// (-1)^sign * mantissa * 2^exponent; the mantissa has 53 bits.
  struct Parts {
    V isNegative, mantissa, exponent;
  };
  V i64(int64_t value) const { return b.getInt64(uint64_t(value)); }
  V wide(V value) const { return b.CreateZExt(value, b.getInt128Ty()); }
  V wide(uint64_t value) const { return wide(b.getInt64(value)); }
  Parts take(V value) const;
  /// value >> count, and the last bit set if a set one was lost. count >= 0.
  V shiftSticky(V value, V count) const;
  V round(V isNegative, V magnitude, V exponent) const;

  const Ops &o;
  IRBuilderBase &b;
};

} // namespace

IntegerFma::Parts IntegerFma::take(V value) const {
  // Denormals become normal numbers first.
  V magnitude = o.abs(value);
  V isSmall = b.CreateFCmpOLT(magnitude, o.c(0x1p-1022));
  magnitude = o.select(isSmall, o.mul(magnitude, o.c(0x1p64)), magnitude);
  V bits = o.bits(magnitude);
  V mantissa = b.CreateOr(b.CreateAnd(bits, i64((int64_t{1} << 52) - 1)),
                          i64(int64_t{1} << 52));
  V exponent = b.CreateSub(b.CreateLShr(bits, 52), i64(1023 + 52));
  exponent = b.CreateSub(exponent, b.CreateSelect(isSmall, i64(64), i64(0)));
  return {b.CreateICmpSLT(o.bits(value), i64(0)), mantissa, exponent};
}

Value *IntegerFma::shiftSticky(V value, V count) const {
  V isAll = b.CreateICmpUGE(count, i64(128));
  V amount = wide(b.CreateSelect(isAll, i64(0), count));
  V kept = b.CreateLShr(value, amount);
  V lost = b.CreateICmpNE(b.CreateShl(kept, amount), value);
  kept = b.CreateSelect(isAll, wide(uint64_t{0}), kept);
  lost = b.CreateOr(
      lost, b.CreateAnd(isAll, b.CreateICmpNE(value, wide(uint64_t{0}))));
  return b.CreateOr(kept, wide(lost));
}

/// magnitude * 2^exponent, not zero, to the nearest double, ties to even.
Value *IntegerFma::round(V isNegative, V magnitude, V exponent) const {
  // To 63 bits, of which the last one is sticky.
  V zeros = b.CreateTrunc(
      b.CreateBinaryIntrinsic(Intrinsic::ctlz, magnitude, b.getFalse()),
      b.getInt64Ty());
  V top = shiftSticky(b.CreateShl(magnitude, wide(zeros)), i64(65));
  V value = b.CreateTrunc(top, b.getInt64Ty());
  exponent = b.CreateAdd(b.CreateSub(exponent, zeros), i64(65));
  // Ten bits go, or as many as lie below the last one of a denormal; of more
  // than 63 nothing is left, and 63 of them say so too.
  V dropped = b.CreateBinaryIntrinsic(Intrinsic::smax, i64(10),
                                      b.CreateSub(i64(-1074), exponent));
  V isTiny = b.CreateICmpSGT(dropped, i64(63));
  dropped = b.CreateBinaryIntrinsic(Intrinsic::smin, dropped, i64(63));
  V kept = b.CreateLShr(value, dropped);
  V rest = b.CreateSub(value, b.CreateShl(kept, dropped));
  V half = b.CreateShl(i64(1), b.CreateSub(dropped, i64(1)));
  V isOdd = b.CreateTrunc(kept, b.getInt1Ty());
  V goesUp = b.CreateOr(b.CreateICmpUGT(rest, half),
                        b.CreateAnd(b.CreateICmpEQ(rest, half), isOdd));
  kept = b.CreateAdd(kept, b.CreateZExt(goesUp, b.getInt64Ty()));
  kept = b.CreateSelect(isTiny, i64(0), kept);
  // The leading bit of a normal number counts one up in the exponent's field.
  V field = b.CreateBinaryIntrinsic(Intrinsic::smax, i64(0),
                                    b.CreateAdd(exponent, i64(1084)));
  V isHuge = b.CreateICmpSGE(field, i64(2046));
  V bits = b.CreateAdd(kept, b.CreateShl(field, 52));
  bits = b.CreateSelect(isHuge, i64(int64_t{2047} << 52), bits);
  bits = b.CreateOr(bits, b.CreateSelect(isNegative, i64(INT64_MIN), i64(0)));
  return o.fromBits(bits);
}

Value *IntegerFma::emit(V x, V y, V z) {
  const Parts px = take(x), py = take(y), pz = take(z);
  // The product has 105 or 106 bits; 20 more leave one for the sum's carry.
  V product = b.CreateShl(b.CreateMul(wide(px.mantissa), wide(py.mantissa)),
                          wide(uint64_t{20}));
  V exponent = b.CreateSub(b.CreateAdd(px.exponent, py.exponent), i64(20));
  V isNegative = b.CreateXor(px.isNegative, py.isNegative);
  // The addend goes up by at most 73 bits, to 126; then the product goes down.
  V distance = b.CreateSub(pz.exponent, exponent);
  auto clamped = [&](V value, int64_t limit) {
    value = b.CreateBinaryIntrinsic(Intrinsic::smax, value, i64(0));
    return limit ? b.CreateBinaryIntrinsic(Intrinsic::smin, value, i64(limit))
                 : value;
  };
  V up = clamped(distance, 73), down = clamped(b.CreateNeg(distance), 0),
    productDown = clamped(b.CreateSub(distance, i64(73)), 0);
  V addend = shiftSticky(b.CreateShl(wide(pz.mantissa), wide(up)), down);
  product = shiftSticky(product, productDown);
  exponent = b.CreateAdd(exponent, productDown);
  V differ = b.CreateXor(isNegative, pz.isNegative);
  V isLess = b.CreateICmpULT(product, addend);
  V larger = b.CreateSelect(isLess, addend, product),
    smaller = b.CreateSelect(isLess, product, addend);
  V sum = b.CreateSelect(differ, b.CreateSub(larger, smaller),
                         b.CreateAdd(larger, smaller));
  isNegative = b.CreateSelect(isLess, pz.isNegative, isNegative);
  V isZero = b.CreateICmpEQ(sum, wide(uint64_t{0}));
  V rounded = round(isNegative, b.CreateSelect(isZero, wide(uint64_t{1}), sum),
                    exponent);
  return o.select(isZero, o.c(0), rounded);
}

Value *fmaInIntegers(const Ops &o, Value *x, Value *y, Value *z) {
  IRBuilderBase &b = o.b;
  const Ops scalar(b, o.isa, b.getDoubleTy());
  auto one = [&](Value *x, Value *y, Value *z) {
    Value *exact = IntegerFma(scalar).emit(x, y, z);
    Value *product = scalar.mul(x, y);
    auto isZero = [&](Value *v) { return b.CreateFCmpOEQ(v, scalar.c(0)); };
    auto isFinite = [&](Value *v) {
      return b.CreateFCmpOLT(scalar.abs(v), scalar.inf());
    };
    // A product alone has a rounding of its own; one that is zero exactly has
    // none; nor have infinities and NaN, beside which a finite product, even
    // one that overflows, counts for nothing.
    Value *isProduct = b.CreateAnd(isFinite(x), isFinite(y));
    Value *isPlain =
        b.CreateOr(b.CreateOr(isZero(x), isZero(y)), b.CreateNot(isProduct));
    Value *result = scalar.select(isZero(z), product, exact);
    result = scalar.select(isPlain, scalar.add(product, z), result);
    return scalar.select(b.CreateAnd(isProduct, b.CreateNot(isFinite(z))), z,
                         result);
  };
  if (!o.type->isVectorTy()) {
    return one(x, y, z);
  }
  Value *result = PoisonValue::get(o.type);
  for (unsigned lane = 0; lane < laneCount(o.type); ++lane) {
    auto at = [&](Value *v) { return b.CreateExtractElement(v, lane); };
    result = b.CreateInsertElement(result, one(at(x), at(y), at(z)), lane);
  }
  return result;
}

} // namespace tz::cpu::math
