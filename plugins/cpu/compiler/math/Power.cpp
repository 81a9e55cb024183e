//===- Power.cpp - pow and fmod -------------------------------------------===//
//
// What   Functions of two operands that need more than one step.
// Why    fmod is exact for all arguments, so it is a loop; pow in f32 is exact
//        enough only through f64.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/math/Ops.h"

using namespace llvm;

namespace tz::cpu::math {

namespace {

/// In f64, for |x| and |y|; both operands are finite and y > 0 in the lanes
/// that matter. The remainder of a quotient is exact in a fused operation, so
/// each turn takes 53 bits off the quotient without any error.
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
Value *powBody(IRBuilder<> &b, const Isa &isa, Value *x, Value *y) {
  Type *type = x->getType();
  Type *wide = shapedAs(type, b.getDoubleTy());
  Ops o(b, isa, type), w(b, isa, wide);
  Value *ax = o.abs(x);
  Value *logarithm = emitLog2(w, b.CreateFPExt(ax, wide));
  Value *power = emitExp2(w, w.mul(logarithm, b.CreateFPExt(y, wide)));
  Value *result = b.CreateFPTrunc(power, type);
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
