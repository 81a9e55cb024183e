//===- ManyUses.cpp - values that a long function uses often --------------===//
//
// What   See ManyUses.h.
// Why    See ManyUses.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/ManyUses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tz::cpu {

namespace {

/// A value has a new name behind each so many uses, if it has twice as many: a
/// condition, or a number that a register holds. What is computed from a number
/// is computed again from each name. 0: it keeps its own.
unsigned usesOfName(const Type &type) {
  if (type.isIntegerTy(1)) {
    return 64;
  }
  return type.isIntegerTy(32) || type.isIntegerTy(64) ? 256 : 0;
}

/// The uses of one value along the blocks that paths to the last of them go
/// through: only there a new name may begin, since it holds for all that
/// follows.
class Names {
public:
  Names(Instruction &value, const DominatorTree &tree)
      : value(value), tree(tree) {}

  void give() {
    const SmallVector<BasicBlock *> blocks = findBlocks();
    Value *name = nullptr;
    size_t count = 0;
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (count >= usesOfName(*value.getType())) {
        name = copied(name ? *name : value, *blocks[i]);
        count = 0;
      }
      const BasicBlock *next = i + 1 < blocks.size() ? blocks[i + 1] : nullptr;
      forEachBlock(blocks[i], next, [&](const BasicBlock *block) {
        for (Use *use : uses.lookup(block)) {
          ++count;
          if (name) {
            use->set(name);
          }
        }
      });
    }
  }

private:
  /// From the one behind the value's own to that of the deepest use.
  SmallVector<BasicBlock *> findBlocks() {
    const DomTreeNode *deepest = tree.getNode(value.getParent());
    const DomTreeNode *const own = deepest;
    for (Use &use : value.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      const DomTreeNode *node = tree.getNode(user->getParent());
      if (!node || isa<PHINode>(user)) {
        continue;
      }
      uses[user->getParent()].push_back(&use);
      if (node->getLevel() > deepest->getLevel()) {
        deepest = node;
      }
    }
    SmallVector<BasicBlock *> blocks;
    for (; deepest != own; deepest = deepest->getIDom()) {
      blocks.push_back(deepest->getBlock());
    }
    std::reverse(blocks.begin(), blocks.end());
    return blocks;
  }

  /// `from`, and what it dominates that `next` does not.
  void forEachBlock(BasicBlock *from, const BasicBlock *next,
                    function_ref<void(const BasicBlock *)> act) const {
    SmallVector<const DomTreeNode *> stack = {tree.getNode(from)};
    while (!stack.empty()) {
      const DomTreeNode *node = stack.pop_back_val();
      act(node->getBlock());
      for (const DomTreeNode *child : *node) {
        if (child->getBlock() != next) {
          stack.push_back(child);
        }
      }
    }
  }

  /// The value behind an empty instruction, at the beginning of a block. Of the
  /// name before: two copies of one value would be one again.
  static Value *copied(Value &from, BasicBlock &block) {
    IRBuilder<> b(&block, block.getFirstInsertionPt());
    Type *const type = from.getType();
    // A condition has no register of its own.
    Type *const held = type->isIntegerTy(1) ? b.getInt8Ty() : type;
    auto *empty = InlineAsm::get(FunctionType::get(held, {held}, false), "",
                                 "=r,0", /*hasSideEffects=*/false);
    return b.CreateTrunc(b.CreateCall(empty, {b.CreateZExt(&from, held)}),
                         type);
  }

  Instruction &value;
  const DominatorTree &tree;
  DenseMap<const BasicBlock *, SmallVector<Use *, 4>> uses;
};

} // namespace

bool cutManyUses(Function &function) {
  SmallVector<Instruction *> often;
  for (Instruction &one : instructions(function)) {
    const unsigned uses = usesOfName(*one.getType());
    if (uses != 0 && one.hasNUsesOrMore(2 * uses)) {
      often.push_back(&one);
    }
  }
  if (often.empty()) {
    return false;
  }
  const DominatorTree tree(function);
  for (Instruction *value : often) {
    if (tree.getNode(value->getParent())) {
      Names(*value, tree).give();
    }
  }
  return true;
}

} // namespace tz::cpu
