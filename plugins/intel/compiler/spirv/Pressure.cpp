//===- Pressure.cpp - how many registers a kernel takes -------------------===//
//
// What   The most bytes of values that live at the same time, as registers of a
//        sub-group.
// Why    A sub-group has 128 registers or, where fewer of them run beside each
//        other, 256. Which one is better has to be said before the driver's
//        compiler begins.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tz::intel {

namespace {

using Values = SmallPtrSet<const Value *, 32>;

/// Of what is the same in all lanes one register holds many.
class Lanes {
public:
  explicit Lanes(const Function &function) {
    SmallVector<const Instruction *> work;
    auto add = [&](const Instruction &one) {
      if (differ.insert(&one).second) {
        work.push_back(&one);
      }
    };
    for (const Instruction &one : instructions(function)) {
      if (isOfLane(one)) {
        add(one);
      }
    }
    while (!work.empty()) {
      for (const User *user : work.pop_back_val()->users()) {
        add(*cast<Instruction>(user));
      }
    }
  }
  bool areSame(const Value *value) const { return !differ.contains(value); }

private:
  /// Does it give each lane its own, whatever its operands are?
  static bool isOfLane(const Instruction &one) {
    const auto *call = dyn_cast<CallInst>(&one);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee) {
      return isa<AtomicRMWInst, AtomicCmpXchgInst>(one);
    }
    return callee->getName() == "_Z22get_sub_group_local_idv" ||
           (callee->isConvergent() && one.getType()->isVectorTy());
  }

  Values differ;
};

/// Values that live at the end of each block.
class Liveness {
public:
  explicit Liveness(const Function &function) {
    for (bool isDone = false; !isDone;) {
      isDone = true;
      for (const BasicBlock *block : post_order(&function)) {
        Values live = outOf(*block);
        for (const Instruction &one : reverse(*block)) {
          step(one, live);
        }
        Values &known = begin[block];
        if (live.size() != known.size()) {
          known = std::move(live);
          isDone = false;
        }
      }
    }
  }
  Values outOf(const BasicBlock &block) const {
    Values live;
    for (const BasicBlock *next : successors(&block)) {
      if (auto found = begin.find(next); found != begin.end()) {
        live.insert(found->second.begin(), found->second.end());
      }
      for (const PHINode &phi : next->phis()) {
        live.erase(&phi);
        add(phi.getIncomingValueForBlock(&block), live);
      }
    }
    return live;
  }
  /// From behind the instruction to before it. Phis take their place at the end
  /// of the blocks before.
  static void step(const Instruction &one, Values &live) {
    if (isa<PHINode>(one)) {
      return;
    }
    live.erase(&one);
    for (const Value *operand : one.operands()) {
      add(operand, live);
    }
  }

private:
  static void add(const Value *value, Values &live) {
    if (isa<Instruction, Argument>(value)) {
      live.insert(value);
    }
  }

  DenseMap<const BasicBlock *, Values> begin;
};

} // namespace

unsigned registersNeeded(const Function &function, const Machine &machine) {
  const DataLayout &layout = function.getDataLayout();
  const Lanes lanes(function);
  const Liveness liveness(function);
  auto bytesOf = [&](const Value *value) -> uint64_t {
    if (value->getType()->isIntegerTy(1) || value->getType()->isVoidTy()) {
      return 0; // flags have registers of their own
    }
    const uint64_t bytes = layout.getTypeAllocSize(value->getType());
    return bytes * (lanes.areSame(value) ? 1 : machine.lanes);
  };
  uint64_t most = 0;
  for (const BasicBlock &block : function) {
    Values live = liveness.outOf(block);
    uint64_t bytes = 0;
    for (const Value *value : live) {
      bytes += bytesOf(value);
    }
    for (const Instruction &one : reverse(block)) {
      most = std::max(most, bytes);
      if (isa<PHINode>(one)) {
        continue;
      }
      bytes -= live.contains(&one) ? bytesOf(&one) : 0;
      SmallPtrSet<const Value *, 4> begun;
      for (const Value *operand : one.operands()) {
        if (isa<Instruction, Argument>(operand) && !live.contains(operand) &&
            begun.insert(operand).second) {
          bytes += bytesOf(operand);
        }
      }
      Liveness::step(one, live);
    }
    most = std::max(most, bytes);
  }
  // A lane's register of 32 bits in each lane is one of the sub-group.
  const uint64_t size = 4 * uint64_t(machine.lanes);
  return unsigned((most + size - 1) / size);
}

} // namespace tz::intel
