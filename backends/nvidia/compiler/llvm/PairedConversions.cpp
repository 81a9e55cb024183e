//===- PairedConversions.cpp - two floats of 8 bits at a time -------------===//
//
// What   Conversions to 8-bit floats whose results are put beside each other,
//        and conversions of 8-bit floats that lie beside each other, are made
//        by one instruction for two of them.
// Why    The instruction converts two; lowered one by one, the other is zero.
//        A kernel that quantises is twice as long, and its bytes are put
//        together one by one.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/InsertedElements.h"
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

#include <map>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

namespace {

/// A conversion to 8 bits of which the other half is zero.
IntrinsicInst *narrowing(Value *byte) {
  Value *pair;
  if (!byte || !match(byte, m_Trunc(m_Value(pair)))) {
    return nullptr;
  }
  auto *call = dyn_cast<IntrinsicInst>(pair);
  if (!call || (call->getIntrinsicID() != Intrinsic::nvvm_ff_to_e4m3x2_rn &&
                call->getIntrinsicID() != Intrinsic::nvvm_ff_to_e5m2x2_rn)) {
    return nullptr;
  }
  return match(call->getArgOperand(0), m_PosZeroFP()) ? call : nullptr;
}

void pairNarrowing(InsertElementInst *last) {
  SmallVector<Value *, 16> elements = insertedElements(last, 8);
  if (elements.empty() || elements.size() % 2 != 0) {
    return;
  }
  for (size_t i = 0; i < elements.size(); i += 2) {
    IntrinsicInst *low = narrowing(elements[i]),
                  *high = narrowing(elements[i + 1]);
    if (!low || !high || low->getIntrinsicID() != high->getIntrinsicID()) {
      return;
    }
  }
  IRBuilder<> b(last);
  Value *pairs = PoisonValue::get(
      FixedVectorType::get(b.getInt16Ty(), unsigned(elements.size() / 2)));
  for (size_t i = 0; i < elements.size(); i += 2) {
    IntrinsicInst *low = narrowing(elements[i]),
                  *high = narrowing(elements[i + 1]);
    Value *both = b.CreateIntrinsic(
        low->getIntrinsicID(), {high->getArgOperand(1), low->getArgOperand(1)});
    pairs = b.CreateInsertElement(pairs, both, uint64_t(i / 2));
  }
  last->replaceAllUsesWith(b.CreateBitCast(pairs, last->getType()));
}

/// Conversions of elements of vectors of bytes. Of each call one half of the
/// result is used.
class Widenings {
public:
  explicit Widenings(Function &function);
  void pair();

private:
  struct Widening {
    IntrinsicInst *call;
    ExtractElementInst *half;
  };
  using OfVector = std::map<uint64_t, Widening>; // by the index of the byte

  MapVector<std::pair<Value *, Intrinsic::ID>, OfVector> found;
};

Widenings::Widenings(Function &function) {
  // The lowest byte of a word is taken from the word.
  SmallVector<std::pair<Value *, Widening>> ofWords;
  for (Instruction &one : instructions(function)) {
    auto *call = dyn_cast<IntrinsicInst>(&one);
    if (!call ||
        (call->getIntrinsicID() != Intrinsic::nvvm_e4m3x2_to_f16x2_rn &&
         call->getIntrinsicID() != Intrinsic::nvvm_e5m2x2_to_f16x2_rn) ||
        !call->hasOneUse()) {
      continue;
    }
    auto *half = dyn_cast<ExtractElementInst>(call->user_back());
    if (!half || !match(half->getIndexOperand(), m_ZeroInt())) {
      continue;
    }
    Value *from, *byte = call->getArgOperand(0);
    uint64_t index;
    if (match(byte,
              m_ZExt(m_ExtractElt(m_Value(from), m_ConstantInt(index)))) &&
        isa<FixedVectorType>(from->getType())) {
      found[{from, call->getIntrinsicID()}].try_emplace(index,
                                                        Widening{call, half});
    } else if (match(byte, m_And(m_Trunc(m_Value(from)), m_SpecificInt(255))) &&
               from->getType()->isIntegerTy(32)) {
      ofWords.push_back({from, Widening{call, half}});
    }
  }
  for (auto &[key, elements] : found) {
    Value *words;
    if (!match(key.first, m_BitCast(m_Value(words)))) {
      continue;
    }
    const SmallVector<Value *, 16> all = insertedElements(words, 32);
    for (auto &[word, widening] : ofWords) {
      auto *place = find(all, word);
      if (place != all.end() && widening.call->getIntrinsicID() == key.second) {
        elements.try_emplace(uint64_t(place - all.begin()) * 4, widening);
      }
    }
  }
}

void Widenings::pair() {
  for (auto &[key, elements] : found) {
    auto [bytes, id] = key;
    const unsigned count =
        cast<FixedVectorType>(bytes->getType())->getNumElements();
    for (auto &[index, low] : elements) {
      auto high = elements.find(index + 1);
      if (index % 2 != 0 || count % 2 != 0 || high == elements.end() ||
          high->second.call->getParent() != low.call->getParent()) {
        continue;
      }
      // At the first of the two, if the vector is there.
      Instruction *at = low.call->comesBefore(high->second.call)
                            ? low.call
                            : high->second.call;
      auto *vector = dyn_cast<Instruction>(bytes);
      if (vector && vector->getParent() == at->getParent() &&
          at->comesBefore(vector)) {
        continue;
      }
      IRBuilder<> b(at);
      Value *pairs = b.CreateBitCast(
          bytes, FixedVectorType::get(b.getInt16Ty(), count / 2));
      Value *both =
          b.CreateIntrinsic(id, {b.CreateExtractElement(pairs, index / 2)});
      for (auto [half, which] : {std::pair(low.half, uint64_t(0)),
                                 std::pair(high->second.half, uint64_t(1))}) {
        half->replaceAllUsesWith(b.CreateExtractElement(both, which));
      }
    }
  }
}

} // namespace

void pairConversions(Function &function) {
  for (InsertElementInst *last : lastInsertions(function)) {
    pairNarrowing(last);
  }
  Widenings(function).pair();
}

} // namespace tz::nvidia
