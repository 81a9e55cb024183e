//===- Elementwise.cpp - elementwise ops of tile IR as LLVM IR ------------===//
//
// What   See Elementwise.h.
// Why    See Elementwise.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/Elementwise.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::lowering {

namespace {

std::optional<Fp8> fp8Format(mlir::Type type) {
  if (isa<mlir::Float8E4M3FNType>(type)) {
    return Fp8::E4M3FN;
  }
  if (isa<mlir::Float8E5M2Type>(type)) {
    return Fp8::E5M2;
  }
  if (isa<mlir::Float8E4M3FNUZType>(type)) {
    return Fp8::E4M3FNUZ;
  }
  if (isa<mlir::Float8E5M2FNUZType>(type)) {
    return Fp8::E5M2FNUZ;
  }
  return std::nullopt;
}

/// The LLVM type of a 16-bit float, null for others.
Type *type16(IRBuilderBase &b, mlir::Type type) {
  return type.isF16()    ? b.getHalfTy()
         : type.isBF16() ? b.getBFloatTy()
                         : nullptr;
}

/// The registers' value of a float of more than 8 bits as a float.
Value *asFloat(IRBuilderBase &b, Value *value, mlir::Type type) {
  Type *real = type16(b, type);
  return real ? b.CreateBitCast(value, shapedAs(value->getType(), real))
              : value;
}

/// The other way.
Value *asRegister(IRBuilderBase &b, Value *value, mlir::Type type) {
  return type16(b, type) ? b.CreateBitCast(value, shapedAs(value->getType(),
                                                           b.getInt16Ty()))
                         : value;
}

bool isNarrow(mlir::Type type) {
  return isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

CmpInst::Predicate predicate(arith::CmpIPredicate p) {
  using P = arith::CmpIPredicate;
  switch (p) {
  case P::eq:
    return CmpInst::ICMP_EQ;
  case P::ne:
    return CmpInst::ICMP_NE;
  case P::slt:
    return CmpInst::ICMP_SLT;
  case P::sle:
    return CmpInst::ICMP_SLE;
  case P::sgt:
    return CmpInst::ICMP_SGT;
  case P::sge:
    return CmpInst::ICMP_SGE;
  case P::ult:
    return CmpInst::ICMP_ULT;
  case P::ule:
    return CmpInst::ICMP_ULE;
  case P::ugt:
    return CmpInst::ICMP_UGT;
  case P::uge:
    return CmpInst::ICMP_UGE;
  }
  return CmpInst::ICMP_EQ;
}

CmpInst::Predicate predicate(arith::CmpFPredicate p) {
  using P = arith::CmpFPredicate;
  switch (p) {
  case P::AlwaysFalse:
    return CmpInst::FCMP_FALSE;
  case P::OEQ:
    return CmpInst::FCMP_OEQ;
  case P::OGT:
    return CmpInst::FCMP_OGT;
  case P::OGE:
    return CmpInst::FCMP_OGE;
  case P::OLT:
    return CmpInst::FCMP_OLT;
  case P::OLE:
    return CmpInst::FCMP_OLE;
  case P::ONE:
    return CmpInst::FCMP_ONE;
  case P::ORD:
    return CmpInst::FCMP_ORD;
  case P::UEQ:
    return CmpInst::FCMP_UEQ;
  case P::UGT:
    return CmpInst::FCMP_UGT;
  case P::UGE:
    return CmpInst::FCMP_UGE;
  case P::ULT:
    return CmpInst::FCMP_ULT;
  case P::ULE:
    return CmpInst::FCMP_ULE;
  case P::UNE:
    return CmpInst::FCMP_UNE;
  case P::UNO:
    return CmpInst::FCMP_UNO;
  case P::AlwaysTrue:
    return CmpInst::FCMP_TRUE;
  }
  return CmpInst::FCMP_FALSE;
}

/// Where `error` was rounded away from `sum`, it goes to its odd neighbour,
/// which no second rounding takes for a tie.
Value *roundedToOdd(IRBuilderBase &b, Value *sum, Value *error) {
  Type *type = sum->getType();
  Type *words =
      shapedAs(type, b.getIntNTy(type->getScalarType()->getScalarSizeInBits()));
  Value *bits = b.CreateBitCast(sum, words);
  Value *zero = Constant::getNullValue(words);
  Value *inexact = b.CreateFCmpONE(error, ConstantFP::get(type, 0));
  Value *even = b.CreateICmpEQ(b.CreateAnd(bits, 1), zero);
  Value *outward =
      b.CreateICmpSGE(b.CreateXor(bits, b.CreateBitCast(error, words)), zero);
  Value *step = b.CreateSelect(outward, ConstantInt::get(words, 1),
                               ConstantInt::getAllOnesValue(words));
  return b.CreateBitCast(
      b.CreateSelect(b.CreateAnd(inexact, even), b.CreateAdd(bits, step), bits),
      type);
}

/// x + y and what its rounding has lost (Knuth's TwoSum).
std::pair<Value *, Value *> sumAndError(IRBuilderBase &b, Value *x, Value *y) {
  Value *sum = b.CreateFAdd(x, y);
  Value *second = b.CreateFSub(sum, x);
  return {sum, b.CreateFAdd(b.CreateFSub(x, b.CreateFSub(sum, second)),
                            b.CreateFSub(y, second))};
}

/// x * y + z of narrow floats, given as f64, so that rounding the result to
/// the narrow type rounds the exact sum. The product is exact.
Value *fmaNarrow(IRBuilderBase &b, Value *x, Value *y, Value *z) {
  IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  auto [sum, error] = sumAndError(b, b.CreateFMul(x, y), z);
  return roundedToOdd(b, sum, error);
}

/// The same, given as f32, by a fused product: bf16 has the exponents of f32,
/// so the exact product may lie outside of its range. The error is that of the
/// same sum times a power of two, by which all of its parts are exact.
Value *fmaNarrowByFloats(IRBuilderBase &b, Value *x, Value *y, Value *z) {
  IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  Type *type = x->getType();
  auto number = [&](double value) { return ConstantFP::get(type, value); };
  auto magnitude = [&](Value *value) {
    return b.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  };
  auto isAny = [&](CmpInst::Predicate is, Value *p, Value *q, double limit) {
    return std::pair(b.CreateFCmp(is, p, number(limit)),
                     b.CreateFCmp(is, q, number(limit)));
  };
  Value *sum = b.CreateIntrinsic(Intrinsic::fma, {type}, {x, y, z});
  Value *product = magnitude(b.CreateFMul(x, y)), *third = magnitude(z);
  auto [isLarge, isLargeToo] =
      isAny(CmpInst::FCMP_OGT, product, third, 0x1p120);
  auto [isSmall, isSmallToo] =
      isAny(CmpInst::FCMP_OLT, product, third, 0x1p-60);
  // The smaller factor is at least 2^-8 where the product is large, and below
  // 2^-29 where it is small; of bf16 the smallest is 2^-133.
  Value *scale = b.CreateSelect(b.CreateOr(isLarge, isLargeToo), number(0x1p-4),
                                b.CreateSelect(b.CreateAnd(isSmall, isSmallToo),
                                               number(0x1p120), number(1)));
  Value *isSmaller = b.CreateFCmpOLT(magnitude(x), magnitude(y));
  Value *smaller = b.CreateSelect(isSmaller, x, y),
        *larger = b.CreateSelect(isSmaller, y, x);
  auto [scaled, lost] =
      sumAndError(b, b.CreateFMul(b.CreateFMul(smaller, scale), larger),
                  b.CreateFMul(z, scale));
  Value *error =
      b.CreateFAdd(b.CreateFSub(scaled, b.CreateFMul(sum, scale)), lost);
  return roundedToOdd(b, sum, error);
}

/// Negates a float of at most 16 bits, or drops its sign, in its bits: a NaN
/// keeps its payload, and rounding to 8 bits would saturate an infinity.
Value *changeSign(IRBuilderBase &b, Value *bits, mlir::Type element,
                  bool negate) {
  Type *type = bits->getType();
  const uint64_t sign = uint64_t(1) << (element.getIntOrFloatBitWidth() - 1);
  Value *magnitude = b.CreateAnd(bits, ConstantInt::get(type, sign - 1));
  Value *changed =
      negate ? b.CreateXor(bits, ConstantInt::get(type, sign)) : magnitude;
  const std::optional<Fp8> format = fp8Format(element);
  if (!format || format == Fp8::E4M3FN || format == Fp8::E5M2) {
    return changed;
  }
  // There is one zero, and NaN is where the other would be.
  return b.CreateSelect(b.CreateICmpEQ(magnitude, Constant::getNullValue(type)),
                        bits, changed);
}

} // namespace

Type *Elementwise::type(mlir::Type element) const {
  return TypeSwitch<mlir::Type, Type *>(element)
      .Case<mlir::IntegerType>(
          [&](auto t) { return b.getIntNTy(t.getWidth()); })
      .Case<mlir::IndexType>([&](auto) { return b.getInt64Ty(); })
      .Case<mlir::Float16Type, mlir::BFloat16Type>(
          [&](auto) { return b.getInt16Ty(); })
      .Case<mlir::Float32Type>([&](auto) { return b.getFloatTy(); })
      .Case<mlir::Float64Type>([&](auto) { return b.getDoubleTy(); })
      .Case<tile::PtrType>([&](auto) { return b.getPtrTy(spaces.device); })
      .Case<mlir::FloatType>([&](auto) { return b.getInt8Ty(); })
      .Default([](mlir::Type) -> Type * { return nullptr; });
}

Type *Elementwise::memoryType(mlir::Type element) const {
  return element.isInteger(1) ? b.getInt8Ty() : type(element);
}

Value *Elementwise::toMemory(Value *value, mlir::Type element) const {
  return element.isInteger(1)
             ? b.CreateZExt(value, shapedAs(value->getType(), b.getInt8Ty()))
             : value;
}

Value *Elementwise::fromMemory(Value *value, mlir::Type element) const {
  return element.isInteger(1)
             ? b.CreateICmpNE(value, Constant::getNullValue(value->getType()))
             : value;
}

Constant *Elementwise::constant(mlir::TypedAttr attribute) const {
  Type *target = type(attribute.getType());
  if (auto integer = dyn_cast<mlir::IntegerAttr>(attribute)) {
    return ConstantInt::get(
        target, integer.getValue().sextOrTrunc(target->getIntegerBitWidth()));
  }
  auto real = dyn_cast<mlir::FloatAttr>(attribute);
  if (!real) {
    return nullptr;
  }
  if (target->isIntegerTy()) { // narrow floats are their bits
    return ConstantInt::get(target, real.getValue().bitcastToAPInt());
  }
  return ConstantFP::get(b.getContext(), real.getValue());
}

bool Elementwise::hasArithmetic(mlir::Type type) const {
  return (type.isF16() && units.halfArithmetic) ||
         (type.isBF16() && units.bfloatArithmetic);
}

Value *Elementwise::divide(Value *x, Value *y, tile::DivMode) {
  return b.CreateFDiv(x, y);
}

Value *Elementwise::fma(Value *x, Value *y, Value *z) {
  // With -0 for z it is a product that goes into no sum; LLVM makes it one, and
  // must not take leave to contract it from here.
  IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  return b.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {x, y, z});
}

