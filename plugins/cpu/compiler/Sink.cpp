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

static std::ptrdiff_t countVariables(const Instruction &inst) {
  return count_if(inst.operands(),
                  [](const Use &use) { return !isa<Constant>(use.get()); });
}

static bool isCheap(const Instruction &inst) {
  const bool isKnown =
      isa<GetElementPtrInst, ICmpInst, CastInst>(inst) ||
      (isa<BinaryOperator>(inst) && inst.getType()->isIntegerTy() &&
       (inst.getOpcode() == Instruction::Add ||
        inst.getOpcode() == Instruction::Sub ||
        inst.getOpcode() == Instruction::And ||
        inst.getOpcode() == Instruction::Or ||
        inst.getOpcode() == Instruction::Shl));
  return isKnown && !inst.getType()->isVectorTy() && countVariables(inst) == 1;
}

/// Of a nest's own: a pointer and a constant, or two variables that all nests
/// share.
static bool isCheapAddress(const Instruction &inst) {
  return isa<GetElementPtrInst>(inst) && !inst.getType()->isVectorTy() &&
         countVariables(inst) >= 1 && countVariables(inst) <= 2;
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

/// Where blocks stand in their function.
using Places = DenseMap<const BasicBlock *, size_t>;

/// Is it used far behind its block, and in few others? What many blocks use is
/// one value, however long it lives.
static bool isUsedFarAway(const Instruction &inst, const Places &places) {
  constexpr unsigned few = 4, far = 64;
  if (inst.hasNUsesOrMore(4 * few)) {
    return false;
  }
  SmallPtrSet<BasicBlock *, few> blocks;
  size_t last = 0;
  for (const Use &use : inst.uses()) {
    blocks.insert(blockOf(use));
    last = std::max(last, places.at(blockOf(use)));
  }
  return blocks.size() <= few && last > places.at(inst.getParent()) + far;
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
  Places places;
  for (BasicBlock &block : function) {
    places.try_emplace(&block, places.size());
    Loop *around = loops.getLoopFor(&block);
    if (around && around->getNumBlocks() <= blocksOfLong) {
      continue;
    }
    if (around) {
      inLong.insert(&block);
    }
    for (Instruction &inst : block) {
      if (around ? isCheapAddress(inst) : isCheap(inst)) {
        found.push_back(&inst);
      }
    }
  }
  auto livesLong = [&](const Instruction &inst) {
    return leavesItsBlock(inst) &&
           (!inLong.contains(inst.getParent()) || isUsedFarAway(inst, places));
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
