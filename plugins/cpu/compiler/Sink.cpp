//===- Sink.cpp - Cheap values beside their uses --------------------------===//
//
// What   See Sink.h.
// Why    See Sink.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/Sink.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tz::cpu {

/// So many values live in memory as well as in registers.
static constexpr size_t FewValues = 64;

static bool isCheap(const Instruction &inst) {
  const bool isKnown =
      isa<GetElementPtrInst, ICmpInst, CastInst>(inst) ||
      (isa<BinaryOperator>(inst) && inst.getType()->isIntegerTy() &&
       (inst.getOpcode() == Instruction::Add ||
        inst.getOpcode() == Instruction::Sub ||
        inst.getOpcode() == Instruction::And ||
        inst.getOpcode() == Instruction::Or ||
        inst.getOpcode() == Instruction::Shl));
  return isKnown && !inst.getType()->isVectorTy() &&
         count_if(inst.operands(), [](const Use &use) {
           return !isa<Constant>(use.get());
         }) == 1;
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

void sinkCheapValues(Function &function) {
  if (function.isDeclaration()) {
    return;
  }
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  SmallVector<Instruction *> found;
  for (BasicBlock &block : function) {
    if (loops.getLoopFor(&block)) {
      continue;
    }
    for (Instruction &inst : block) {
      if (isCheap(inst)) {
        found.push_back(&inst);
      }
    }
  }
  if (count_if(found, [](Instruction *inst) {
        return leavesItsBlock(*inst);
      }) <= static_cast<std::ptrdiff_t>(FewValues)) {
    return;
  }
  // Users first: then their operands go with them.
  for (Instruction *inst : reverse(found)) {
    if (leavesItsBlock(*inst)) {
      sink(*inst);
    }
  }
}

} // namespace tz::cpu
