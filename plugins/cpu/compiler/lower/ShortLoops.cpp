//===- ShortLoops.cpp - loops that end before the first question ----------===//
//
// What   A copy of a loop of little work, without questions whether the launch
//        is to end, which runs if the whole loop is not longer than one piece.
// Why    Such a loop may take some nanoseconds in all. Where pieces begin and
//        end would be a twentieth of that.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/CpuLowering.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace tz::cpu {

namespace {

/// Instructions of a loop that is worth a copy.
constexpr size_t MostInstructions = 160;

using Blocks = SmallSetVector<BasicBlock *, 8>;

/// Those from which the latch is reached without the head, and the head.
Blocks blocksOf(BasicBlock *head, BasicBlock *latch) {
  Blocks all;
  all.insert(head);
  all.insert(latch);
  for (size_t i = 1; i < all.size(); ++i) {
    all.insert(pred_begin(all[i]), pred_end(all[i]));
  }
  return all;
}

size_t sizeOf(const Blocks &blocks) {
  size_t size = 0;
  for (BasicBlock *block : blocks) {
    size += block->size();
  }
  return size;
}

/// Copies the blocks; where they leave the loop but by its head they go to the
/// same places.
void copyBlocks(const Blocks &blocks, BasicBlock *head,
                ValueToValueMapTy &copyOf) {
  Function *function = head->getParent();
  for (BasicBlock *block : blocks) {
    copyOf[block] = CloneBasicBlock(block, copyOf, ".short", function);
  }
  const RemapFlags flags = RF_NoModuleLevelChanges | RF_IgnoreMissingLocals;
  for (BasicBlock *block : blocks) {
    auto *copy = cast<BasicBlock>(copyOf[block]);
    for (Instruction &instruction : *copy) {
      RemapDbgRecordRange(function->getParent(),
                          instruction.getDbgRecordRange(), copyOf, flags);
      RemapInstruction(&instruction, copyOf, flags);
    }
    for (BasicBlock *next : successors(block)) {
      if (block == head || blocks.contains(next)) {
        continue;
      }
      for (PHINode &phi : next->phis()) {
        Value *value = phi.getIncomingValueForBlock(block);
        Value *copied = copyOf.lookup(value);
        phi.addIncoming(copied ? copied : value, copy);
      }
    }
  }
}

} // namespace

void CpuLowering::splitShortLoops() {
  for (LoopOfPieces &loop : shortLoops) {
    const Blocks blocks = blocksOf(loop.head, loop.latch);
    BasicBlock *last = loop.exit->getSinglePredecessor();
    if (!last || sizeOf(blocks) > MostInstructions) {
      continue;
    }
    ValueToValueMapTy copyOf;
    copyBlocks(blocks, loop.head, copyOf);
    auto *head = cast<BasicBlock>(copyOf[loop.head]);

    // It begins where the loop of pieces would, and ends at the loop's bound.
    for (PHINode &phi : loop.head->phis()) {
      auto *outer = cast<PHINode>(phi.getIncomingValueForBlock(loop.pieces));
      auto *copy = cast<PHINode>(copyOf[&phi]);
      const auto from =
          static_cast<unsigned>(copy->getBasicBlockIndex(loop.pieces));
      copy->setIncomingBlock(from, loop.before);
      copy->setIncomingValue(from,
                             outer->getIncomingValueForBlock(loop.before));
    }
    auto *leaves = cast<BranchInst>(head->getTerminator());
    auto *hasMore = cast<BranchInst>(loop.end->getTerminator());
    cast<ICmpInst>(leaves->getCondition())
        ->setOperand(1, cast<ICmpInst>(hasMore->getCondition())->getOperand(1));
    leaves->setSuccessor(1, loop.exit);
    Instruction *entry = loop.before->getTerminator();
    b.SetInsertPoint(entry);
    // Out of line, but not so rare that registers are spilled there.
    b.CreateCondBr(loop.isOnePiece, head, loop.pieces,
                   MDBuilder(context).createBranchWeights(20, 1));
    entry->eraseFromParent();

    // What is used behind the loop comes from either.
    for (PHINode &phi : loop.head->phis()) {
      auto isBehind = [&](Use &use) {
        BasicBlock *user = cast<Instruction>(use.getUser())->getParent();
        return !blocks.contains(user) && user != loop.pieces &&
               user != loop.end;
      };
      if (llvm::none_of(phi.uses(), isBehind)) {
        continue;
      }
      b.SetInsertPoint(loop.exit, loop.exit->begin());
      PHINode *either = b.CreatePHI(phi.getType(), 2);
      phi.replaceUsesWithIf(either, isBehind);
      either->addIncoming(&phi, last);
      either->addIncoming(copyOf[&phi], head);
    }
  }
}

} // namespace tz::cpu
