//===- ShortLoops.cpp - loops that end before the first question ----------===//
//
// What   Copies without questions whether the launch is to end, which run if a
//        loop of little work is not longer than one piece: of the kernel if that
//        is known in front of the loop over programs, else of the loop alone.
// Why    Such a loop may take some nanoseconds in all. Where pieces begin and
//        end would be a twentieth of that, and registers that a call in the same
//        function takes a fiftieth.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/CpuLowering.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace tz::cpu {

namespace {

/// Instructions of a loop, and of a kernel, that is worth a copy.
constexpr size_t MostOfLoop = 160, MostOfKernel = 320;

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

/// `value` at the end of `begin`, the entry's only successor that runs
/// programs. Null: it depends on what comes behind.
Value *computedAhead(Value *value, BasicBlock *begin, ValueToValueMapTy &ahead,
                     unsigned depth = 0) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || instruction->getParent() == begin ||
      instruction->getParent()->isEntryBlock()) {
    return value;
  }
  if (Value *made = ahead.lookup(value)) {
    return made;
  }
  constexpr unsigned deepest = 16;
  if (isa<PHINode>(instruction) || instruction->mayReadOrWriteMemory() ||
      !isSafeToSpeculativelyExecute(instruction) || depth > deepest) {
    return nullptr;
  }
  SmallVector<Value *> operands;
  for (Value *operand : instruction->operands()) {
    Value *made = computedAhead(operand, begin, ahead, depth + 1);
    if (!made) {
      return nullptr;
    }
    operands.push_back(made);
  }
  Instruction *made = instruction->clone();
  // The kernel may compute it under a condition alone.
  made->dropPoisonGeneratingAnnotations();
  for (auto [i, operand] : llvm::enumerate(operands)) {
    made->setOperand(static_cast<unsigned>(i), operand);
  }
  made->insertBefore(begin->getTerminator()->getIterator());
  ahead[value] = made;
  return made;
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

void CpuLowering::splitShortPrograms(BasicBlock *begin) {
  if (function->getInstructionCount() > MostOfKernel) {
    return;
  }
  ValueToValueMapTy ahead;
  SmallVector<LoopOfPieces> known, others;
  Value *areShort = nullptr;
  for (const LoopOfPieces &loop : shortLoops) {
    Value *isShort = computedAhead(loop.isOnePiece, begin, ahead);
    if (!isShort) {
      others.push_back(loop);
      continue;
    }
    b.SetInsertPoint(begin->getTerminator());
    areShort = areShort ? b.CreateAnd(areShort, isShort) : isShort;
    known.push_back(loop);
  }
  if (known.empty()) {
    return;
  }
  // A function of its own: its calls take no registers from this one.
  ValueToValueMapTy copyOf;
  Function *asks = CloneFunction(function, copyOf);
  asks->setName(function->getName() + ".asks");
  asks->setLinkage(GlobalValue::InternalLinkage);
  asks->addFnAttr(Attribute::NoInline);
  auto copied = [&](auto *value) {
    return cast<std::remove_pointer_t<decltype(value)>>(
        static_cast<Value *>(copyOf.lookup(value)));
  };
  shortLoops = others;
  for (const LoopOfPieces &loop : others) {
    shortLoops.push_back({copied(loop.isOnePiece), copied(loop.before),
                          copied(loop.pieces), copied(loop.head),
                          copied(loop.latch), copied(loop.end),
                          copied(loop.exit)});
  }
  BasicBlock *mayBeLong = block("long");
  Instruction *entry = begin->getTerminator();
  b.SetInsertPoint(entry);
  b.CreateCondBr(areShort, entry->getSuccessor(0), mayBeLong);
  b.SetInsertPoint(mayBeLong);
  b.SetCurrentDebugLocation(entry->getDebugLoc());
  SmallVector<Value *> arguments(llvm::make_pointer_range(function->args()));
  CallInst *call = b.CreateCall(asks, arguments);
  call->setTailCall();
  // Or else what points anywhere would point into the arena too.
  call->addParamAttr(
      cast<Argument>(arenaBase)->getArgNo(),
      Attribute::getWithCaptureInfo(context, CaptureInfo::none()));
  b.CreateRetVoid();
  entry->eraseFromParent();
  for (const LoopOfPieces &loop : known) {
    // One piece, which ends where the loop does.
    auto *leaves = cast<BranchInst>(loop.head->getTerminator());
    auto *hasMore = cast<BranchInst>(loop.end->getTerminator());
    cast<ICmpInst>(leaves->getCondition())
        ->setOperand(1, cast<ICmpInst>(hasMore->getCondition())->getOperand(1));
    b.SetInsertPoint(hasMore);
    b.CreateBr(loop.exit);
    hasMore->eraseFromParent();
  }
}

void CpuLowering::splitShortLoops() {
  for (LoopOfPieces &loop : shortLoops) {
    const Blocks blocks = blocksOf(loop.head, loop.latch);
    BasicBlock *last = loop.exit->getSinglePredecessor();
    if (!last || sizeOf(blocks) > MostOfLoop) {
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
