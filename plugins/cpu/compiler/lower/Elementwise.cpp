//===- Elementwise.cpp - One operation on scalars or vectors --------------===//
//
// What   What each elementwise op of arith and tile is in LLVM IR.
// Why    The same code serves scalars, lanes of nests, and the scalar regions
//        of reductions.
//
// f16, bf16 and 8-bit floats are computed in f32 and rounded after each op:
// with a single operation that gives what computing in the type itself would.
// Not so fma, whose exact sum may need many more bits: see fmaNarrow.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Lowering.h"
#include "plugins/cpu/compiler/math/Math.h"
#include "plugins/cpu/compiler/math/Ops.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Intrinsics.h"

#include <cmath>

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::cpu {

namespace {

std::optional<lowering::Fp8> fp8Format(mlir::Type type) {
  if (isa<mlir::Float8E4M3FNType>(type)) {
    return lowering::Fp8::E4M3FN;
  }
  if (isa<mlir::Float8E5M2Type>(type)) {
    return lowering::Fp8::E5M2;
  }
  if (isa<mlir::Float8E4M3FNUZType>(type)) {
    return lowering::Fp8::E4M3FNUZ;
  }
  if (isa<mlir::Float8E5M2FNUZType>(type)) {
    return lowering::Fp8::E5M2FNUZ;
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
  return real ? b.CreateBitCast(value, math::shapedAs(value->getType(), real))
              : value;
}

/// The other way.
Value *asRegister(IRBuilderBase &b, Value *value, mlir::Type type) {
  return type16(b, type)
             ? b.CreateBitCast(value,
                               math::shapedAs(value->getType(), b.getInt16Ty()))
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

/// The functions that are more than one call of math::emit.
Value *emitMath(IRBuilderBase &b, const Isa &machine, tile::MathFn fn,
                Value *x) {
  using F = math::Fn;
  auto one = [&](F f, Value *v) { return math::emit(b, machine, f, {v}); };
  auto c = [&](double v) { return ConstantFP::get(x->getType(), v); };
  switch (fn) {
  case tile::MathFn::exp:
    return one(F::Exp, x);
  case tile::MathFn::exp2:
    return one(F::Exp2, x);
  case tile::MathFn::log:
    return one(F::Log, x);
  case tile::MathFn::log2:
    return one(F::Log2, x);
  case tile::MathFn::sin:
    return one(F::Sin, x);
  case tile::MathFn::cos:
    return one(F::Cos, x);
  case tile::MathFn::tan:
    return math::emit(b, machine, F::Div, {one(F::Sin, x), one(F::Cos, x)});
  case tile::MathFn::sqrt:
  case tile::MathFn::sqrt_rn:
    return one(F::Sqrt, x);
  case tile::MathFn::rsqrt:
    return one(F::Rsqrt, x);
  case tile::MathFn::erf:
    return one(F::Erf, x);
  case tile::MathFn::tanh:
    return one(F::Tanh, x);
  case tile::MathFn::floor:
    return one(F::Floor, x);
  case tile::MathFn::ceil:
    return one(F::Ceil, x);
  case tile::MathFn::trunc:
    return one(F::Trunc, x);
  case tile::MathFn::rint:
    return one(F::RoundEven, x);
  case tile::MathFn::abs:
    return one(F::Abs, x);
  case tile::MathFn::log1p: {
    // log(u) x / (u - 1) with u = 1 + x: the rounding of u cancels. The
    // quotient first: the product would overflow.
    Value *u = b.CreateFAdd(x, c(1));
    Value *ratio =
        b.CreateFMul(one(F::Log, u), math::emit(b, machine, F::Div,
                                                {x, b.CreateFSub(u, c(1))}));
    Value *exact = b.CreateFCmpOEQ(u, c(1));
    Value *infinite = b.CreateFCmpOEQ(x, ConstantFP::getInfinity(x->getType()));
    return b.CreateSelect(exact, x, b.CreateSelect(infinite, x, ratio));
  }
  case tile::MathFn::expm1: {
    // (u - 1) x / log(u) with u = exp(x); ends where u is 1, 0 or infinite.
    Value *u = one(F::Exp, x);
    Value *m = b.CreateFSub(u, c(1));
    Value *ratio =
        b.CreateFMul(m, math::emit(b, machine, F::Div, {x, one(F::Log, u)}));
    Value *far =
        b.CreateOr(b.CreateFCmpOEQ(m, c(-1)),
                   b.CreateFCmpOEQ(m, ConstantFP::getInfinity(x->getType())));
    return b.CreateSelect(b.CreateFCmpOEQ(u, c(1)), x,
                          b.CreateSelect(far, m, ratio));
  }
  }
  return nullptr;
}

/// x / divisor for all lanes by one division: two roundings, within 2 ULP. The
/// divisor is scaled so that its reciprocal is neither infinite nor denormal.
Value *divideByOne(IRBuilderBase &b, Value *x, Value *divisor) {
  Type *type = divisor->getType();
  const bool isF64 = type->isDoubleTy();
  auto power = [&](int n) { return ConstantFP::get(type, std::ldexp(1.0, n)); };
  const int far = isF64 ? 900 : 100, shift = isF64 ? 512 : 64;
  Value *size = b.CreateUnaryIntrinsic(Intrinsic::fabs, divisor);
  Value *scale =
      b.CreateSelect(b.CreateFCmpOGT(size, power(far)), power(-shift),
                     b.CreateSelect(b.CreateFCmpOLT(size, power(-far)),
                                    power(shift), power(0)));
  // Infinite or zero divisors stay so: x * 0 and x * inf are what is wanted,
  // but for infinite or zero x, where the quotient's own rules agree.
  Value *reciprocal =
      b.CreateFDiv(ConstantFP::get(type, 1), b.CreateFMul(divisor, scale));
  unsigned lanes = cast<FixedVectorType>(x->getType())->getNumElements();
  Value *product = b.CreateFMul(x, b.CreateVectorSplat(lanes, reciprocal));
  return b.CreateFMul(product, b.CreateVectorSplat(lanes, scale));
}

/// a * b + c of narrow floats, given as f64, so that rounding the result to
/// the narrow type rounds the exact sum. The product is exact; a sum that is
/// not goes to its odd neighbour, which no second rounding takes for a tie.
Value *fmaNarrow(IRBuilderBase &b, Value *x, Value *y, Value *z) {
  IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  Value *product = b.CreateFMul(x, y);
  Value *sum = b.CreateFAdd(product, z);
  Value *second = b.CreateFSub(sum, product);
  Value *error = b.CreateFAdd(b.CreateFSub(product, b.CreateFSub(sum, second)),
                              b.CreateFSub(z, second));
  Type *words = math::shapedAs(sum->getType(), b.getInt64Ty());
  Value *bits = b.CreateBitCast(sum, words);
  Value *zero = Constant::getNullValue(words);
  Value *inexact = b.CreateFCmpONE(error, ConstantFP::get(sum->getType(), 0));
  Value *even = b.CreateICmpEQ(b.CreateAnd(bits, 1), zero);
  Value *outward =
      b.CreateICmpSGE(b.CreateXor(bits, b.CreateBitCast(error, words)), zero);
  Value *step = b.CreateSelect(outward, ConstantInt::get(words, 1),
                               ConstantInt::getAllOnesValue(words));
  return b.CreateBitCast(
      b.CreateSelect(b.CreateAnd(inexact, even), b.CreateAdd(bits, step), bits),
      sum->getType());
}

/// Negates an 8-bit float, or drops its sign. Rounding to these types
/// saturates, so an infinity must not go through arithmetic.
Value *changeSign8(IRBuilderBase &b, Value *bits, lowering::Fp8 format,
                   bool negate) {
  Type *type = bits->getType();
  Value *changed = negate ? b.CreateXor(bits, ConstantInt::get(type, 0x80))
                          : b.CreateAnd(bits, ConstantInt::get(type, 0x7f));
  if (format == lowering::Fp8::E4M3FN || format == lowering::Fp8::E5M2) {
    return changed;
  }
  // There is one zero, and NaN is where the other would be.
  Value *magnitude = b.CreateAnd(bits, ConstantInt::get(type, 0x7f));
  return b.CreateSelect(b.CreateICmpEQ(magnitude, Constant::getNullValue(type)),
                        bits, changed);
}

} // namespace

Value *Lowering::convertFloat(Value *value, mlir::Type from, mlir::Type to,
                              bool towardZero) {
  if (from == to) {
    return value;
  }
  auto rounding = towardZero ? lowering::Rounding::TowardZero
                             : lowering::Rounding::NearestEven;
  auto source = fp8Format(from), target = fp8Format(to);
  if (source && target) {
    value = lowering::emitFromFp8(b, machine.floatUnits(), value, *source,
                                  b.getFloatTy());
    return lowering::emitToFp8(b, machine.floatUnits(), value, *target,
                               rounding);
  }
  Type *real = type16(b, to) ? type16(b, to) : type(to);
  if (source) {
    return asRegister(
        b, lowering::emitFromFp8(b, machine.floatUnits(), value, *source, real),
        to);
  }
  value = asFloat(b, value, from);
  if (target) {
    return lowering::emitToFp8(b, machine.floatUnits(), value, *target,
                               rounding);
  }
  return asRegister(
      b, lowering::emitFpCast(b, machine.floatUnits(), value, real, rounding),
      to);
}

bool Lowering::hasElementwise(mlir::Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::CmpIOp, arith::SelectOp,
             arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::AddFOp,
             arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::CmpFOp,
             arith::ExtFOp, arith::IndexCastOp, tile::AddPtrOp, tile::DivSIOp,
             tile::DivUIOp, tile::RemSIOp, tile::RemUIOp, tile::ShlOp,
             tile::ShrSIOp, tile::ShrUIOp, tile::MulHiSIOp, tile::MulHiUIOp,
             tile::MinSIOp, tile::MinUIOp, tile::MaxSIOp, tile::MaxUIOp,
             tile::AbsIOp, tile::DivFOp, tile::RemFOp, tile::MinFOp,
             tile::MaxFOp, tile::FmaOp, tile::MathOp, tile::PowOp,
             tile::TruncFOp, tile::SIToFPOp, tile::UIToFPOp, tile::FPToSIOp,
             tile::FPToUIOp, tile::BitcastOp, tile::PtrToIntOp,
             tile::IntToPtrOp, tile::HintOp>(op);
}

Value *Lowering::elementwise(mlir::Operation *op, ArrayRef<Value *> v) {
  mlir::Type from = tile::elementType(op->getOperand(0).getType());
  mlir::Type to = tile::elementType(op->getResult(0).getType());
  auto shaped = [&](Type *t) { return math::shapedAs(v[0]->getType(), t); };
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
        return floats([&](Args x) { return b.CreateFAdd(x[0], x[1]); });
      })
      .Case<arith::SubFOp>([&](auto) {
        return floats([&](Args x) { return b.CreateFSub(x[0], x[1]); });
      })
      .Case<arith::MulFOp>([&](auto) {
        return floats([&](Args x) { return b.CreateFMul(x[0], x[1]); });
      })
      .Case<arith::NegFOp>([&](auto) -> Value * {
        if (auto format = fp8Format(from)) {
          return changeSign8(b, v[0], *format, true);
        }
        return floats([&](Args x) { return b.CreateFNeg(x[0]); });
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
      .Case<tile::DivSIOp>(
          [&](auto) { return lowering::emitDivS(b, v[0], v[1]); })
      .Case<tile::DivUIOp>(
          [&](auto) { return lowering::emitDivU(b, v[0], v[1]); })
      .Case<tile::RemSIOp>(
          [&](auto) { return lowering::emitRemS(b, v[0], v[1]); })
      .Case<tile::RemUIOp>(
          [&](auto) { return lowering::emitRemU(b, v[0], v[1]); })
      .Case<tile::ShlOp>([&](auto) { return lowering::emitShl(b, v[0], v[1]); })
      .Case<tile::ShrSIOp>(
          [&](auto) { return lowering::emitShrS(b, v[0], v[1]); })
      .Case<tile::ShrUIOp>(
          [&](auto) { return lowering::emitShrU(b, v[0], v[1]); })
      .Case<tile::MulHiSIOp>(
          [&](auto) { return lowering::emitMulHi(b, v[0], v[1], true); })
      .Case<tile::MulHiUIOp>(
          [&](auto) { return lowering::emitMulHi(b, v[0], v[1], false); })
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
      .Case<tile::DivFOp>([&](tile::DivFOp o) {
        return floats([&](Args x) {
          if (Value *divisor = getSplatValue(x[1]);
              divisor && o.getMode() == tile::DivMode::approx) {
            return divideByOne(b, x[0], divisor);
          }
          return math::emit(b, machine, math::Fn::Div, {x[0], x[1]});
        });
      })
      .Case<tile::RemFOp>([&](auto) {
        return floats([&](Args x) {
          return math::emit(b, machine, math::Fn::Fmod, {x[0], x[1]});
        });
      })
      .Case<tile::PowOp>([&](auto) {
        return floats([&](Args x) {
          return math::emit(b, machine, math::Fn::Pow, {x[0], x[1]});
        });
      })
      .Case<tile::MinFOp>([&](tile::MinFOp o) {
        return floats([&](Args x) {
          return lowering::emitMinMax(b, x[0], x[1], false,
                                      o.getPropagateNan());
        });
      })
      .Case<tile::MaxFOp>([&](tile::MaxFOp o) {
        return floats([&](Args x) {
          return lowering::emitMinMax(b, x[0], x[1], true, o.getPropagateNan());
        });
      })
      .Case<tile::FmaOp>([&](auto) {
        if (isNarrow(from)) {
          mlir::Type f64 = mlir::Float64Type::get(op->getContext());
          Value *wide[3];
          for (size_t i = 0; i < 3; ++i) {
            wide[i] = convertFloat(v[i], from, f64);
          }
          return convertFloat(fmaNarrow(b, wide[0], wide[1], wide[2]), f64, to);
        }
        return floats([&](Args x) {
          math::Ops ops(b, machine, x[0]->getType());
          return ops.fma(x[0], x[1], x[2]);
        });
      })
      .Case<tile::MathOp>([&](tile::MathOp o) -> Value * {
        if (auto format = fp8Format(from);
            format && o.getFn() == tile::MathFn::abs) {
          return changeSign8(b, v[0], *format, false);
        }
        return floats(
            [&](Args x) { return emitMath(b, machine, o.getFn(), x[0]); });
      })
      .Case<tile::SIToFPOp, tile::UIToFPOp>([&](auto) -> Value * {
        bool isSigned = isa<tile::SIToFPOp>(op);
        if (fp8Format(to)) {
          Value *wide = lowering::emitIntToFp(b, machine.floatUnits(), v[0],
                                              b.getDoubleTy(), isSigned);
          return convertFloat(wide, mlir::Float64Type::get(op->getContext()),
                              to);
        }
        Type *real = type16(b, to) ? type16(b, to) : type(to);
        return asRegister(b,
                          lowering::emitIntToFp(b, machine.floatUnits(), v[0],
                                                real, isSigned),
                          to);
      })
      .Case<tile::FPToSIOp, tile::FPToUIOp>([&](auto) {
        Value *x = fp8Format(from) ? convertFloat(v[0], from, f32)
                                   : asFloat(b, v[0], from);
        return lowering::emitFpToInt(b, machine.floatUnits(), x, type(to),
                                     isa<tile::FPToSIOp>(op));
      })
      .Case<tile::BitcastOp>(
          [&](auto) { return b.CreateBitCast(v[0], shaped(type(to))); })
      .Case<tile::PtrToIntOp>(
          [&](auto) { return b.CreatePtrToInt(v[0], shaped(type(to))); })
      .Case<tile::IntToPtrOp>(
          [&](auto) { return b.CreateIntToPtr(v[0], shaped(type(to))); })
      .Case<tile::HintOp>([&](auto) { return v[0]; })
      .Default([&](mlir::Operation *o) -> Value * {
        throw Unsupported(o->getLoc(), "'" + o->getName().getStringRef().str() +
                                           "' is not an operation that this "
                                           "target knows");
      });
}

SmallVector<Value *> Lowering::scalarRegion(mlir::Region &region,
                                            ArrayRef<Value *> arguments,
                                            unsigned lanes) {
  DenseMap<mlir::Value, Value *> local;
  mlir::Block &body = region.front();
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments)) {
    local[argument] = value;
  }
  auto get = [&](mlir::Value value) -> Value * {
    auto found = local.find(value);
    return found != local.end() ? found->second : splat(scalar(value), lanes);
  };
  auto emit = [&](auto &self, mlir::Block &ops) -> SmallVector<Value *> {
    for (mlir::Operation &op : ops) {
      if (op.hasTrait<mlir::OpTrait::IsTerminator>()) {
        return map_to_vector(op.getOperands(), get);
      }
      if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
        local[constantOp] = splat(constant(constantOp.getValue()), lanes);
      } else if (auto choice = dyn_cast<mlir::scf::IfOp>(op)) {
        // No memory effects: both sides, then a select.
        auto yes = self(self, choice.getThenRegion().front());
        SmallVector<Value *> no;
        if (!choice.getElseRegion().empty()) {
          no = self(self, choice.getElseRegion().front());
        }
        Value *condition = get(choice.getCondition());
        for (size_t i = 0; i < choice.getNumResults(); ++i) {
          local[choice.getResult(i)] = b.CreateSelect(condition, yes[i], no[i]);
        }
      } else {
        local[op.getResult(0)] =
            elementwise(&op, map_to_vector(op.getOperands(), get));
      }
    }
    return {};
  };
  return emit(emit, body);
}

} // namespace tz::cpu
