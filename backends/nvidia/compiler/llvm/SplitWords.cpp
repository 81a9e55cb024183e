//===- SplitWords.cpp - the low part of a word that is taken apart --------===//
//
// What   Where a select chooses the low half or byte of a 32-bit word, and
// other
//        bits of that word are used by themselves, the low half is taken by
//        mov.b32 {low, _} instead of cvt.u16.u32.
// Why    For sm_86 and later ptxas (12.8 and 13.0) may choose in place, in the
//        register of the word, and copy the high half before. If a branch ends
//        between the word's definition and its use, it copies the low half
//        instead. It does not where both halves are taken by mov.b32.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

/// The word of which `one` is the low half or byte; null if it is none. An
/// element 0 of a bit cast word becomes a truncation in code generation.
static Value *wordOfLowPart(Instruction &one) {
  Value *word = nullptr;
  if (match(&one, m_Trunc(m_Value(word))) ||
      match(&one, m_ExtractElt(m_BitCast(m_Value(word)), m_ZeroInt()))) {
    const unsigned bits = one.getType()->getScalarSizeInBits();
    if (word->getType()->isIntegerTy(32) && (bits == 8 || bits == 16)) {
      return word;
    }
  }
  return nullptr;
}

/// Does a select choose `part`, as it is or as a number of another type?
static bool isChosen(const Instruction &part) {
  return any_of(part.users(), [](const User *user) {
    return isa<SelectInst>(user) ||
           (isa<BitCastInst>(user) && isChosen(*cast<Instruction>(user)));
  });
}

/// Are bits of `word` used by themselves, besides its low part?
static bool hasOtherParts(const Value *word) {
  return any_of(word->users(), [](const User *user) {
    if (isa<BitCastInst>(user)) {
      return any_of(user->users(), [](const User *element) {
        return isa<ExtractElementInst>(element) &&
               !match(element, m_ExtractElt(m_Value(), m_ZeroInt()));
      });
    }
    return match(user, m_LShr(m_Value(), m_ConstantInt())) ||
           match(user, m_AShr(m_Value(), m_ConstantInt()));
  });
}

/// The low part of `word`, of the type of `part`, where `part` stands.
static Value *splitOff(Instruction &part, Value *word) {
  IRBuilder<> b(&part);
  CallInst *half = b.CreateCall(
      InlineAsm::get(FunctionType::get(b.getInt16Ty(), {b.getInt32Ty()}, false),
                     "mov.b32 {$0, _}, $1;", "=h,r", /*hasSideEffects=*/false),
      {word});
  half->setDoesNotAccessMemory();
  half->setDoesNotThrow();
  Type *type = part.getType();
  return type->getScalarSizeInBits() == 8
             ? b.CreateBitCast(b.CreateTrunc(half, b.getInt8Ty()), type)
             : b.CreateBitCast(half, type);
}

void splitChosenWords(Function &function) {
  SmallVector<std::pair<Instruction *, Value *>, 8> parts;
  for (Instruction &one : instructions(function)) {
    Value *word = wordOfLowPart(one);
    if (word && isChosen(one) && hasOtherParts(word)) {
      parts.push_back({&one, word});
    }
  }
  for (auto [part, word] : parts) {
    part->replaceAllUsesWith(splitOff(*part, word));
    part->eraseFromParent();
  }
}

} // namespace tz::nvidia
