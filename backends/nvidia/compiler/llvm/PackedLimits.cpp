//===- PackedLimits.cpp - extremes of bf16, two at a time -----------------===//
//
// What   Where floats that are widened from bf16 are joined by maxima (or by
//        minima), those whose halves lie in one word are joined as pairs, and
//        only the last pair is widened.
// Why    A maximum of bf16 rounds nothing, so it is the maximum of the floats.
//        Widening costs one to three instructions an element, where a pair of
//        elements needs one maximum.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

namespace {

constexpr uint32_t UpperHalf = 0xffff0000, UpperMagnitude = 0x7fff0000,
                   LowerMagnitude = 0x7fff;

/// A float that is a bf16's: which half of which word, with its sign or
/// without. Elements of a vector of halves count in pairs; `pair` is below
/// zero for a word that is a value by itself.
struct Half {
  Value *from = nullptr;
  int pair = -1;
  bool isUpper = false, isMagnitude = false;
};

/// Takes `value` as 16 bits.
bool takeHalf(Value *value, Half &half) {
  Value *vector = nullptr;
  if (match(value, m_And(m_Value(vector), m_SpecificInt(LowerMagnitude)))) {
    half.isMagnitude = true;
    value = vector;
  }
  uint64_t index = 0;
  if (match(value, m_ExtractElt(m_Value(vector), m_ConstantInt(index)))) {
    auto *type = dyn_cast<FixedVectorType>(vector->getType());
    if (!type || type->getNumElements() % 2 != 0) {
      return false;
    }
    half.isUpper = index % 2 == 1;
    half.from = vector;
    half.pair = int(index / 2);
    Value *words = nullptr;
    if (match(vector, m_BitCast(m_Value(words))) &&
        words->getType()->getScalarType()->isIntegerTy(32)) {
      half.from = words;
      if (!words->getType()->isVectorTy()) {
        half.pair = -1;
      } else if (Value *word = findScalarElement(words, unsigned(half.pair))) {
        half.from = word;
        half.pair = -1;
      }
    }
    return true;
  }
  half.isUpper =
      match(value, m_Trunc(m_LShr(m_Value(half.from), m_SpecificInt(16))));
  return (half.isUpper || match(value, m_Trunc(m_Value(half.from)))) &&
         half.from->getType()->isIntegerTy(32);
}

/// Takes `value` as the 32 bits of a float whose lower half is zero.
bool takeUpperBits(Value *value, Half &half) {
  Value *inner = nullptr;
  if (match(value, m_And(m_Value(inner), m_SpecificInt(UpperMagnitude)))) {
    half.isMagnitude = true;
  } else if (!match(value, m_And(m_Value(inner), m_SpecificInt(UpperHalf)))) {
    inner = nullptr;
  }
  if (inner && !match(inner, m_Shl(m_Value(), m_SpecificInt(16)))) {
    half.from = inner;
    half.isUpper = true;
    return true;
  }
  if (!match(inner ? inner : value, m_Shl(m_Value(inner), m_SpecificInt(16)))) {
    return false;
  }
  Value *narrow = nullptr;
  if (match(inner, m_ZExt(m_Value(narrow)))) {
    return narrow->getType()->isIntegerTy(16) && takeHalf(narrow, half);
  }
  half.from = inner;
  return true;
}

/// The bf16 that `value` is as a float; `from` is null if it is none. So it is
/// for magnitudes that are needed as floats, too: of a float that is there,
/// the magnitude costs nothing.
Half halfOf(Value *value) {
  Half half;
  Value *whole = value, *bits = nullptr;
  if (match(whole, m_FAbs(m_Value(whole)))) {
    half.isMagnitude = true;
  }
  if (!whole->getType()->isFloatTy() ||
      !match(whole, m_BitCast(m_Value(bits))) ||
      !bits->getType()->isIntegerTy(32) || !takeUpperBits(bits, half) ||
      (half.isMagnitude && !(value->hasOneUse() && whole->hasOneUse()))) {
    return {};
  }
  return half;
}

bool joins(const Instruction &one) {
  auto *call = dyn_cast<IntrinsicInst>(&one);
  return call && call->getType()->isFloatTy() &&
         is_contained({Intrinsic::maxnum, Intrinsic::minnum, Intrinsic::maximum,
                       Intrinsic::minimum},
                      call->getIntrinsicID());
}

/// A tree of extremes of one kind, in one block.
class Tree {
public:
  explicit Tree(IntrinsicInst *root) : root(root) { take(root); }

