//===- Float8Limits.cpp - limits that a conversion has itself -----===//
//
// What   A minimum or maximum with a number beyond the largest one of an 8-bit
//        float, right before the conversion to that type, goes.
// Why    Who quantises limits to the type's range first, and the conversion
//        does it again: infinities and what is too large become the largest
//        number. A NaN stays one, so a limit that would end it stays, too.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace tz::nvidia {

namespace {

/// A minimum or maximum with a number.
struct Limit {
  Value *value = nullptr;
  float number = 0;
  bool isMax = false, keepsNan = false;
};

Limit limitOf(Value *value) {
  auto *call = dyn_cast<IntrinsicInst>(value);
  if (!call) {
    return {};
  }
  Limit limit;
  switch (call->getIntrinsicID()) {
  case Intrinsic::maxnum:
  case Intrinsic::nvvm_fmax_f:
    limit.isMax = true;
    break;
  case Intrinsic::maximum:
  case Intrinsic::nvvm_fmax_nan_f:
    limit.isMax = limit.keepsNan = true;
    break;
  case Intrinsic::minnum:
  case Intrinsic::nvvm_fmin_f:
    break;
  case Intrinsic::minimum:
  case Intrinsic::nvvm_fmin_nan_f:
    limit.keepsNan = true;
    break;
  default:
    return {};
  }
  for (unsigned i : {0u, 1u}) {
    auto *number = dyn_cast<ConstantFP>(call->getArgOperand(i));
    if (number && number->getType()->isFloatTy() && !number->isNaN()) {
      limit.number = number->getValueAPF().convertToFloat();
      limit.value = call->getArgOperand(1 - i);
      return limit;
    }
  }
  return {};
}

/// What may be converted in the value's place: its limits are the type's, or
/// beyond them.
Value *withoutLimits(Value *value, float largest) {
  for (Limit limit = limitOf(value); limit.value; limit = limitOf(value)) {
    const Limit inner = limitOf(limit.value);
    const bool isNoNan = inner.value && !inner.keepsNan;
    const bool isWide =
        limit.isMax ? limit.number <= -largest : limit.number >= largest;
    if (!isWide || (!limit.keepsNan && !isNoNan)) {
      break;
    }
    value = limit.value;
  }
  return value;
}

} // namespace

void dropSaturatedLimits(Function &function) {
  constexpr float largestE4M3 = 448, largestE5M2 = 57344;
  SmallVector<IntrinsicInst *> conversions;
  for (Instruction &one : instructions(function)) {
    auto *call = dyn_cast<IntrinsicInst>(&one);
    if (call && (call->getIntrinsicID() == Intrinsic::nvvm_ff_to_e4m3x2_rn ||
                 call->getIntrinsicID() == Intrinsic::nvvm_ff_to_e5m2x2_rn)) {
      conversions.push_back(call);
    }
  }
  for (IntrinsicInst *conversion : conversions) {
    const float largest =
        conversion->getIntrinsicID() == Intrinsic::nvvm_ff_to_e4m3x2_rn
            ? largestE4M3
            : largestE5M2;
    for (unsigned i : {0u, 1u}) {
      Value *operand = conversion->getArgOperand(i);
      conversion->setArgOperand(i, withoutLimits(operand, largest));
      if (auto *left = dyn_cast<Instruction>(operand);
          left && left->use_empty()) {
        left->eraseFromParent();
      }
    }
  }
}

} // namespace tz::nvidia
