//===- SinkPredicates.cpp - comparisons beside their uses -----------------===//
//
// What   See SinkPredicates.h.
// Why    See SinkPredicates.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/llvm/SinkPredicates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tz::amd {

/// Something that has one bit, and is computed of its operands alone.
static bool isPredicate(const Instruction &value) {
  return value.getType()->isIntegerTy(1) && isa<CmpInst, BinaryOperator>(value);
}

/// Does it take one bit of a predicate, and no branch?
static bool usesPredicate(const Instruction &user) {
  return isa<SelectInst>(user) || isPredicate(user);
}

static bool sink(BasicBlock &block) {
  bool hasChanged = false;
  // From the end: a conjunction has its place before its comparisons move.
  for (Instruction &value : make_early_inc_range(reverse(block))) {
    if (!isPredicate(value) || !value.hasOneUse()) {
      continue;
    }
    auto *user = cast<Instruction>(*value.user_begin());
    if (user->getParent() == &block && usesPredicate(*user) &&
        value.getNextNode() != user) {
      value.moveBefore(user->getIterator());
      hasChanged = true;
    }
  }
  return hasChanged;
}

PreservedAnalyses SinkPredicates::run(Function &function,
                                      FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (BasicBlock &block : function) {
    hasChanged |= sink(block);
  }
  if (!hasChanged) {
    return PreservedAnalyses::all();
  }
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

} // namespace tz::amd
