//===- Logarithm.cpp - log and log2 ---------------------------------------===//
//
// What   Logarithms by exponent and a polynomial of the mantissa.
// Why    The mantissa is taken around 1, so that the exponent is 0 where the
//        result is small and its relative error must be.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/math/Coefficients.h"
#include "plugins/cpu/compiler/math/Ops.h"

using namespace llvm;

namespace tz::cpu::math {

MantissaSplit splitMantissa(const Ops &o, Value *x) {
  IRBuilderBase &b = o.b;
  Value *tiny =
      b.CreateFCmpOLT(x, o.c(o.isF64 ? 0x1p-1022 : 0x1p-126)); // denormal
  Value *normal = o.select(tiny, o.mul(x, o.c(o.isF64 ? 0x1p52 : 0x1p23)), x);
  // The bits of the lower end of the mantissa's range: 2/3, or sqrt(1/2).
  Value *low = o.ci(o.isF64 ? 0x3fe6a09e667f3bcd : 0x3f2aaaab);
  Value *offset = b.CreateSub(o.bits(normal), low);
  Value *exponent = b.CreateAShr(offset, o.ci(o.mantissaBits));
  Value *fraction =
      b.CreateAnd(offset, o.ci((int64_t{1} << o.mantissaBits) - 1));
  Value *mantissa = o.fromBits(b.CreateAdd(fraction, low));
  exponent =
      b.CreateSub(exponent, o.select(tiny, o.ci(o.mantissaBits), o.ci(0)));
  return {o.smallToReal(exponent), o.sub(mantissa, o.c(1))};
}

namespace {

Value *specialCases(const Ops &o, Value *x, Value *result) {
  IRBuilderBase &b = o.b;
  result = o.select(b.CreateFCmpOEQ(x, o.inf()), x, result);
  // Negative or NaN.
  result = o.select(b.CreateFCmpULT(x, o.c(0)), o.nan(), result);
  return o.select(b.CreateFCmpOEQ(x, o.c(0)), o.neg(o.inf()), result);
}

/// f64: log(1 + f) = f - correction, by s = f / (2 + f).
Value *correctionF64(const Ops &o, Value *f, Value *lowPart) {
  Value *s = o.div(f, o.add(f, o.c(2)));
  Value *z = o.mul(s, s);
  Value *halfSquare = o.mul(o.mul(f, f), o.c(0.5));
  Value *tail = o.fma(z, o.polynomial(z, LogF64), halfSquare);
  return o.sub(halfSquare, o.fma(s, tail, lowPart));
}

} // namespace

Value *emitLog(const Ops &o, Value *x) {
  MantissaSplit m = splitMantissa(o, x);
  Value *result;
  if (o.isF64) {
    Value *low = o.mul(m.exponent, o.c(0x1.ef35793c76730p-45));
    Value *rest = o.sub(m.f, correctionF64(o, m.f, low));
    result = o.fma(m.exponent, o.c(0x1.62e42fefa3800p-1), rest);
  } else {
    Value *square = o.mul(m.f, m.f);
    Value *rest = o.fma(o.mul(square, m.f), o.polynomial(m.f, LogF32),
                        o.mul(square, o.c(-0.5)));
    rest = o.fma(m.exponent, o.c(0x1.7f7d1cf79abcap-20), rest);
    // The product with the high part of ln2 is exact.
    result = o.add(o.fma(m.exponent, o.c(0x1.62e4p-1), m.f), rest);
  }
  return specialCases(o, x, result);
}

Value *emitLog2(const Ops &o, Value *x) {
  MantissaSplit m = splitMantissa(o, x);
  Value *fraction;
  if (o.isF64) {
    Value *natural = o.sub(m.f, correctionF64(o, m.f, o.c(0)));
    fraction = o.fma(natural, o.c(0x1.71547652b82fep0),
                     o.mul(natural, o.c(0x1.777d0ffda0d24p-56)));
  } else {
    fraction = o.fma(m.f, o.polynomial(m.f, Log2F32), m.f);
  }
  return specialCases(o, x, o.add(m.exponent, fraction));
}

} // namespace tz::cpu::math
