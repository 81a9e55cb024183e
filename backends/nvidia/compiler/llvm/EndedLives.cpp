//===- EndedLives.cpp - what ends several values, where it can ------------===//
//
// What   An operation all of whose operands come from earlier blocks, and which
//        is the last use of more bits than it makes, moves behind its operands.
// Why    LLVM moves what only the last block uses into that block. The sums of
//        an unrolled loop are such: their terms then live up to the end of the
//        kernel, one register each, where a single sum would do. The assembler
//        moves no operation back over a barrier.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tz::nvidia {

namespace {

class EndedLives {
public:
  explicit EndedLives(Function &function)
      : function(function), dominators(function), postDominators(function),
        loops(dominators), layout(function.getDataLayout()) {}

  void run() {
    ReversePostOrderTraversal<Function *> order(&function);
    for (BasicBlock *block : order) {
      for (Instruction &one : make_early_inc_range(*block)) {
        if (isa<BinaryOperator, CastInst, SelectInst>(one)) {
          raise(one);
        }
      }
    }
  }

private:
  void raise(Instruction &one) {
    Instruction *last = nullptr;
    SmallPtrSet<Instruction *, 4> ended;
    for (Use &use : one.operands()) {
      auto *operand = dyn_cast<Instruction>(use.get());
      if (!operand) {
        continue;
      }
      if (operand->hasOneUser()) {
        ended.insert(operand);
      }
      if (!last || dominators.dominates(last, operand)) {
        last = operand;
      }
    }
    if (!last || last->getParent() == one.getParent() || last->isTerminator()) {
      return;
    }
    uint64_t bits = 0;
    for (Instruction *operand : ended) {
      bits += bitsOf(*operand);
    }
    if (bits <= bitsOf(one) || !runsAsOften(*last, one)) {
      return;
    }
    one.moveBefore(*last->getInsertionPointAfterDef());
  }

  uint64_t bitsOf(const Instruction &value) const {
    return layout.getTypeSizeInBits(value.getType()).getFixedValue();
  }

  /// The same threads come to both places, and as often.
  bool runsAsOften(const Instruction &first, const Instruction &second) const {
    const BasicBlock *from = first.getParent(), *to = second.getParent();
    return loops.getLoopFor(from) == loops.getLoopFor(to) &&
           postDominators.dominates(to, from);
  }

  Function &function;
  DominatorTree dominators;
  PostDominatorTree postDominators;
  LoopInfo loops;
  const DataLayout &layout;
};

} // namespace

void endLives(Function &function) {
  if (function.size() > 1) {
    EndedLives(function).run();
  }
}

} // namespace tz::nvidia
