//===- OwnElements.cpp - vectors that put their own elements back ---------===//
//
// What   An element that is inserted where its vector has it already goes, and
//        so does a shuffle that leaves all elements in their places.
// Why    LLVM sees the last word of a vector through a cast and takes its low
//        half from the word itself. Where the vector is stored, it inserts the
//        half again. ptxas then keeps half and word in two registers: for a
//        load under a predicate it copies the word behind each load, and waits
//        for the first load before it begins the last.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

/// Is `part` what `vector` has at `index`?
static bool isElement(Value *part, Value *vector, uint64_t index) {
  if (match(part, m_ExtractElt(m_Specific(vector), m_SpecificInt(index)))) {
    return true;
  }
  match(part, m_BitCast(m_Value(part))); // an integer as a float
  Value *word = nullptr, *words = nullptr;
  uint64_t shift = 0;
  if (!match(part, m_Trunc(m_LShr(m_Value(word), m_ConstantInt(shift)))) &&
      !match(part, m_Trunc(m_Value(word)))) {
    return false;
  }
  if (!match(vector, m_BitCast(m_Value(words)))) {
    return false;
  }
  auto *type = dyn_cast<FixedVectorType>(words->getType());
  if (!type || type->getElementType() != word->getType()) {
    return false;
  }
  const uint64_t bits = vector->getType()->getScalarSizeInBits();
  const uint64_t parts = word->getType()->getScalarSizeInBits() / bits;
  return parts > 0 && part->getType()->getScalarSizeInBits() == bits &&
         shift == index % parts * bits &&
         findScalarElement(words, unsigned(index / parts)) == word;
}

/// The vector that `one` is, element by element; null: it is another.
static Value *sameVector(Instruction &one) {
  Value *vector = one.getNumOperands() > 0 ? one.getOperand(0) : nullptr;
  uint64_t index = 0;
  if (match(&one, m_InsertElt(m_Value(), m_Value(), m_ConstantInt(index)))) {
    return isElement(one.getOperand(1), vector, index) ? vector : nullptr;
  }
  auto *shuffle = dyn_cast<ShuffleVectorInst>(&one);
  if (!shuffle || shuffle->getOperand(1) != vector ||
      shuffle->getType() != vector->getType()) {
    return nullptr;
  }
  const int count = int(shuffle->getShuffleMask().size());
  const bool isSame =
      all_of(enumerate(shuffle->getShuffleMask()), [&](const auto &place) {
        return place.value() % count == int(place.index());
      });
  return isSame ? vector : nullptr;
}

void dropOwnElements(Function &function) {
  SmallVector<WeakTrackingVH> dead;
  for (Instruction &one : instructions(function)) {
    if (Value *vector = sameVector(one)) {
      one.replaceAllUsesWith(vector);
      dead.push_back(&one);
    }
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
}

} // namespace tz::nvidia
