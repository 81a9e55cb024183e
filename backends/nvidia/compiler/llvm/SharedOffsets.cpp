//===- SharedOffsets.cpp - what several arrays add to their addresses -----===//
//
// What   (p + x) + y and (q + x) + y become p + s and q + s, with s = x + y:
//        in a kernel without loops, where at least two addresses share both.
// Why    A program's first element and a thread's place in it are added to each
//        array of a kernel. ptxas makes a multiplication of 64 bits of each of
//        the two; of a sum it makes two additions of 32 bits.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <tuple>

using namespace llvm;

namespace tz::nvidia {

namespace {

/// An index and the bytes that it counts.
struct Step {
  Value *index;
  uint64_t bytes;
  bool operator==(const Step &) const = default;
  bool operator<(const Step &other) const {
    return std::tie(index, bytes) < std::tie(other.index, other.bytes);
  }
};

using Steps = std::pair<Step, Step>;

/// What a pointer of one index that no constant is adds, by its own block.
std::optional<Step> stepOf(const GetElementPtrInst *pointer,
                           const DataLayout &layout) {
  if (!pointer || pointer->getNumIndices() != 1 ||
      !pointer->getType()->isPointerTy()) {
    return std::nullopt;
  }
  Value *index = pointer->getOperand(1);
  if (!index->getType()->isIntegerTy(64) || isa<Constant>(index)) {
    return std::nullopt;
  }
  return Step{index, layout.getTypeAllocSize(pointer->getSourceElementType())};
}

Value *inBytes(IRBuilder<> &b, const Step &step) {
  return step.bytes == 1 ? step.index
                         : b.CreateMul(step.index, b.getInt64(step.bytes));
}

Value *sumOf(IRBuilder<> &b, const Steps &steps, const DataLayout &layout) {
  Value *x = inBytes(b, steps.first), *y = inBytes(b, steps.second);
  return haveNoCommonBitsSet(x, y, SimplifyQuery(layout))
             ? b.CreateOr(x, y, "", /*IsDisjoint=*/true)
             : b.CreateAdd(x, y);
}

/// Pointers that add the same, in the order of their blocks.
using Sharing = MapVector<Steps, SmallVector<GetElementPtrInst *, 4>,
                          std::map<Steps, unsigned>>;

Sharing sharingIn(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  Sharing sharing;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function)) {
    for (Instruction &one : *block) {
      auto *outer = dyn_cast<GetElementPtrInst>(&one);
      auto *inner =
          outer ? dyn_cast<GetElementPtrInst>(outer->getOperand(0)) : nullptr;
      std::optional<Step> x = stepOf(inner, layout), y = stepOf(outer, layout);
      if (x && y) {
        sharing[{*x, *y}].push_back(outer);
      }
    }
  }
  sharing.remove_if([](auto &one) { return one.second.size() < 2; });
  return sharing;
}

} // namespace

void shareOffsets(Function &function) {
  if (function.isDeclaration()) {
    return;
  }
  const DataLayout &layout = function.getParent()->getDataLayout();
  DominatorTree dominators(function);
  // A loop hides what comes before it. Of many sums each would take two
  // registers up to its last address.
  constexpr size_t mostSums = 2;
  Sharing sharing =
      LoopInfo(dominators).empty() ? sharingIn(function) : Sharing();
  if (sharing.size() > mostSums) {
    return;
  }
  // What one pair replaces may be the first sum of another.
  SmallVector<WeakTrackingVH, 8> replaced;
  for (auto &[steps, pointers] : sharing) {
    // Of those in other blocks, the ones that the first one's comes before.
    GetElementPtrInst *first = pointers.front();
    llvm::erase_if(pointers, [&](GetElementPtrInst *pointer) {
      auto *inner = cast<GetElementPtrInst>(pointer->getOperand(0));
      return (pointer != first && !dominators.dominates(first, pointer)) ||
             stepOf(inner, layout) != steps.first; // it was another pair's
    });
    if (pointers.size() < 2 || pointers.front() != first) {
      continue;
    }
    IRBuilder<> atFirst(first);
    Value *sum = sumOf(atFirst, steps, layout);
    for (GetElementPtrInst *pointer : pointers) {
      auto *inner = cast<GetElementPtrInst>(pointer->getOperand(0));
      IRBuilder<> b(pointer);
      pointer->replaceAllUsesWith(
          b.CreatePtrAdd(inner->getPointerOperand(), sum));
      replaced.push_back(pointer);
    }
  }
  RecursivelyDeleteTriviallyDeadInstructions(replaced);
}

} // namespace tz::nvidia