Value *Elementwise::math(tile::MathFn fn, Value *x) {
  auto call = [&](Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, x); };
  switch (fn) {
  case tile::MathFn::abs:
    return call(Intrinsic::fabs);
  case tile::MathFn::floor:
    return call(Intrinsic::floor);
  case tile::MathFn::ceil:
    return call(Intrinsic::ceil);
  case tile::MathFn::trunc:
    return call(Intrinsic::trunc);
  case tile::MathFn::rint:
    return call(Intrinsic::roundeven);
  default:
    throw plugin::Failure(
        TZ_E_INTERNAL,
        ("tile-legalize-math left '" + tile::stringifyMathFn(fn) + "'").str());
  }
}

Value *Elementwise::power(Value *, Value *) {
  throw plugin::Failure(TZ_E_INTERNAL, "tile-legalize-math left 'pow'");
}

Value *Elementwise::remainder(Value *, Value *) {
  throw plugin::Failure(TZ_E_INTERNAL, "tile-legalize-math left 'rem'");
}

Value *Elementwise::fromFp8(Value *codes, Fp8 format, Type *toElement) {
  return emitFromFp8(b, units, codes, format, toElement);
}

Value *Elementwise::toFp8(Value *x, Fp8 format, Rounding rounding) {
  return emitToFp8(b, units, x, format, rounding);
}

