//===- FarArms.cpp - what is wanted far from zero alone -------------------===//
//
// What   Where |x| < c chooses between what a function is near zero and what it
//        is elsewhere, and the second takes two special functions or more, a
//        branch goes around the second. Up to four elements of a thread share
//        it: a warp computes it if one of them is far.
// Why    A warp has a special function every eighth cycle, so that tanh waits
//        for them. Of a soft cap its argument is small most often: a logit by
//        thirty. The branch costs a comparison and a bit for each element, and
//        loads do not move over it: where the argument is no quotient (GELU),
//        one of a warp is far most often, and it would be for nothing.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/Architectures.h"
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tz::nvidia {

namespace {

bool isSpecialFunction(const Instruction &one) {
  auto *call = dyn_cast<IntrinsicInst>(&one);
  const StringRef name =
      call ? call->getCalledFunction()->getName() : StringRef();
  constexpr StringLiteral functions[] = {"ex2",   "lg2", "rcp", "sqrt",
                                         "rsqrt", "sin", "cos"};
  return any_of(functions, [&](StringRef function) {
    return name.starts_with(("llvm.nvvm." + function + ".approx").str());
  });
}

/// May it stand anywhere between its operands and its uses?
bool isFree(const Instruction &one) {
  return !isa<PHINode>(one) && !one.isTerminator() &&
         !one.mayHaveSideEffects() && !one.mayReadFromMemory() &&
         (!isa<CallInst>(one) || !cast<CallInst>(one).isConvergent());
}

struct Choice {
  SelectInst *select;
  bool isFarIfTrue;
  // What nothing else needs, users first: of the far arm, and of all the rest.
  SmallSetVector<Instruction *, 16> far = {}, rest = {};
  // What is computed of the choice alone, in order.
  SmallSetVector<Instruction *, 8> behind = {};

  FCmpInst &compare() const { return *cast<FCmpInst>(select->getCondition()); }
  Value *nearArm() const {
    return isFarIfTrue ? select->getFalseValue() : select->getTrueValue();
  }
  Value *farArm() const {
    return isFarIfTrue ? select->getTrueValue() : select->getFalseValue();
  }
  bool owns(const Instruction *one) const {
    auto *it = const_cast<Instruction *>(one);
    return it == select || far.contains(it) || rest.contains(it) ||
           behind.contains(it);
  }
};

/// Adds to `own` what of the block only the choice needs, from `open` on.
void addOwn(Choice &choice, SmallSetVector<Instruction *, 16> &own,
            SmallVector<Value *> open,
            function_ref<bool(const Instruction &)> isWanted) {
  const BasicBlock *block = choice.select->getParent();
  // A value is looked at again when another of its users turns out to be own.
  while (!open.empty()) {
    auto *one = dyn_cast<Instruction>(open.pop_back_val());
    if (one && one->getParent() == block && isFree(*one) && !choice.owns(one) &&
        isWanted(*one) &&
        all_of(one->users(),
               [&](const User *user) {
                 return choice.owns(cast<Instruction>(user));
               }) &&
        own.insert(one)) {
      append_range(open, one->operands());
    }
  }
}

void addRest(Choice &choice) {
  SmallVector<Value *> open(choice.select->operands());
  for (Instruction *one : choice.far) {
    append_range(open, one->operands());
  }
  for (Instruction *one : choice.behind) {
    append_range(open, one->operands());
  }
  addOwn(choice, choice.rest, open, [](const Instruction &) { return true; });
}

/// Can all that it owns stand where the choice is?
bool isThere(const Choice &choice) {
  auto isThereFor = [&](const Instruction *one) {
    return all_of(one->operands(), [&](const Use &use) {
      auto *from = dyn_cast<Instruction>(use.get());
      return !from || from->getParent() != choice.select->getParent() ||
             choice.owns(from) || from->comesBefore(choice.select);
    });
  };
  return all_of(choice.rest, isThereFor) && all_of(choice.behind, isThereFor);
}

/// Is it a part of a number, as what a soft cap is asked for?
bool isSmallPart(const Value &argument) {
  constexpr double most = 0.25;
  const APFloat *factor = nullptr;
  if (match(&argument, m_c_FMul(m_Value(), m_APFloat(factor)))) {
    return std::abs(factor->convertToDouble()) <= most;
  }
  auto isReciprocal = [](const Value *value) {
    auto *call = dyn_cast<IntrinsicInst>(value);
    return call &&
           call->getCalledFunction()->getName().starts_with("llvm.nvvm.rcp");
  };
  auto *call = dyn_cast<IntrinsicInst>(&argument);
  return match(&argument, m_FDiv(m_Value(), m_Value())) ||
         (call &&
          call->getCalledFunction()->getName().starts_with("llvm.nvvm.div")) ||
         (match(&argument, m_FMul(m_Value(), m_Value())) &&
          any_of(cast<Instruction>(argument).operands(),
                 [&](const Use &use) { return isReciprocal(use.get()); }));
}

std::optional<Choice> choiceOf(Instruction &one) {
  constexpr ptrdiff_t several = 2;
  constexpr size_t mostBehind = 8;
  auto *select = dyn_cast<SelectInst>(&one);
  auto *compare = select ? dyn_cast<FCmpInst>(select->getCondition()) : nullptr;
  Value *argument = nullptr;
  if (!compare || !select->getType()->isFloatTy() ||
      !match(compare->getOperand(0), m_FAbs(m_Value(argument))) ||
      !isSmallPart(*argument) || !isa<ConstantFP>(compare->getOperand(1))) {
    return std::nullopt;
  }
  const CmpInst::Predicate relation = compare->getPredicate();
  const bool isBelow =
      relation == CmpInst::FCMP_OLT || relation == CmpInst::FCMP_OLE ||
      relation == CmpInst::FCMP_ULT || relation == CmpInst::FCMP_ULE;
  const bool isAbove =
      relation == CmpInst::FCMP_OGT || relation == CmpInst::FCMP_OGE ||
      relation == CmpInst::FCMP_UGT || relation == CmpInst::FCMP_UGE;
  if (!isBelow && !isAbove) {
    return std::nullopt;
  }
  Choice choice{select, isAbove};
  addOwn(choice, choice.far, {choice.farArm()}, [&](const Instruction &each) {
    return &each != choice.nearArm() && &each != compare;
  });
  if (count_if(choice.far, [](const Instruction *each) {
        return isSpecialFunction(*each);
      }) < several) {
    return std::nullopt;
  }
  // A sign, a factor: done at once, so that only the result stays.
  for (Instruction *last = select;
       last->hasOneUse() && choice.behind.size() < mostBehind;) {
    last = cast<Instruction>(*last->user_begin());
    if (last->getParent() != select->getParent() || !isFree(*last)) {
      break;
    }
    choice.behind.insert(last);
  }
  for (addRest(choice); !isThere(choice); addRest(choice)) {
    choice.rest.clear();
    if (!choice.behind.empty()) {
      choice.behind.pop_back();
    }
  }
  return choice;
}

/// Choices of one block, the last one behind what all of them need and before
/// what uses one of them.
class Group {
public:
  static constexpr size_t most = 4;

  bool isFull() const { return choices.size() == most; }
  void add(Choice &&choice) { choices.push_back(std::move(choice)); }
  bool isUsedBy(const Instruction &one) const {
    return any_of(choices, [&](const Choice &choice) {
      return !choice.owns(&one) && any_of(one.operands(), [&](const Use &use) {
        auto *from = dyn_cast<Instruction>(use.get());
        return from && choice.owns(from);
      });
    });
  }
  /// Puts what they choose behind a branch, and is empty then.
  void branch();

private:
  SmallVector<Choice, most> choices;
};

/// LLVM sinks what is done with a choice to where it is used, behind the other
/// branches: all that it is computed from would live until then.
void holdInPlace(Instruction &value, Instruction *before) {
  if (!value.getType()->isFloatTy()) {
    return;
  }
  IRBuilder<> b(before);
  auto *type = FunctionType::get(value.getType(), {value.getType()}, false);
  auto *keep =
      InlineAsm::get(type, "mov.b32 $0, $1;", "=f,f", /*hasSideEffects=*/false);
  CallInst *held = b.CreateCall(keep, {&value});
  held->setConvergent();
  held->setDoesNotAccessMemory();
  held->setDoesNotThrow();
  value.replaceUsesWithIf(
      held, [&](const Use &use) { return use.getUser() != held; });
}

void Group::branch() {
  if (choices.size() < 2) { // a branch is no cheaper than one arm
    choices.clear();
    return;
  }
  SelectInst *last = choices.back().select;
  // Nothing moves up over a branch: what each needs stands right before it.
  for (const Choice &choice : choices) {
    for (Instruction *one : reverse(choice.rest.getArrayRef())) {
      one->moveBefore(last->getIterator());
    }
  }
  IRBuilder<> b(last);
  Value *anyFar = b.getFalse();
  for (const Choice &choice : choices) {
    const FCmpInst &compare = choice.compare();
    anyFar = b.CreateOr(
        anyFar, choice.isFarIfTrue ? choice.select->getCondition()
                                   : b.CreateFCmp(compare.getInversePredicate(),
                                                  compare.getOperand(0),
                                                  compare.getOperand(1)));
  }
  BasicBlock *before = last->getParent();
  Instruction *next = last->getNextNode(); // that stays where it is
  while (any_of(choices,
                [&](const Choice &choice) { return choice.owns(next); })) {
    next = next->getNextNode();
  }
  Instruction *end =
      SplitBlockAndInsertIfThen(anyFar, last->getIterator(), false);
  BasicBlock *behind = last->getParent();
  for (Choice &choice : choices) {
    for (Instruction *one : reverse(choice.far.getArrayRef())) {
      one->moveBefore(end->getIterator());
    }
    if (!choice.isFarIfTrue && choice.compare().hasOneUse()) {
      choice.compare().moveBefore(end->getIterator());
    }
    auto *chosen =
        PHINode::Create(choice.select->getType(), 2, "", behind->begin());
    chosen->addIncoming(choice.nearArm(), before);
    choice.select->replaceAllUsesWith(chosen);
    choice.select->moveBefore(end->getIterator());
    chosen->addIncoming(choice.select, end->getParent());
    Instruction *result = chosen;
    for (Instruction *one : choice.behind) {
      one->moveBefore(next->getIterator());
      result = one;
    }
    holdInPlace(*result, next);
  }
  choices.clear();
}

void branchAroundFarArms(BasicBlock &block, unsigned registers) {
  MapVector<const Instruction *, Choice> choices;
  SmallVector<Instruction *> all;
  for (Instruction &one : block) {
    all.push_back(&one);
    std::optional<Choice> choice = choiceOf(one);
    if (choice && none_of(choices, [&](const auto &other) {
          return choice->owns(other.first);
        })) {
      choices.insert({&one, std::move(*choice)});
    }
  }
  // What is chosen stays while the next are computed: it would spill.
  if (choices.size() > registers) {
    return;
  }
  Group group;
  for (Instruction *one : all) {
    if (group.isFull() || group.isUsedBy(*one)) {
      group.branch();
    }
    if (auto *choice = choices.find(one); choice != choices.end()) {
      group.add(std::move(choice->second));
    }
  }
  group.branch();
}

} // namespace

void branchAroundFarArms(Function &function) {
  const uint64_t threads =
      function.getFnAttributeAsParsedInteger("nvvm.reqntid", RegistersOfAll);
  const unsigned registers = unsigned(
      std::min<uint64_t>(256, RegistersOfAll / std::max<uint64_t>(threads, 1)));
  SmallVector<BasicBlock *> blocks;
  for (BasicBlock &block : function) {
    blocks.push_back(&block);
  }
  for (BasicBlock *block : blocks) {
    branchAroundFarArms(*block, registers);
  }
}

} // namespace tz::nvidia
