//===- UpperHalves.cpp - bf16 in words, widened in place ------------------===//
//
// What   A 16-bit element of a vector of words that is shifted up to the upper
//        half of a word is taken from its word: by a mask if it is there
//        already, else by the shift alone.
// Why    It is how a bf16 becomes a float. ptxas takes the upper half of a word
//        out by one instruction, and shifts it back by another.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

void widenInPlace(Function &function) {
  // A word lives until both of its halves are floats. ptxas keeps the halves of
  // long tiles apart, and spills less (measured on bf16 rows of 800 and more
  // elements a thread).
  constexpr size_t mostWidened = 256;
  SmallVector<Instruction *> widened;
  for (Instruction &one : instructions(function)) {
    if (one.getType()->isIntegerTy(32) &&
        match(&one, m_Shl(m_ZExt(m_Value()), m_SpecificInt(16)))) {
      widened.push_back(&one);
    }
  }
  if (widened.size() > mostWidened) {
    return;
  }
  for (Instruction *one : widened) {
    Value *half = cast<Instruction>(one->getOperand(0))->getOperand(0);
    Value *words = nullptr;
    uint64_t index = 0;
    if (!half->getType()->isIntegerTy(16) ||
        !match(half,
               m_ExtractElt(m_BitCast(m_Value(words)), m_ConstantInt(index)))) {
      continue;
    }
    auto *type = dyn_cast<FixedVectorType>(words->getType());
    if (!type || !type->getElementType()->isIntegerTy(32) ||
        index / 2 >= type->getNumElements()) {
      continue;
    }
    IRBuilder<> b(one);
    Value *word = findScalarElement(words, unsigned(index / 2));
    if (!word) {
      word = b.CreateExtractElement(words, index / 2);
    }
    one->replaceAllUsesWith(index % 2 == 1
                                ? b.CreateAnd(word, b.getInt32(0xffff0000))
                                : b.CreateShl(word, 16));
    one->eraseFromParent();
  }
}

} // namespace tz::nvidia