Value *Elementwise::convertFloat(Value *value, mlir::Type from, mlir::Type to,
                                 bool towardZero) {
  if (from == to) {
    return value;
  }
  auto rounding = towardZero ? Rounding::TowardZero : Rounding::NearestEven;
  auto source = fp8Format(from), target = fp8Format(to);
  if (source && target) {
    value = fromFp8(value, *source, b.getFloatTy());
    return toFp8(value, *target, rounding);
  }
  Type *real = type16(b, to) ? type16(b, to) : type(to);
  if (source) {
    return asRegister(b, fromFp8(value, *source, real), to);
  }
  value = asFloat(b, value, from);
  if (target) {
    return toFp8(value, *target, rounding);
  }
  return asRegister(b, emitFpCast(b, units, value, real, rounding), to);
}

Value *Elementwise::minMax(Value *x, Value *y, bool isMax, bool propagateNan) {
  return emitMinMax(b, x, y, isMax, propagateNan);
}

bool Elementwise::has(mlir::Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::CmpIOp, arith::SelectOp,
             arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::AddFOp,
             arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::CmpFOp,
             arith::ExtFOp, arith::IndexCastOp, tile::AddPtrOp, tile::DivSIOp,
             tile::DivUIOp, tile::RemSIOp, tile::RemUIOp, tile::ShlOp,
             tile::ShrSIOp, tile::ShrUIOp, tile::MulHiSIOp, tile::MulHiUIOp,
             tile::MinSIOp, tile::MinUIOp, tile::MaxSIOp, tile::MaxUIOp,
             tile::AbsIOp, tile::ClzOp, tile::DivFOp, tile::RemFOp,
             tile::MinFOp, tile::MaxFOp, tile::FmaOp, tile::MathOp, tile::PowOp,
             tile::TruncFOp, tile::SIToFPOp, tile::UIToFPOp, tile::FPToSIOp,
             tile::FPToUIOp, tile::BitcastOp, tile::PtrToIntOp,
             tile::IntToPtrOp, tile::HintOp>(op);
}

