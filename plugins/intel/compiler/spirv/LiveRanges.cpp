//===- LiveRanges.cpp - fewer values at a time ----------------------------===//
//
// What   Sums that go round a loop element by element become vectors; values
//        are computed where they are needed.
// Why    A sub-group has few registers, and its compiler follows the order it
//        is given. The matrix unit takes and gives whole vectors: their
//        elements would be moved in and out in each iteration. What only stands
//        before a loop and is used behind it lies in registers all the time.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tz::intel {

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

namespace {

/// Phis whose values from one block are the elements of one vector, in order.
struct Elements {
  Value *vector = nullptr;
  SmallVector<PHINode *> phis;
};

/// The element of a vector that the phi takes from this block.
std::optional<std::pair<Value *, uint64_t>> elementFrom(PHINode &phi,
                                                        BasicBlock *from) {
  auto *extract =
      dyn_cast<ExtractElementInst>(phi.getIncomingValueForBlock(from));
  auto *index =
      extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
  return index ? std::optional(std::pair(extract->getVectorOperand(),
                                         index->getZExtValue()))
               : std::nullopt;
}

std::vector<Elements> elementsIn(BasicBlock &header, BasicBlock *latch) {
  MapVector<Value *, SmallVector<PHINode *>> found;
  for (PHINode &phi : header.phis()) {
    if (auto element = elementFrom(phi, latch)) {
      auto *type = dyn_cast<FixedVectorType>(element->first->getType());
      SmallVector<PHINode *> &phis = found[element->first];
      phis.resize(type->getNumElements(), nullptr);
      if (element->second < phis.size()) {
        phis[element->second] = &phi;
      }
    }
  }
  std::vector<Elements> result;
  for (auto &[vector, phis] : found) {
    if (!is_contained(phis, nullptr)) {
      result.push_back({vector, phis});
    }
  }
  return result;
}

/// A chain of insertions that makes a vector of exactly these.
bool isMadeOf(Value *chain, ArrayRef<PHINode *> phis) {
  for (size_t left = phis.size(); left-- > 0;) {
    auto *insert = dyn_cast<InsertElementInst>(chain);
    auto *index =
        insert ? dyn_cast<ConstantInt>(insert->getOperand(2)) : nullptr;
    if (!index || index->getZExtValue() != left ||
        insert->getOperand(1) != phis[left]) {
      return false;
    }
    chain = insert->getOperand(0);
  }
  return isa<UndefValue>(chain); // poison is one
}

void joinElements(BasicBlock &header, const Elements &elements) {
  auto *type = cast<FixedVectorType>(elements.vector->getType());
  IRBuilder<> b(&header, header.begin());
  PHINode *joined = b.CreatePHI(type, 2);
  for (BasicBlock *from : predecessors(&header)) {
    SmallVector<Value *> values;
    for (PHINode *phi : elements.phis) {
      values.push_back(phi->getIncomingValueForBlock(from));
    }
    Value *vector = elements.vector;
    if (!all_of(enumerate(elements.phis), [&](auto pair) {
          auto element = elementFrom(*pair.value(), from);
          return element && element->first == vector &&
                 element->second == pair.index();
        })) {
      b.SetInsertPoint(from->getTerminator());
      vector = PoisonValue::get(type);
      for (auto [i, value] : enumerate(values)) {
        vector = b.CreateInsertElement(vector, value, uint64_t(i));
      }
    }
    joined->addIncoming(vector, from);
  }
  for (User *user : to_vector(elements.phis.back()->users())) {
    auto *insert = dyn_cast<InsertElementInst>(user);
    // They may also be the first elements of a longer vector.
    if (insert && insert->getType() == type &&
        isMadeOf(insert, elements.phis)) {
      insert->replaceAllUsesWith(joined);
    }
  }
  b.SetInsertPoint(&header, header.getFirstInsertionPt());
  for (auto [i, phi] : enumerate(elements.phis)) {
    phi->replaceAllUsesWith(b.CreateExtractElement(joined, uint64_t(i)));
    phi->eraseFromParent();
  }
}

//===----------------------------------------------------------------------===//
// Late
//===----------------------------------------------------------------------===//

/// Can it stand anywhere where its operands are known?
bool canMove(const Instruction &one) {
  const auto *call = dyn_cast<CallInst>(&one);
  return !isa<PHINode, AllocaInst>(one) && !one.isTerminator() &&
         !one.mayHaveSideEffects() && !one.mayReadOrWriteMemory() &&
         !one.getType()->isTokenTy() && !(call && call->isConvergent());
}

/// The last block, of those that are in no loop more than where it stands, that
/// comes before all uses.
BasicBlock *latestBlock(Instruction &one, const DominatorTree &tree,
                        const LoopInfo &loops) {
  BasicBlock *late = nullptr;
  for (const Use &use : one.uses()) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    BasicBlock *block = phi ? phi->getIncomingBlock(use) : user->getParent();
    late = late ? tree.findNearestCommonDominator(late, block) : block;
  }
  const Loop *own = loops.getLoopFor(one.getParent());
  while (late && late != one.getParent()) {
    const Loop *there = loops.getLoopFor(late);
    if (there == own || !there || (own && there->contains(own))) {
      return late;
    }
    late = tree.getNode(late)->getIDom()->getBlock();
  }
  return nullptr;
}

void moveDown(Instruction &one, BasicBlock *block) {
  Instruction *first = nullptr;
  for (User *user : one.users()) {
    auto *at = cast<Instruction>(user);
    if (at->getParent() == block && !isa<PHINode>(at) &&
        (!first || at->comesBefore(first))) {
      first = at;
    }
  }
  one.moveBefore(first ? first->getIterator()
                       : block->getTerminator()->getIterator());
}

} // namespace

void joinSums(Function &function) {
  DominatorTree tree(function);
  LoopInfo loops(tree);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    BasicBlock *latch = loop->getLoopLatch();
    if (!latch) {
      continue;
    }
    for (const Elements &one : elementsIn(*loop->getHeader(), latch)) {
      joinElements(*loop->getHeader(), one);
    }
  }
}

void computeLate(Function &function) {
  DominatorTree tree(function);
  const LoopInfo loops(tree);
  // Users first: what they alone need follows them.
  for (BasicBlock *block : post_order(&function)) {
    for (Instruction &one : make_early_inc_range(reverse(*block))) {
      if (!canMove(one)) {
        continue;
      }
      if (BasicBlock *late = latestBlock(one, tree, loops)) {
        moveDown(one, late);
      }
    }
  }
}

} // namespace tz::intel
