//===- Exponential.cpp - exp, exp2, tanh, erf -----------------------------===//
//
// What   Functions whose large range is reduced by powers of two.
// Why    tanh and erf live here because their tails are exponentials.
//
// Method x = n * ln2 + r with |r| <= ln2/2, e^x = 2^n * e^r; the polynomial of
//        e^r is added to 1 last, so that its own rounding hardly counts.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/math/Coefficients.h"
#include "plugins/cpu/compiler/math/Ops.h"

using namespace llvm;

namespace tz::cpu::math {

namespace {

/// x in the range where the result is neither infinity nor 0 anyhow, so that n
/// stays small.
Value *clamped(const Ops &o, Value *x, double least, double most) {
  x = o.atMost(x, most);
  return o.scalesAtOnce() ? x : o.atLeast(x, least);
}

/// e * 2^n, and 0 where x is less than `least`. Processors take a hundred times
/// as long for a product that vanishes as for a product with 0, and masks put
/// minus infinity into most lanes of some tiles.
Value *scaledOrZero(const Ops &o, Value *e, const Ops::Rounded &n, Value *x,
                    double least) {
  Value *vanishes = o.b.CreateFCmpOLT(x, o.c(least));
  return o.scale(o.select(vanishes, o.c(0), e), n);
}

} // namespace

Value *emitExp2(const Ops &o, Value *x) {
  const double least = o.isF64 ? -1076 : -151;
  Value *near = clamped(o, x, least, o.isF64 ? 1025 : 129);
  auto n = o.roundSmall(near);
  Value *r = o.sub(near, n.real);
  Value *p = o.isF64 ? o.polynomial(r, Exp2F64) : o.polynomial(r, Exp2F32);
  return scaledOrZero(o, o.fma(r, p, o.c(1)), n, x, least + 1);
}

Value *emitExp(const Ops &o, Value *x) {
  const double least = o.isF64 ? -746 : -104;
  Value *near = clamped(o, x, least, o.isF64 ? 710 : 89);
  auto n = o.roundSmall(near, 0x1.71547652b82fep0);
  // ln2 in two parts, the first short enough that n times it is exact.
  Value *r =
      o.fma(n.real, o.c(o.isF64 ? -0x1.62e42fefa3800p-1 : -0x1.62e4p-1), near);
  r = o.fma(n.real, o.c(o.isF64 ? -0x1.ef35793c76730p-45 : -0x1.7f7d1cf8p-20),
            r);
  Value *p = o.isF64 ? o.polynomial(r, ExpF64) : o.polynomial(r, ExpF32);
  Value *e = o.add(o.fma(o.mul(r, r), p, r), o.c(1));
  return scaledOrZero(o, e, n, x, least);
}

Value *emitTanh(const Ops &o, Value *x) {
  Value *magnitude = o.abs(x);
  Value *z = o.mul(x, x);
  Value *p = o.isF64 ? o.polynomial(z, TanhF64) : o.polynomial(z, TanhF32);
  Value *small = o.fma(o.mul(magnitude, z), p, magnitude);
  // 1 - 2 / (e^2|x| + 1), which is 1 from 20 on (9.1 in f32).
  Value *clamped = o.atMost(magnitude, o.isF64 ? 20 : 10);
  Value *e = emitExp(o, o.add(clamped, clamped));
  Value *large = o.sub(o.c(1), o.div(o.c(2), o.add(e, o.c(1))));
  Value *isSmall = o.b.CreateFCmpOLT(magnitude, o.c(0.5625));
  return o.copysign(o.select(isSmall, small, large), x);
}

Value *emitErf(const Ops &o, Value *x) {
  Value *magnitude = o.abs(x);
  Value *z = o.mul(x, x);
  Value *p = o.isF64 ? o.polynomial(z, ErfF64) : o.polynomial(z, ErfF32);
  Value *small = o.fma(magnitude, p, magnitude);
  Value *clamped = o.atMost(magnitude, o.isF64 ? 6.1 : 4.0);
  Value *complement;
  if (o.isF64) {
    Value *t = o.div(o.c(2), o.add(clamped, o.c(1)));
    complement = o.mul(emitExp(o, o.neg(o.mul(clamped, clamped))),
                       o.polynomial(t, ErfTailF64));
  } else {
    complement =
        emitExp(o, o.neg(o.mul(clamped, o.polynomial(clamped, ErfTailF32))));
  }
  Value *large = o.sub(o.c(1), complement);
  Value *isSmall = o.b.CreateFCmpOLT(magnitude, o.c(o.isF64 ? 1.0 : 0.95));
  return o.copysign(o.select(isSmall, small, large), x);
}

} // namespace tz::cpu::math
