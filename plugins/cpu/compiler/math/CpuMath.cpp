//===- CpuMath.cpp - Dispatch and the functions that are one instruction --===//
//
// What   emit(), supports() and the accuracy table.
// Why    One place lists every function with the error that tests allow it.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/math/CpuMath.h"

#include "plugins/cpu/compiler/math/Ops.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace tz::cpu::math {

bool supports(Fn, Type *element) {
  return element->isFloatTy() || element->isDoubleTy();
}

double ulpBound(Fn fn, Type *element) {
  bool isF64 = element->isDoubleTy();
  switch (fn) {
  case Fn::Exp:
  case Fn::Exp2:
  case Fn::Log:
  case Fn::Log2:
  case Fn::Rsqrt:
    return 2;
  case Fn::Pow:
  case Fn::Sin:
  case Fn::Cos:
  case Fn::Tanh:
  case Fn::Erf:
    return isF64 ? 4 : 2;
  case Fn::Sqrt:
  case Fn::Rcp:
  case Fn::Div:
    return 0.5;
  case Fn::Floor:
  case Fn::Ceil:
  case Fn::Trunc:
  case Fn::Round:
  case Fn::RoundEven:
  case Fn::Abs:
  case Fn::Fmod:
    break;
  }
  return 0;
}

static Value *emitUnary(const Ops &o, Fn fn, Value *x) {
  auto unary = [&](Intrinsic::ID id) {
    return o.b.CreateUnaryIntrinsic(id, x);
  };
  switch (fn) {
  case Fn::Exp:
    return emitExp(o, x);
  case Fn::Exp2:
    return emitExp2(o, x);
  case Fn::Log:
    return emitLog(o, x);
  case Fn::Log2:
    return emitLog2(o, x);
  case Fn::Sin:
    return emitSinCos(o, x, false);
  case Fn::Cos:
    return emitSinCos(o, x, true);
  case Fn::Tanh:
    return emitTanh(o, x);
  case Fn::Erf:
    return emitErf(o, x);
  case Fn::Sqrt:
    return o.sqrt(x);
  case Fn::Rsqrt:
    return o.div(o.c(1), o.sqrt(x));
  case Fn::Rcp:
    return o.div(o.c(1), x);
  case Fn::Floor:
    return unary(Intrinsic::floor);
  case Fn::Ceil:
    return unary(Intrinsic::ceil);
  case Fn::Trunc:
    return unary(Intrinsic::trunc);
  case Fn::Round: {
    // trunc(x + 0.5 with x's sign) is wrong just below one half: use the
    // largest value below one half.
    Value *half =
        o.copysign(o.c(o.isF64 ? 0x1.fffffffffffffp-2 : 0x1.fffffep-2), x);
    return o.copysign(o.trunc(o.add(x, half)), x);
  }
  case Fn::RoundEven:
    return unary(Intrinsic::roundeven);
  case Fn::Abs:
    return o.abs(x);
  case Fn::Div:
  case Fn::Fmod:
  case Fn::Pow:
    break;
  }
  return nullptr;
}

Value *emit(IRBuilderBase &b, const Isa &isa, Fn fn, ArrayRef<Value *> args) {
  const Ops o(b, isa, args[0]->getType());
  switch (fn) {
  case Fn::Div:
    return o.div(args[0], args[1]);
  case Fn::Fmod:
    return emitFmod(o, args[0], args[1]);
  case Fn::Pow:
    return emitPow(o, args[0], args[1]);
  default:
    return emitUnary(o, fn, args[0]);
  }
}

} // namespace tz::cpu::math