  /// Joins pairs of bf16 before what else there is.
  void pack() {
    constexpr size_t fewest = 2; // words; one is widened as cheaply
    SmallPtrSet<Value *, 16> taken;
    const SmallVector<Half> words = wholeWords(taken);
    if (words.size() < fewest) {
      return;
    }
    erase_if(leaves, [&](Value *leaf) { return taken.contains(leaf); });
    IRBuilder<> b(root);
    SmallVector<Value *> packed;
    for (const Half &word : words) {
      packed.push_back(packedHalves(b, word));
    }
    Value *last = b.CreateBitCast(joined(b, packed), b.getInt32Ty());
    for (Value *bits :
         {b.CreateShl(last, 16), b.CreateAnd(last, b.getInt32(UpperHalf))}) {
      leaves.push_back(b.CreateBitCast(bits, b.getFloatTy()));
    }
    root->replaceAllUsesWith(joined(b, leaves));
    RecursivelyDeleteTriviallyDeadInstructions(root);
  }

private:
  void take(IntrinsicInst *call) {
    for (Value *operand : call->args()) {
      auto *inner = dyn_cast<IntrinsicInst>(operand);
      if (inner && inner->getIntrinsicID() == call->getIntrinsicID() &&
          inner->hasOneUse() && inner->getParent() == call->getParent()) {
        take(inner);
      } else {
        leaves.push_back(operand);
      }
    }
  }

  /// One half of each word that is a leaf with both; `taken`: these leaves.
  SmallVector<Half> wholeWords(SmallPtrSetImpl<Value *> &taken) {
    MapVector<std::pair<Value *, int>, SmallVector<std::pair<Half, Value *>, 2>>
        words;
    for (Value *leaf : leaves) {
      if (Half half = halfOf(leaf); half.from) {
        words[{half.from, half.pair}].push_back({half, leaf});
      }
    }
    SmallVector<Half> whole;
    for (const auto &[word, halves] : words) {
      if (halves.size() != 2) {
        continue;
      }
      const auto &[one, oneLeaf] = halves[0];
      const auto &[other, otherLeaf] = halves[1];
      if (one.isUpper != other.isUpper &&
          one.isMagnitude == other.isMagnitude) {
        whole.push_back(one);
        taken.insert(oneLeaf);
        taken.insert(otherLeaf);
      }
    }
    return whole;
  }

  /// The word of a half, as two bf16.
  static Value *packedHalves(IRBuilder<> &b, const Half &half) {
    Value *word = half.from;
    if (half.pair >= 0) {
      auto *type = cast<FixedVectorType>(word->getType());
      if (!type->getElementType()->isIntegerTy(32)) {
        word = b.CreateBitCast(
            word,
            FixedVectorType::get(b.getInt32Ty(), type->getNumElements() / 2));
      }
      word = b.CreateExtractElement(word, uint64_t(half.pair));
    }
    if (half.isMagnitude) {
      word = b.CreateAnd(word, b.getInt32(UpperMagnitude | LowerMagnitude));
    }
    return b.CreateBitCast(word, FixedVectorType::get(b.getBFloatTy(), 2));
  }

  /// All values, joined in neighbours.
  Value *joined(IRBuilder<> &b, ArrayRef<Value *> values) {
    if (values.size() == 1) {
      return values.front();
    }
    const size_t middle = values.size() / 2;
    Value *left = joined(b, values.take_front(middle));
    return b.CreateBinaryIntrinsic(root->getIntrinsicID(), left,
                                   joined(b, values.drop_front(middle)));
  }

  IntrinsicInst *root;
  SmallVector<Value *> leaves;
};

} // namespace

void packLimits(Function &function) {
  SmallVector<IntrinsicInst *> roots;
  for (Instruction &one : instructions(function)) {
    auto *call = joins(one) ? cast<IntrinsicInst>(&one) : nullptr;
    auto *user = call && call->hasOneUse()
                     ? dyn_cast<IntrinsicInst>(*call->user_begin())
                     : nullptr;
    if (call && (!user || user->getIntrinsicID() != call->getIntrinsicID() ||
                 user->getParent() != call->getParent())) {
      roots.push_back(call);
    }
  }
  for (IntrinsicInst *root : roots) {
    Tree(root).pack();
  }
}

} // namespace tz::nvidia
