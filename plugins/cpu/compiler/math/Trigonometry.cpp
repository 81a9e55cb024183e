//===- Trigonometry.cpp - sin and cos -------------------------------------===//
//
// What   Sine and cosine over the whole range of arguments.
// Why    An internal function of the module each: they are long, and lanes with
//        huge arguments take a loop that has no place among straight code.
//
// Method x = q * pi/2 + r with |r| <= pi/4. Up to the limit below, three fused
//        steps with pi/2 in three parts: the first is exact, the last corrects
//        what the second lost. Beyond, x * 2/pi modulo 4 in 192-bit integers
//        (Payne and Hanek), one lane after the other.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/math/Coefficients.h"
#include "plugins/cpu/compiler/math/Ops.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tz::cpu::math {

namespace {

struct Reduced {
  Value *r;        ///< in [-pi/4, pi/4]
  Value *quadrant; ///< integer; the low two bits count
};

Reduced reduceSmall(const Ops &o, Value *x) {
  auto n = o.roundSmall(o.mul(x, o.c(0x1.45f306dc9c883p-1)));
  const double f32Parts[] = {0x1.921fb6p0, -0x1.777a5cp-25, -0x1.ee59dap-50};
  const double f64Parts[] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54,
                             -0x1.f1976b7ed8fbcp-110};
  Value *r = x;
  for (double part : o.isF64 ? f64Parts : f32Parts) {
    r = o.fma(n.real, o.c(-part), r);
  }
  return {r, n.integer};
}

GlobalVariable *twoOverPiTable(Module &module) {
  const char *name = "tz.math.two_over_pi";
  if (GlobalVariable *found = module.getNamedGlobal(name)) {
    return found;
  }
  SmallVector<uint64_t> words(std::begin(TwoOverPi), std::end(TwoOverPi));
  Constant *data = ConstantDataArray::get(module.getContext(), words);
  return new GlobalVariable(module, data->getType(), true,
                            GlobalValue::InternalLinkage, data, name);
}

/// One finite scalar of large magnitude.
Reduced reduceLarge(const Ops &o, Value *x) {
  IRBuilderBase &b = o.b;
  Type *i64 = b.getInt64Ty(), *i128 = b.getInt128Ty();
  Type *f64 = b.getDoubleTy();
  auto word = [&](uint64_t v) { return b.getInt64(v); };
  Value *bits = b.CreateZExt(o.bits(x), i64);
  Value *exponent = b.CreateAnd(b.CreateLShr(bits, word(o.mantissaBits)),
                                word(o.isF64 ? 0x7ff : 0xff));
  Value *mantissa =
      b.CreateOr(b.CreateAnd(bits, word((uint64_t{1} << o.mantissaBits) - 1)),
                 word(uint64_t{1} << o.mantissaBits));
  // x = mantissa * 2^s. Bits of 2/pi above weight 2^(1-s) give multiples of 4;
  // the table begins with 64 zero bits.
  Value *s = b.CreateSub(exponent,
                         word(static_cast<uint64_t>(o.bias) + o.mantissaBits));
  Value *position = b.CreateAdd(s, word(62));
  Value *index = b.CreateLShr(position, word(6));
  Value *shift = b.CreateAnd(position, word(63));
  GlobalVariable *table =
      twoOverPiTable(*b.GetInsertBlock()->getParent()->getParent());
  Value *words[4], *window[3];
  for (unsigned i = 0; i < 4; ++i) {
    Value *address = b.CreateGEP(i64, table, b.CreateAdd(index, word(i)));
    words[i] = b.CreateLoad(i64, address);
  }
  for (unsigned i = 0; i < 3; ++i) {
    window[i] = b.CreateIntrinsic(Intrinsic::fshl, {i64},
                                  {words[i], words[i + 1], shift});
  }
  // The product modulo 2^192, most significant word first.
  auto wide = [&](Value *v) { return b.CreateZExt(v, i128); };
  Value *m = wide(mantissa);
  Value *low = b.CreateMul(m, wide(window[2]));
  Value *middle =
      b.CreateAdd(b.CreateMul(m, wide(window[1])), b.CreateLShr(low, 64));
  Value *high = b.CreateAdd(b.CreateMul(mantissa, window[0]),
                            b.CreateTrunc(b.CreateLShr(middle, 64), i64));
  Value *second = b.CreateTrunc(middle, i64), *third = b.CreateTrunc(low, i64);
  // The two top bits, rounded, are the quadrant; the rest is a signed fraction.
  Value *quadrant =
      b.CreateLShr(b.CreateAdd(high, word(uint64_t{1} << 61)), word(62));
  Value *fraction = b.CreateSub(high, b.CreateShl(quadrant, word(62)));
  // Magnitude first: the words of a negative fraction would cancel.
  Value *sign = b.CreateAShr(fraction, word(63));
  auto real = [&](Value *v, double unit) {
    return b.CreateFMul(b.CreateUIToFP(b.CreateXor(v, sign), f64),
                        ConstantFP::get(f64, unit));
  };
  Value *r =
      b.CreateFAdd(b.CreateFAdd(real(third, 0x1p-190), real(second, 0x1p-126)),
                   real(fraction, 0x1p-62));
  r = b.CreateFMul(r, ConstantFP::get(f64, 0x1.921fb54442d18p0));
  // The signs of the fraction and of x.
  Value *negative = b.CreateICmpSLT(sign, word(0));
  Value *xNegative = b.CreateFCmpOLT(x, o.c(0));
  r = b.CreateSelect(b.CreateXor(negative, xNegative), b.CreateFNeg(r), r);
  quadrant = b.CreateSelect(xNegative, b.CreateNeg(quadrant), quadrant);
  return {b.CreateFPCast(r, o.type), b.CreateTrunc(quadrant, o.intType)};
}