Value *Elementwise::emit(mlir::Operation *op, ArrayRef<Value *> v) {
  mlir::Type from = tile::elementType(op->getOperand(0).getType());
  mlir::Type to = tile::elementType(op->getResult(0).getType());
  auto shaped = [&](Type *t) { return shapedAs(v[0]->getType(), t); };
  mlir::Type f32 = mlir::Float32Type::get(op->getContext());
  // Narrow floats: widened, computed, rounded.
  auto floats = [&](auto compute) -> Value * {
    if (!isNarrow(from)) {
      return compute(v);
    }
    SmallVector<Value *, 3> wide;
    for (Value *x : v) {
      wide.push_back(convertFloat(x, from, f32));
    }
    Value *result = compute(ArrayRef<Value *>(wide));
    return isNarrow(to) && to == from ? convertFloat(result, f32, to) : result;
  };
  // In the narrow type itself, where the target can.
  auto arithmetic = [&](auto compute) -> Value * {
    if (!hasArithmetic(from)) {
      return floats(compute);
    }
    SmallVector<Value *, 3> real;
    for (Value *x : v) {
      real.push_back(asFloat(b, x, from));
    }
    return asRegister(b, compute(ArrayRef<Value *>(real)), from);
  };
  auto intrinsic = [&](Intrinsic::ID id, auto... extra) -> Value * {
    return b.CreateIntrinsic(id, {v[0]->getType()}, {v[0], extra...});
  };
  using Args = ArrayRef<Value *>;
  return TypeSwitch<mlir::Operation *, Value *>(op)
      .Case<arith::AddIOp>([&](auto) { return b.CreateAdd(v[0], v[1]); })
      .Case<arith::SubIOp>([&](auto) { return b.CreateSub(v[0], v[1]); })
      .Case<arith::MulIOp>([&](auto) { return b.CreateMul(v[0], v[1]); })
      .Case<arith::AndIOp>([&](auto) { return b.CreateAnd(v[0], v[1]); })
      .Case<arith::OrIOp>([&](auto) { return b.CreateOr(v[0], v[1]); })
      .Case<arith::XOrIOp>([&](auto) { return b.CreateXor(v[0], v[1]); })
      .Case<arith::CmpIOp>([&](arith::CmpIOp o) {
        return b.CreateICmp(predicate(o.getPredicate()), v[0], v[1]);
      })
      .Case<arith::SelectOp>(
          [&](auto) { return b.CreateSelect(v[0], v[1], v[2]); })
      .Case<arith::ExtSIOp>(
          [&](auto) { return b.CreateSExt(v[0], shaped(type(to))); })
      .Case<arith::ExtUIOp>(
          [&](auto) { return b.CreateZExt(v[0], shaped(type(to))); })
      .Case<arith::TruncIOp>(
          [&](auto) { return b.CreateTrunc(v[0], shaped(type(to))); })
      .Case<arith::IndexCastOp>(
          [&](auto) { return b.CreateSExtOrTrunc(v[0], shaped(type(to))); })
      .Case<arith::AddFOp>([&](auto) {
        return arithmetic([&](Args x) { return b.CreateFAdd(x[0], x[1]); });
      })
      .Case<arith::SubFOp>([&](auto) {
        return arithmetic([&](Args x) { return b.CreateFSub(x[0], x[1]); });
      })
      .Case<arith::MulFOp>([&](auto) {
        return arithmetic([&](Args x) { return b.CreateFMul(x[0], x[1]); });
      })
      .Case<arith::NegFOp>([&](auto) {
        return isNarrow(from) ? changeSign(b, v[0], from, true)
                              : b.CreateFNeg(v[0]);
      })
      .Case<arith::CmpFOp>([&](arith::CmpFOp o) -> Value * {
        return floats([&](Args x) {
          return b.CreateFCmp(predicate(o.getPredicate()), x[0], x[1]);
        });
      })
      .Case<arith::ExtFOp>([&](auto) { return convertFloat(v[0], from, to); })
      .Case<tile::TruncFOp>([&](tile::TruncFOp o) {
        return convertFloat(v[0], from, to,
                            o.getRounding() == tile::Rounding::rtz);
      })
      .Case<tile::AddPtrOp>([&](tile::AddPtrOp o) -> Value * {
        mlir::Type pointee = cast<tile::PtrType>(to).getPointee();
        return b.CreateGEP(memoryType(pointee), v[0], v[1]);
      })
      .Case<tile::DivSIOp>([&](auto) { return emitDivS(b, v[0], v[1]); })
      .Case<tile::DivUIOp>([&](auto) { return emitDivU(b, v[0], v[1]); })
      .Case<tile::RemSIOp>([&](auto) { return emitRemS(b, v[0], v[1]); })
      .Case<tile::RemUIOp>([&](auto) { return emitRemU(b, v[0], v[1]); })
      .Case<tile::ShlOp>([&](auto) { return emitShl(b, v[0], v[1]); })
      .Case<tile::ShrSIOp>([&](auto) { return emitShrS(b, v[0], v[1]); })
      .Case<tile::ShrUIOp>([&](auto) { return emitShrU(b, v[0], v[1]); })
      .Case<tile::MulHiSIOp>(
          [&](auto) { return emitMulHi(b, v[0], v[1], true); })
      .Case<tile::MulHiUIOp>(
          [&](auto) { return emitMulHi(b, v[0], v[1], false); })
      .Case<tile::MinSIOp>(
          [&](auto) { return intrinsic(Intrinsic::smin, v[1]); })
      .Case<tile::MinUIOp>(
          [&](auto) { return intrinsic(Intrinsic::umin, v[1]); })
      .Case<tile::MaxSIOp>(
          [&](auto) { return intrinsic(Intrinsic::smax, v[1]); })
      .Case<tile::MaxUIOp>(
          [&](auto) { return intrinsic(Intrinsic::umax, v[1]); })
      .Case<tile::AbsIOp>(
          [&](auto) { return intrinsic(Intrinsic::abs, b.getFalse()); })
      .Case<tile::ClzOp>(
          [&](auto) { return intrinsic(Intrinsic::ctlz, b.getFalse()); })
      .Case<tile::DivFOp>([&](tile::DivFOp o) {
        return floats([&](Args x) { return divide(x[0], x[1], o.getMode()); });
      })
      .Case<tile::RemFOp>([&](auto) {
        return floats([&](Args x) { return remainder(x[0], x[1]); });
      })
      .Case<tile::PowOp>([&](auto) {
        return floats([&](Args x) { return power(x[0], x[1]); });
      })
      .Case<tile::MinFOp>([&](tile::MinFOp o) {
        return arithmetic([&](Args x) {
          return minMax(x[0], x[1], false, o.getPropagateNan());
        });
      })
      .Case<tile::MaxFOp>([&](tile::MaxFOp o) {
        return arithmetic([&](Args x) {
          return minMax(x[0], x[1], true, o.getPropagateNan());
        });
      })
      .Case<tile::FmaOp>([&](auto) {
        if (isNarrow(from) && !hasArithmetic(from)) {
          mlir::Type wide = mlir::Float32Type::get(op->getContext());
          if (units.doubles) {
            wide = mlir::Float64Type::get(op->getContext());
          }
          Value *in[3];
          for (size_t i = 0; i < 3; ++i) {
            in[i] = convertFloat(v[i], from, wide);
          }
          auto *fused = units.doubles ? fmaNarrow : fmaNarrowByFloats;
          return convertFloat(fused(b, in[0], in[1], in[2]), wide, to);
        }
        return arithmetic([&](Args x) { return fma(x[0], x[1], x[2]); });
      })
      .Case<tile::MathOp>([&](tile::MathOp o) -> Value * {
        if (isNarrow(from) && o.getFn() == tile::MathFn::abs) {
          return changeSign(b, v[0], from, false);
        }
        return floats([&](Args x) { return math(o.getFn(), x[0]); });
      })
      .Case<tile::SIToFPOp, tile::UIToFPOp>([&](auto) -> Value * {
        bool isSigned = isa<tile::SIToFPOp>(op);
        if (fp8Format(to)) {
          // f32 holds all that is below the largest value of 8 bits.
          Value *wide = emitIntToFp(b, units, v[0], b.getFloatTy(), isSigned);
          return convertFloat(wide, f32, to);
        }
        Type *real = type16(b, to) ? type16(b, to) : type(to);
        return asRegister(b, emitIntToFp(b, units, v[0], real, isSigned), to);
      })
      .Case<tile::FPToSIOp, tile::FPToUIOp>([&](auto) {
        Value *x = fp8Format(from) ? convertFloat(v[0], from, f32)
                                   : asFloat(b, v[0], from);
        return emitFpToInt(b, units, x, type(to), isa<tile::FPToSIOp>(op));
      })
      .Case<tile::BitcastOp>(
          [&](auto) { return b.CreateBitCast(v[0], shaped(type(to))); })
      .Case<tile::PtrToIntOp>(
          [&](auto) { return b.CreatePtrToInt(v[0], shaped(type(to))); })
      .Case<tile::IntToPtrOp>(
          [&](auto) { return b.CreateIntToPtr(v[0], shaped(type(to))); })
      .Case<tile::HintOp>([&](auto) { return v[0]; })
      .Default([](mlir::Operation *) -> Value * { return nullptr; });
}

} // namespace tz::lowering
