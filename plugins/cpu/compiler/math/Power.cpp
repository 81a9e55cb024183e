//===- Power.cpp - pow and fmod -------------------------------------------===//
//
// What   Functions of two operands that need more than one step.
// Why    fmod is exact for all arguments, so it is a loop; pow needs a
//        logarithm of more bits than its own type has.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/math/Coefficients.h"
#include "plugins/cpu/compiler/math/Ops.h"

using namespace llvm;

namespace tz::cpu::math {

namespace {

/// In f64, for |x| and |y|; both operands are finite and y > 0 in the lanes
/// that matter. The remainder of a quotient is exact in a fused operation, so
/// each iteration takes 53 bits off the quotient without any error.
Value *fmodLoop(const Ops &o, Value *x, Value *y) {
  IRBuilderBase &b = o.b;
  BasicBlock *before = b.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *loop = BasicBlock::Create(b.getContext(), "step", function);
  BasicBlock *done = BasicBlock::Create(b.getContext(), "done", function);
  // r is |x| up to multiples of y, of either sign.
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *r = b.CreatePHI(o.type, 2);
  r->addIncoming(x, before);
  Value *quotient = o.div(r, y);
  // An infinite quotient: take off a multiple of y that is large enough first,
  // 2^1000 y or 2^2000 y. Both stay below r, or the quotient were finite.
  Value *divisor = y;
  for (unsigned turn = 0; turn < 2; ++turn) {
    Value *tooFar = b.CreateFCmpOEQ(o.abs(quotient), o.inf());
    Value *larger = o.mul(o.mul(divisor, o.c(0x1p500)), o.c(0x1p500));
    divisor = o.select(tooFar, larger, divisor);
    quotient = o.select(tooFar, o.div(r, divisor), quotient);
  }
  quotient = o.trunc(quotient);
  Value *next = o.fma(o.neg(quotient), divisor, r);
  Value *active = b.CreateFCmpOGE(o.abs(r), y);
  next = o.select(active, next, r);
  r->addIncoming(next, loop);
  Value *again = o.any(b.CreateFCmpOGE(o.abs(next), y));
  b.CreateCondBr(again, loop, done);
  b.SetInsertPoint(done);
  return o.select(b.CreateFCmpOLT(next, o.c(0)), o.add(next, y), next);
}

Value *fmodBody(IRBuilder<> &b, const Isa &isa, Value *x, Value *y) {
  Type *type = x->getType();
  Type *wide = shapedAs(type, b.getDoubleTy());
  Ops o(b, isa, type), w(b, isa, wide);
  Value *ax = o.abs(x), *ay = o.abs(y);
  Value *finite = b.CreateFCmpOLT(ax, o.inf());
  // y infinite gives x; y = 0, x infinite or a NaN gives NaN.
  Value *yGood =
      b.CreateAnd(b.CreateFCmpOGT(ay, o.c(0)), b.CreateFCmpOLT(ay, o.inf()));
  Value *good = b.CreateAnd(finite, yGood);
  Value *safeX = o.select(good, ax, o.c(0));
  Value *safeY = o.select(good, ay, o.c(1));
  Value *r =
      fmodLoop(w, b.CreateFPCast(safeX, wide), b.CreateFPCast(safeY, wide));
  Value *result = o.copysign(b.CreateFPCast(r, type), x);
  Value *yInfinite = b.CreateAnd(finite, b.CreateFCmpOEQ(ay, o.inf()));
  result = o.select(yInfinite, x, result);
  return o.select(b.CreateOr(good, yInfinite), result, o.nan());
}

/// f32 through f64: log2 carries 53 bits, of which the exponent takes eight.
Value *powerThroughF64(const Ops &o, Value *ax, Value *y) {
  Ops w(o.b, o.isa, shapedAs(o.type, o.b.getDoubleTy()));
  Value *logarithm = emitLog2(w, o.b.CreateFPExt(ax, w.type));
  Value *power = emitExp2(w, w.mul(logarithm, o.b.CreateFPExt(y, w.type)));
  return o.b.CreateFPTrunc(power, o.type);
}

/// An unevaluated sum; low is below half a unit in the last place of high.
struct Pair {
  Value *high, *low;
};

/// For |x| >= |y|.
Pair fastSum(const Ops &o, Value *x, Value *y) {
  Value *high = o.add(x, y);
  return {high, o.sub(y, o.sub(high, x))};
}

Pair product(const Ops &o, Pair x, Pair y) {
  Value *high = o.mul(x.high, y.high);
  Value *low = o.fma(x.high, y.high, o.neg(high));
  low = o.add(low, o.fma(x.high, y.low, o.mul(x.low, y.high)));
  return fastSum(o, high, low);
}

/// log2(1 + f) to about 64 bits: 2 s + c0 s^3 as pairs, the rest is small.
Pair log2Pair(const Ops &o, Value *f) {
  Pair divisor = fastSum(o, o.c(2), f);
  Value *s = o.div(f, divisor.high);
  Value *rest = o.fma(o.neg(s), divisor.high, f);
  rest = o.sub(rest, o.mul(s, divisor.low));
  Pair ratio = fastSum(o, s, o.div(rest, divisor.high));
  Pair square = product(o, ratio, ratio);
  Pair cube = product(o, square, ratio);
  const ArrayRef<double> all(LogF64);
  Pair lead = product(o, cube, {o.c(all[0]), o.c(0)});
  Value *tail = o.mul(o.mul(cube.high, square.high),
                      o.polynomial(square.high, all.drop_front()));
  Pair sum = fastSum(o, o.mul(ratio.high, o.c(2)), lead.high);
  Value *low =
      o.add(o.add(o.mul(ratio.low, o.c(2)), lead.low), o.add(sum.low, tail));
  return product(o, fastSum(o, sum.high, low),
                 {o.c(0x1.71547652b82fep0), o.c(0x1.777d0ffda0d24p-56)});
}

/// f64 with a logarithm of two words: its error is multiplied by up to 1074.
Value *powerF64(const Ops &o, Value *ax, Value *y) {
  IRBuilderBase &b = o.b;
  MantissaSplit m = splitMantissa(o, ax);
  Pair fraction = log2Pair(o, m.f);
  // The exponent is 0 or the larger one of the two.
  Pair sum = fastSum(o, m.exponent, fraction.high);
  Pair log = fastSum(o, sum.high, o.add(sum.low, fraction.low));
  Value *special =
      b.CreateOr(b.CreateFCmpOEQ(ax, o.c(0)), b.CreateFCmpUEQ(ax, o.inf()));
  // Zero, infinity and NaN: the plain logarithm has the right value.
  Value *plain = o.select(b.CreateFCmpOEQ(ax, o.c(0)), o.neg(o.inf()), ax);
  log.high = o.select(special, plain, log.high);
  log.low = o.select(special, o.c(0), log.low);
  Value *high = o.mul(y, log.high);
  Value *low = o.fma(y, log.high, o.neg(high));
  low = o.fma(y, log.low, low);
  // Far outside, and where the low part is no number, only the high one counts.
  Value *usual = b.CreateFCmpOLT(o.abs(high), o.c(1100));
  low = o.select(usual, low, o.c(0));
  high = o.atLeast(o.atMost(high, 1100), -1100);
  auto n = o.roundSmall(high);
  Value *r = o.add(o.sub(high, n.real), low);
  Value *p = o.fma(r, o.polynomial(r, Exp2F64), o.c(1));
  return o.scale(p, n.integer);
}

Value *powBody(IRBuilder<> &b, const Isa &isa, Value *x, Value *y) {
  Ops o(b, isa, x->getType());
  Value *ax = o.abs(x);
  Value *result = o.isF64 ? powerF64(o, ax, y) : powerThroughF64(o, ax, y);
  // 1 to any power, also where 0 * infinity made a NaN.
  Value *yOrdered = b.CreateFCmpORD(y, y);
  Value *axIsOne = b.CreateFCmpOEQ(ax, o.c(1));
  result = o.select(b.CreateAnd(axIsOne, yOrdered), o.c(1), result);
  // A negative base: odd powers are negative, others than integers are NaN.
  Value *isInteger = b.CreateFCmpOEQ(o.trunc(y), y);
  Value *half = o.mul(y, o.c(0.5));
  Value *isOdd = b.CreateAnd(isInteger, b.CreateFCmpONE(o.trunc(half), half));
  Value *negative = b.CreateICmpSLT(o.bits(x), o.ci(0));
  result = o.select(b.CreateAnd(negative, isOdd), o.neg(result), result);
  Value *undefined = b.CreateAnd(
      b.CreateAnd(b.CreateFCmpOLT(x, o.c(0)), b.CreateNot(isInteger)),
      b.CreateFCmpOLT(ax, o.inf()));
  result = o.select(undefined, o.nan(), result);
  Value *isOne =
      b.CreateOr(b.CreateFCmpOEQ(y, o.c(0)), b.CreateFCmpOEQ(x, o.c(1)));
  return o.select(isOne, o.c(1), result);
}

using Body = Value *(*)(IRBuilder<> &, const Isa &, Value *, Value *);

Value *callBody(const Ops &o, const char *name, Value *x, Value *y, Body body) {
  const Isa isa = o.isa;
  return callInternal(o.b, Twine(name) + typeName(o.type), o.type, {x, y},
                      [&](IRBuilder<> &inner, ArrayRef<Value *> args) {
                        return body(inner, isa, args[0], args[1]);
                      });
}

} // namespace

Value *emitFmod(const Ops &o, Value *x, Value *y) {
  return callBody(o, "tz.fmod.", x, y, fmodBody);
}

Value *emitPow(const Ops &o, Value *x, Value *y) {
  return callBody(o, "tz.pow.", x, y, powBody);
}

} // namespace tz::cpu::math