/// Replaces the lanes of `fast` where `large` is set. Ends in another block.
Reduced reduceLargeLanes(const Ops &o, Value *x, Value *large, Reduced fast) {
  IRBuilderBase &b = o.b;
  // The other lanes go through the loop as well; they must stay in the table.
  x = o.select(large, x, o.c(0x1p40));
  BasicBlock *before = b.GetInsertBlock();
  Function *function = before->getParent();
  auto block = [&](const char *name) {
    return BasicBlock::Create(b.getContext(), name, function);
  };
  BasicBlock *loop = block("lane"), *done = block("reduced");
  b.CreateCondBr(o.any(large), loop, done);

  b.SetInsertPoint(loop);
  unsigned lanes = laneCount(o.type);
  Type *scalar = o.type->getScalarType();
  PHINode *lane = b.CreatePHI(b.getInt32Ty(), 2);
  PHINode *r = b.CreatePHI(o.type, 2), *q = b.CreatePHI(o.intType, 2);
  bool isVector = o.type->isVectorTy();
  Value *xi = isVector ? b.CreateExtractElement(x, lane) : x;
  Ops so(b, o.isa, scalar);
  Reduced one = reduceLarge(so, xi);
  Value *rNext = isVector ? b.CreateInsertElement(r, one.r, lane) : one.r;
  Value *qNext =
      isVector ? b.CreateInsertElement(q, one.quadrant, lane) : one.quadrant;
  Value *next = b.CreateAdd(lane, b.getInt32(1));
  lane->addIncoming(b.getInt32(0), before);
  lane->addIncoming(next, loop);
  r->addIncoming(fast.r, before);
  r->addIncoming(rNext, loop);
  q->addIncoming(fast.quadrant, before);
  q->addIncoming(qNext, loop);
  BasicBlock *blend = block("blend");
  b.CreateCondBr(b.CreateICmpULT(next, b.getInt32(lanes)), loop, blend);

  b.SetInsertPoint(blend);
  Value *rSlow = b.CreateSelect(large, rNext, fast.r);
  Value *qSlow = b.CreateSelect(large, qNext, fast.quadrant);
  b.CreateBr(done);

  b.SetInsertPoint(done);
  PHINode *rOut = b.CreatePHI(o.type, 2), *qOut = b.CreatePHI(o.intType, 2);
  rOut->addIncoming(fast.r, before);
  rOut->addIncoming(rSlow, blend);
  qOut->addIncoming(fast.quadrant, before);
  qOut->addIncoming(qSlow, blend);
  return {rOut, qOut};
}

Value *sinCosBody(const Ops &o, Value *x, bool cosine) {
  IRBuilderBase &b = o.b;
  Value *magnitude = o.abs(x);
  Value *large =
      b.CreateAnd(b.CreateFCmpOGT(magnitude, o.c(o.isF64 ? 0x1p30 : 0x1p17)),
                  b.CreateFCmpOLT(magnitude, o.inf()));
  Reduced reduced = reduceLargeLanes(o, x, large, reduceSmall(o, x));
  Value *r = reduced.r, *z = o.mul(r, r);
  Value *sinTail = o.isF64 ? o.polynomial(z, SinF64) : o.polynomial(z, SinF32);
  Value *cosTail = o.isF64 ? o.polynomial(z, CosF64) : o.polynomial(z, CosF32);
  Value *sine = o.fma(o.mul(r, z), sinTail, r);
  // 1 - z/2 is rounded; what it lost goes into the small terms.
  Value *head = o.fma(z, o.c(-0.5), o.c(1));
  Value *lost = o.sub(o.sub(o.c(1), head), o.mul(z, o.c(0.5)));
  Value *cosineOfR = o.add(head, o.fma(o.mul(z, z), cosTail, lost));
  Value *quadrant =
      cosine ? b.CreateAdd(reduced.quadrant, o.ci(1)) : reduced.quadrant;
  Value *odd = b.CreateICmpNE(b.CreateAnd(quadrant, o.ci(1)), o.ci(0));
  Value *result = o.select(odd, cosineOfR, sine);
  Value *flip = b.CreateICmpNE(b.CreateAnd(quadrant, o.ci(2)), o.ci(0));
  result = o.select(flip, o.neg(result), result);
  // The fused step above gives +0 for the sine of -0.
  return cosine ? result : o.select(b.CreateFCmpOEQ(x, o.c(0)), x, result);
}

} // namespace

Value *emitSinCos(const Ops &o, Value *x, bool cosine) {
  Type *type = o.type;
  const Isa isa = o.isa;
  return callInternal(
      o.b, Twine(cosine ? "tz.cos." : "tz.sin.") + typeName(type), type, {x},
      [&](IRBuilder<> &inner, ArrayRef<Value *> args) {
        return sinCosBody(Ops(inner, isa, type), args[0], cosine);
      });
}

} // namespace tz::cpu::math
