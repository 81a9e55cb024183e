//===- Ops.cpp - A builder for one float type -----------------------------===//
//
// What   See Ops.h.
// Why    See Ops.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/math/Ops.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <numeric>

using namespace llvm;

namespace tz::cpu::math {

unsigned laneCount(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

Ops::Ops(IRBuilderBase &b, const Isa &isa, Type *type)
    : b(b), isa(isa), type(type),
      intType(shapedAs(type, b.getIntNTy(type->getScalarSizeInBits()))),
      isF64(type->getScalarType()->isDoubleTy()), mantissaBits(isF64 ? 52 : 23),
      bias(isF64 ? 1023 : 127), guard(b) {
  b.clearFastMathFlags();
}

Value *Ops::c(double value) const { return ConstantFP::get(type, value); }

Value *Ops::ci(int64_t value) const {
  return ConstantInt::getSigned(intType, value);
}

Value *Ops::inf() const { return ConstantFP::getInfinity(type); }

Value *Ops::nan() const { return ConstantFP::getNaN(type); }

Value *Ops::fma(V x, V y, V z) const {
  if (isa.fma) {
    return b.CreateIntrinsic(Intrinsic::fma, {type}, {x, y, z});
  }
  // Functions of the module: they are long, and formulas hold many of them.
  return callInternal(
      b, "fma." + typeName(type), type, {x, y, z},
      [&](IRBuilder<> &inner, ArrayRef<Value *> args) {
        const Ops ops(inner, isa, type);
        return isF64 ? fmaInIntegers(ops, args[0], args[1], args[2])
                     : fmaInDouble(ops, args[0], args[1], args[2]);
      });
}

Value *Ops::abs(V x) const {
  return b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
}

Value *Ops::copysign(V magnitude, V sign) const {
  return b.CreateBinaryIntrinsic(Intrinsic::copysign, magnitude, sign);
}

Value *Ops::sqrt(V x) const {
  return b.CreateUnaryIntrinsic(Intrinsic::sqrt, x);
}

Value *Ops::trunc(V x) const {
  return b.CreateUnaryIntrinsic(Intrinsic::trunc, x);
}

Value *Ops::atMost(V x, double limit) const {
  return select(b.CreateFCmpOGT(x, c(limit)), c(limit), x);
}

Value *Ops::atLeast(V x, double limit) const {
  return select(b.CreateFCmpOLT(x, c(limit)), c(limit), x);
}

Value *Ops::polynomial(V x, ArrayRef<double> coefficients) const {
  V result = c(coefficients.back());
  for (double next : reverse(coefficients.drop_back())) {
    result = fma(result, x, c(next));
  }
  return result;
}

/// Adding it leaves the integer in the low bits: 1.5 * 2^mantissaBits.
static double magicOf(bool isF64) { return isF64 ? 0x1.8p52 : 0x1.8p23; }

Ops::Rounded Ops::roundSmall(V x, std::optional<double> factor) const {
  V magic = c(magicOf(isF64));
  V shifted = !factor   ? add(x, magic)
              : isa.fma ? fma(x, c(*factor), magic)
                        : add(mul(x, c(*factor)), magic);
  V integer = b.CreateSub(bits(shifted), bits(magic));
  return {sub(shifted, magic), integer};
}

Value *Ops::smallToReal(V integer) const {
  if (!isF64) {
    return b.CreateSIToFP(integer, type);
  }
  // 64-bit conversions are scalar code without AVX-512.
  V magic = c(magicOf(true));
  return sub(fromBits(b.CreateAdd(integer, bits(magic))), magic);
}

Value *Ops::scale(V x, V n) const {
  // Two factors, because one alone overflows before the result does. Only the
  // second product can round.
  V half = b.CreateAShr(n, ci(1));
  V rest = b.CreateSub(n, half);
  auto power = [&](V exponent) {
    return fromBits(
        b.CreateShl(b.CreateAdd(exponent, ci(bias)), ci(mantissaBits)));
  };
  return mul(mul(x, power(half)), power(rest));
}

bool Ops::scalesAtOnce() const {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return isa.avx512 && vector && isPowerOf2_32(vector->getNumElements()) &&
         vector->getNumElements() >= (isF64 ? 8u : 16u);
}

Value *Ops::scale(V x, const Rounded &n) const {
  if (!scalesAtOnce()) {
    return scale(x, n.integer);
  }
  auto *vector = cast<FixedVectorType>(type);
  const unsigned lanes = isF64 ? 8 : 16;
  Type *part = FixedVectorType::get(vector->getElementType(), lanes);
  SmallVector<Value *> parts;
  for (unsigned from = 0; from < vector->getNumElements(); from += lanes) {
    SmallVector<int> picks(lanes);
    std::iota(picks.begin(), picks.end(), static_cast<int>(from));
    auto take = [&](V v) {
      return lanes == vector->getNumElements()
                 ? v
                 : b.CreateShuffleVector(v, picks);
    };
    parts.push_back(
        b.CreateIntrinsic(part,
                          isF64 ? Intrinsic::x86_avx512_mask_scalef_pd_512
                                : Intrinsic::x86_avx512_mask_scalef_ps_512,
                          {take(x), take(n.real), Constant::getNullValue(part),
                           isF64 ? b.getInt8(0xff) : b.getInt16(0xffff),
                           b.getInt32(4)})); // 4: the current rounding
  }
  // Put together in pairs: a power of two of parts, as the callers make them.
  while (parts.size() > 1) {
    SmallVector<Value *> pairs;
    for (size_t i = 0; i + 1 < parts.size(); i += 2) {
      unsigned width =
          2 * cast<FixedVectorType>(parts[i]->getType())->getNumElements();
      SmallVector<int> picks(width);
      std::iota(picks.begin(), picks.end(), 0);
      pairs.push_back(b.CreateShuffleVector(parts[i], parts[i + 1], picks));
    }
    parts = std::move(pairs);
  }
  return parts[0];
}

Value *Ops::any(V mask) const {
  return mask->getType()->isVectorTy() ? b.CreateOrReduce(mask) : mask;
}

std::string typeName(Type *type) {
  std::string name;
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    name = "v" + std::to_string(vector->getNumElements());
  }
  Type *element = type->getScalarType();
  name += element->isIntegerTy() ? "i" : element->isBFloatTy() ? "bf" : "f";
  return name + std::to_string(element->getPrimitiveSizeInBits());
}

Value *
callInternal(IRBuilderBase &b, const Twine &name, Type *resultType,
             ArrayRef<Value *> args,
             function_ref<Value *(IRBuilder<> &, ArrayRef<Value *>)> body) {
  Function *caller = b.GetInsertBlock()->getParent();
  Module *module = caller->getParent();
  std::string fullName = name.str();
  Function *function = module->getFunction(fullName);
  if (!function) {
    SmallVector<Type *> types;
    for (Value *arg : args) {
      types.push_back(arg->getType());
    }
    function = Function::Create(FunctionType::get(resultType, types, false),
                                GlobalValue::InternalLinkage, fullName, module);
    function->setCallingConv(CallingConv::Fast);
    function->addFnAttr(Attribute::NoUnwind);
    function->addFnAttr(Attribute::NoInline);
    // The same registers and features, or vectors would be passed differently.
    for (const char *key : {"target-cpu", "target-features", "tune-cpu",
                            "min-legal-vector-width", "prefer-vector-width"}) {
      if (caller->hasFnAttribute(key)) {
        function->addFnAttr(caller->getFnAttribute(key));
      }
    }
    IRBuilder<> inner(BasicBlock::Create(b.getContext(), "entry", function));
    SmallVector<Value *> parameters;
    for (Argument &argument : function->args()) {
      parameters.push_back(&argument);
    }
    inner.CreateRet(body(inner, parameters));
  }
  CallInst *call = b.CreateCall(function, args);
  call->setCallingConv(CallingConv::Fast);
  return call;
}

} // namespace tz::cpu::math
