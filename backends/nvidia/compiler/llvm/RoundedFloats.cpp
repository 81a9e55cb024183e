//===- RoundedFloats.cpp - floats that are rounded and go on as floats ----===//
//
// What   A float that is rounded to bf16 and widened again is made by one
//        conversion of a pair: its upper half, above a zero, is the float.
// Why    ptxas converts a single bf16 that is then shifted up with F2F, an
//        instruction of the unit for exponentials, at its rate, and a shift. A
//        pair is F2FP, which other units do four times as fast.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

/// The float of which `one` is the rounded value's bits, as a float's; null if
/// it is none.
static Value *roundedBy(Instruction &one) {
  Value *whole = nullptr;
  const bool isWidened =
      match(&one, m_Shl(m_ZExt(m_BitCast(m_FPTrunc(m_Value(whole)))),
                        m_SpecificInt(16))) &&
      one.getType()->isIntegerTy(32) && whole->getType()->isFloatTy();
  return isWidened ? whole : nullptr;
}

void roundInPlace(Function &function) {
  SmallVector<std::pair<Instruction *, Value *>, 8> rounded;
  for (Instruction &one : instructions(function)) {
    if (Value *whole = roundedBy(one)) {
      rounded.push_back({&one, whole});
    }
  }
  for (auto [one, whole] : rounded) {
    IRBuilder<> b(one);
    CallInst *bits = b.CreateCall(
        InlineAsm::get(
            FunctionType::get(b.getInt32Ty(), {b.getFloatTy()}, false),
            "cvt.rn.bf16x2.f32 $0, $1, 0f00000000;", "=r,f",
            /*hasSideEffects=*/false),
        {whole});
    bits->setDoesNotAccessMemory();
    bits->setDoesNotThrow();
    one->replaceAllUsesWith(bits);
    one->eraseFromParent();
  }
}

} // namespace tz::nvidia
