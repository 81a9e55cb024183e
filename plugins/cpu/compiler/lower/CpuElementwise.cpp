//===- CpuElementwise.cpp - One operation on scalars or vectors -----------===//
//
// What   The math of this target for the shared lowering of elementwise ops,
//        and regions of scalars.
// Why    The same code serves scalars, lanes of nests, and the scalar regions
//        of reductions.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/CpuLowering.h"
#include "plugins/cpu/compiler/math/CpuMath.h"
#include "plugins/cpu/compiler/math/Ops.h"

#include "llvm/Analysis/VectorUtils.h"

#include <cmath>

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::cpu {

namespace {

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

/// x / divisor for all lanes by one division. A product with the reciprocal
/// alone is off by a unit in the last place for a quarter of all x. One step of
/// correction gives the quotient of a division, but where x is so small that
/// the excess of the product is denormal, or the result is: Markstein's theorem
/// (Muller et al., Handbook of Floating-Point Arithmetic, "Newton-Raphson-based
/// division"). It asks for a product within one unit; this one is within 1.5,
/// and of 10^8 drawn quotients all are right. The divisor is scaled so that its
/// reciprocal is neither infinite nor denormal.
Value *divideByOne(IRBuilderBase &b, const math::Ops &ops, Value *x,
                   Value *divisor) {
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
  Value *scaled = b.CreateFMul(size, scale);
  Value *reciprocal = b.CreateFDiv(ConstantFP::get(type, 1), scaled);
  // The sign of the divisor comes last: else that of a zero would be lost.
  Value *last = b.CreateBinaryIntrinsic(Intrinsic::copysign, scale, divisor);
  const unsigned lanes = cast<FixedVectorType>(x->getType())->getNumElements();
  auto all = [&](Value *one) { return b.CreateVectorSplat(lanes, one); };
  Value *quotient = b.CreateFMul(x, all(reciprocal));
  Value *excess = ops.fma(quotient, all(scaled), b.CreateFNeg(x));
  Value *corrected = ops.fma(b.CreateFNeg(excess), all(reciprocal), quotient);
  // Not a number where x, the divisor or the quotient is infinite.
  quotient = b.CreateSelect(b.CreateFCmpUNO(corrected, corrected), quotient,
                            corrected);
  return b.CreateFMul(quotient, all(last));
}

} // namespace

Value *Arithmetic::math(tile::MathFn fn, Value *x) {
  return emitMath(b, machine, fn, x);
}

Value *Arithmetic::power(Value *x, Value *y) {
  return math::emit(b, machine, math::Fn::Pow, {x, y});
}

Value *Arithmetic::remainder(Value *x, Value *y) {
  return math::emit(b, machine, math::Fn::Fmod, {x, y});
}

Value *Arithmetic::minMax(Value *x, Value *y, bool isMax, bool propagateNan) {
  IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  // One machine instruction, which answers y if either is NaN.
  Value *first = isMax ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
  Value *result = b.CreateSelect(first, x, y);
  Value *suspect = propagateNan ? x : y;
  // Without the freeze LLVM joins the selects, and what was one instruction
  // becomes a compare, a union of masks and a blend. Its maxnum would do, too,
  // but that of widened f16 becomes a call of a library's function.
  return b.CreateSelect(b.CreateFCmpUNO(suspect, suspect), x,
                        b.CreateFreeze(result));
}

Value *Arithmetic::divide(Value *x, Value *y, tile::DivMode mode) {
  if (Value *divisor = getSplatValue(y);
      divisor && mode == tile::DivMode::approx && machine.fma) {
    return divideByOne(b, math::Ops(b, machine, x->getType()), x, divisor);
  }
  return math::emit(b, machine, math::Fn::Div, {x, y});
}

Value *Arithmetic::fma(Value *x, Value *y, Value *z) {
  return math::Ops(b, machine, x->getType()).fma(x, y, z);
}

Value *CpuLowering::elementwise(mlir::Operation *op, ArrayRef<Value *> v) {
  if (!hasElementwise(op)) {
    throw Unsupported(op->getLoc(), "'" + op->getName().getStringRef().str() +
                                        "' is not an operation that this "
                                        "target knows");
  }
  return arithmetic.emit(op, v);
}

SmallVector<Value *> CpuLowering::scalarRegion(mlir::Region &region,
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
