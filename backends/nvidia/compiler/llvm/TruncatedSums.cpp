//===- TruncatedSums.cpp - low parts of the sums of integer products ------===//
//
// What   In a kernel with integer matrix products, the low half of a word is
//        taken by mov.b32 into two halves.
// Why    Where 16 bits of two sums of mma.sync are stored beside each other,
//        ptxas 12.8 joins the wrong registers: of R12 to R15 it takes R12 and
//        R8. Halves of a mov.b32 it joins right.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tz::nvidia {

/// Is it a matrix product whose sums are integers?
static bool isIntegerProduct(const Instruction &one) {
  auto *call = dyn_cast<CallInst>(&one);
  auto *code = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return code && StringRef(code->getAsmString()).contains("mma") &&
         StringRef(code->getAsmString()).contains(".s32");
}

void separateTruncatedSums(Function &function) {
  if (none_of(instructions(function), isIntegerProduct)) {
    return;
  }
  SmallVector<TruncInst *> found;
  for (Instruction &one : instructions(function)) {
    auto *low = dyn_cast<TruncInst>(&one);
    if (low && low->getSrcTy()->isIntegerTy(32) &&
        (low->getType()->isIntegerTy(16) || low->getType()->isIntegerTy(8))) {
      found.push_back(low);
    }
  }
  for (TruncInst *low : found) {
    IRBuilder<> b(low);
    auto *type =
        FunctionType::get(b.getInt16Ty(), {b.getInt32Ty()}, /*isVarArg=*/false);
    CallInst *half = b.CreateCall(
        InlineAsm::get(type, "{ .reg .b16 high; mov.b32 {$0, high}, $1; }",
                       "=h,r", /*hasSideEffects=*/false),
        {low->getOperand(0)});
    half->setDoesNotAccessMemory();
    half->setDoesNotThrow();
    low->replaceAllUsesWith(b.CreateTrunc(half, low->getType()));
    low->eraseFromParent();
  }
}

} // namespace tz::nvidia
