//===- Sink.cpp - Cheap values beside their uses --------------------------===//
//
// What   See Sink.h.
// Why    See Sink.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/Sink.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tz::cpu {

/// So many values live in memory as well as in registers.
static constexpr size_t FewValues = 64;

static bool isCheap(const Instruction &inst, std::ptrdiff_t mostVariables) {
  const bool isKnown =
      isa<GetElementPtrInst, ICmpInst, CastInst>(inst) ||
      (isa<BinaryOperator>(inst) && inst.getType()->isIntegerTy() &&
       (inst.getOpcode() == Instruction::Add ||
        inst.getOpcode() == Instruction::Sub ||
        inst.getOpcode() == Instruction::And ||
        inst.getOpcode() == Instruction::Or ||
        inst.getOpcode() == Instruction::Shl));
  const auto variables = count_if(inst.operands(), [](const Use &use) {
    return !isa<Constant>(use.get());
  });
  return isKnown && !inst.getType()->isVectorTy() && variables >= 1 &&
         variables <= mostVariables;
}

/// Where a use needs its value: at the end of the block before a phi.
static BasicBlock *blockOf(const Use &use) {
  auto *user = cast<Instruction>(use.getUser());
  auto *phi = dyn_cast<PHINode>(user);
  return phi ? phi->getIncomingBlock(use) : user->getParent();
}

static bool leavesItsBlock(const Instruction &inst) {
  return any_of(inst.uses(), [&](const Use &use) {
    return blockOf(use) != inst.getParent();
  });
}

/// What many blocks use is one value, however long it lives.
static bool isOfFewBlocks(const Instruction &inst) {
  constexpr unsigned few = 4;
  return !inst.hasNUsesOrMore(4 * few) && [&] {
    SmallPtrSet<BasicBlock *, few> blocks;
    for (const Use &use : inst.uses()) {
      blocks.insert(blockOf(use));
    }
    return blocks.size() <= few;
  }();
}

static void sink(Instruction &inst) {
  SmallDenseMap<BasicBlock *, Instruction *> copies;
  for (Use &use : make_early_inc_range(inst.uses())) {
    BasicBlock *block = blockOf(use);
    if (block == inst.getParent()) {
      continue;
    }
    Instruction *&copy = copies[block];
    if (!copy) {
      copy = inst.clone();
      copy->insertInto(block, block->getFirstInsertionPt());
    }
    use.set(copy);
  }
  if (inst.use_empty()) {
    inst.eraseFromParent();
  }
}

void sinkCheapValues(Function &function, size_t blocksOfLong) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  SmallVector<Instruction *> found;
  SmallPtrSet<BasicBlock *, 16> inLong;
  for (BasicBlock &block : function) {
    Loop *around = loops.getLoopFor(&block);
    if (around && around->getNumBlocks() <= blocksOfLong) {
      continue;
    }
    if (around) {
      inLong.insert(&block);
    }
    // Before all loops, sums of two are few: there is one for each argument.
    const std::ptrdiff_t mostVariables = around ? 2 : 1;
    for (Instruction &inst : block) {
      if (isCheap(inst, mostVariables)) {
        found.push_back(&inst);
      }
    }
  }
  auto livesLong = [&](const Instruction &inst) {
    return leavesItsBlock(inst) &&
           (!inLong.contains(inst.getParent()) || isOfFewBlocks(inst));
  };
  if (count_if(found, [&](Instruction *inst) { return livesLong(*inst); }) <=
      static_cast<std::ptrdiff_t>(FewValues)) {
    return;
  }
  // Users first: then their operands go with them.
  for (Instruction *inst : reverse(found)) {
    if (livesLong(*inst)) {
      sink(*inst);
    }
  }
}

} // namespace tz::cpu
