//===- LateIndices.cpp - cheap integers beside their first use ------------===//
//
// What   Integer arithmetic on values that others use too moves to its first
//        use, where loads stand between.
// Why    The indices of a tile are written where its range is, one for each
//        element of a thread, and many are used behind the loads only: in a
//        comparison with a label, say. ptxas then takes registers for them, or
//        packs the results of the comparisons into words, and lets loads wait
//        for those registers.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tz::nvidia {

/// Is it a step of integer arithmetic that takes one instruction?
static bool isStep(const Value &value) {
  auto *one = dyn_cast<Instruction>(&value);
  if (!one || !one->getType()->isIntegerTy() ||
      !isa<BinaryOperator, CastInst>(one)) {
    return false;
  }
  switch (one->getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return false;
  default:
    return all_of(one->operands(),
                  [](const Use &use) { return use->getType()->isIntegerTy(); });
  }
}

/// Is it a step on values that live as long anyway, or for many such steps?
/// What is a step for this one alone moves along.
static bool isIndex(const Instruction &one) {
  constexpr unsigned some = 2, many = 4;
  const auto values = count_if(
      one.operands(), [](const Use &use) { return !isa<Constant>(use.get()); });
  return isStep(one) && all_of(one.operands(), [&](const Use &use) {
           const Value *value = use.get();
           return isa<Constant>(value) || isa<Argument>(value) ||
                  (values > 1 && value->hasOneUse() && isStep(*value)) ||
                  (value->hasNUsesOrMore(values > 1 ? many : some) &&
                   value->getType()->getIntegerBitWidth() <=
                       one.getType()->getIntegerBitWidth());
         });
}

static void sinkIndices(BasicBlock &block) {
  struct Place {
    size_t index;
    unsigned loads; // before it
  };
  DenseMap<const Instruction *, Place> places;
  SmallVector<Instruction *> all;
  unsigned loads = 0;
  for (Instruction &one : block) {
    places[&one] = {all.size(), loads};
    all.push_back(&one);
    auto *call = dyn_cast<CallInst>(&one);
    loads += call && call->hasFnAttr(LoadAttribute);
  }
  if (loads == 0) {
    return;
  }
  // Users before what they use: what moves behind them goes along.
  for (Instruction *one : reverse(all)) {
    if (!isIndex(*one) || one->use_empty()) {
      continue;
    }
    Instruction *first = nullptr;
    for (User *user : one->users()) {
      auto *op = cast<Instruction>(user);
      if (op->getParent() != &block || isa<PHINode>(op)) {
        first = nullptr;
        break;
      }
      if (!first || places[op].index < places[first].index) {
        first = op;
      }
    }
    if (first && places[first].loads > places[one].loads) {
      one->moveBefore(first->getIterator());
      places[one] = places[first];
    }
  }
}

void sinkIndices(Function &function) {
  for (BasicBlock &block : function) {
    sinkIndices(block);
  }
}

} // namespace tz::nvidia
