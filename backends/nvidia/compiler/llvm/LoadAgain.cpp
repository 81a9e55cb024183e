//===- LoadAgain.cpp - what registers cannot hold is loaded again ---------===//
//
// What   Where threads hold far more over a barrier than their registers do,
//        loads are done again behind it.
// Why    ptxas writes what does not fit to local memory and reads it there. A
//        row that was loaded lies in the L2 cache: it need not be written.
//
// In a function without loops, and before the barrier behind which the first
// thread writes to memory that others see: then a load brings the same twice.
// Programs that write what others read are in no order (R6).
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/Architectures.h"
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace tz::nvidia {

namespace {

/// One at which all threads of the block meet.
bool isBarrier(const Instruction &one) {
  auto *call = dyn_cast<IntrinsicInst>(&one);
  return call &&
         call->getIntrinsicID() == Intrinsic::nvvm_barrier_cta_sync_aligned_all;
}

bool isLoadCall(const Instruction &one) {
  auto *call = dyn_cast<CallInst>(&one);
  return call && call->hasFnAttr(LoadAttribute);
}

/// May it write to memory that a load reads?
bool writes(const Instruction &one) {
  if (!one.mayWriteToMemory() || isLoadCall(one) || isBarrier(one)) {
    return false;
  }
  constexpr unsigned shared = 3;
  auto *store = dyn_cast<StoreInst>(&one);
  auto *call = dyn_cast<CallInst>(&one);
  return !(store && store->getPointerAddressSpace() == shared) &&
         !(call && call->onlyAccessesInaccessibleMemory());
}

/// Is it a part of what one instruction gives, or that in another type?
bool isPart(const Instruction &one) {
  return isa<ExtractValueInst, ExtractElementInst, CastInst>(one);
}

class LoadAgain {
public:
  LoadAgain(Function &function, unsigned registers)
      : function(function), registers(registers), dominators(function),
        layout(function.getDataLayout()) {}

  void run();

private:
  void number();
  unsigned wordsOf(const Value &value) const;
  SmallVector<unsigned> wordsOver() const;
  void usesBehind(Instruction &value, size_t barrier,
                  SmallVectorImpl<Use *> &uses) const;
  bool isBeforeWrites(const Instruction &one) const;
  unsigned loadOver(Instruction &load, size_t barrier);

  Function &function;
  const unsigned registers; // of a thread
  DominatorTree dominators;
  const DataLayout &layout;
  SmallVector<Instruction *, 0> all, barriers, writers; // in order
  Instruction *beforeWrites = nullptr; // the last barrier before all of them
  DenseMap<const Instruction *, size_t> at;
};

void LoadAgain::number() {
  all.clear();
  barriers.clear();
  writers.clear();
  at.clear();
  ReversePostOrderTraversal<Function *> order(&function);
  for (BasicBlock *block : order) {
    for (Instruction &one : *block) {
      at[&one] = all.size();
      all.push_back(&one);
      if (isBarrier(one)) {
        barriers.push_back(&one);
      } else if (writes(one)) {
        writers.push_back(&one);
      }
    }
  }
  auto found = find_if(reverse(barriers), [&](Instruction *barrier) {
    return all_of(writers, [&](Instruction *writer) {
      return dominators.dominates(barrier, writer);
    });
  });
  beforeWrites = found == barriers.rend() ? nullptr : *found;
}

/// Of numbers that a thread computes with: indices and addresses are made again
/// where they are used.
unsigned LoadAgain::wordsOf(const Value &value) const {
  Type *const type = value.getType();
  if (!type->isFPOrFPVectorTy()) {
    auto *part = dyn_cast<ExtractValueInst>(&value);
    auto *from =
        part ? dyn_cast<Instruction>(part->getAggregateOperand()) : nullptr;
    if (!from || !isLoadCall(*from)) {
      return 0;
    }
  }
  return unsigned(
      divideCeil(layout.getTypeSizeInBits(type).getFixedValue(), uint64_t(32)));
}

/// Of each barrier: what is there before it and used behind it.
SmallVector<unsigned> LoadAgain::wordsOver() const {
  // Begins and ends, by the barriers between which they lie.
  SmallVector<int64_t> change(barriers.size() + 1);
  size_t before = 0; // barriers
  for (const Instruction *one : all) {
    if (before < barriers.size() && one == barriers[before]) {
      ++before;
      continue;
    }
    const unsigned words = wordsOf(*one);
    if (words == 0) {
      continue;
    }
    size_t last = 0;
    for (const User *user : one->users()) {
      last = std::max(last, at.lookup(cast<Instruction>(user)));
    }
    const auto *end =
        partition_point(barriers, [&](const Instruction *barrier) {
          return at.lookup(barrier) < last;
        });
    if (size_t(end - barriers.begin()) > before) {
      change[before] += words;
      change[size_t(end - barriers.begin())] -= words;
    }
  }
  SmallVector<unsigned> result;
  int64_t words = 0;
  for (size_t i = 0; i < barriers.size(); ++i) {
    result.push_back(unsigned(words += change[i]));
  }
  return result;
}

/// Uses of the value, or of its parts.
void LoadAgain::usesBehind(Instruction &value, size_t barrier,
                           SmallVectorImpl<Use *> &uses) const {
  for (Use &use : value.uses()) {
    auto *user = cast<Instruction>(use.getUser());
    auto found = at.find(user);
    if (found == at.end()) {
      continue;
    }
    if (found->second > barrier) {
      uses.push_back(&use);
    } else if (isPart(*user)) {
      usesBehind(*user, barrier, uses);
    }
  }
}

/// Do all threads come by a barrier between this and whatever writes? One of
/// them may be ahead of the others otherwise.
bool LoadAgain::isBeforeWrites(const Instruction &one) const {
  return writers.empty() ||
         (beforeWrites && dominators.dominates(&one, beforeWrites));
}

/// Loads again for the uses behind the barrier; the words that this saves.
unsigned LoadAgain::loadOver(Instruction &load, size_t barrier) {
  SmallVector<Use *> uses;
  usesBehind(load, barrier, uses);
  if (uses.empty()) {
    return 0;
  }
  auto placeOf = [&](const Use *use) {
    return at.lookup(cast<Instruction>(use->getUser()));
  };
  auto *first = cast<Instruction>((*min_element(uses, [&](Use *a, Use *b) {
                                    return placeOf(a) < placeOf(b);
                                  }))->getUser());
  if (isa<PHINode>(first) || !isBeforeWrites(*first) ||
      !all_of(uses, [&](Use *use) {
        auto *user = cast<Instruction>(use->getUser());
        return !isa<PHINode>(user) &&
               (user == first || dominators.dominates(first, user));
      })) {
    return 0;
  }
  // The parts again, too, each where it is first needed.
  unsigned words = 0;
  Instruction *again = load.clone();
  again->insertBefore(first->getIterator());
  DenseMap<const Value *, Instruction *> made = {{&load, again}};
  auto copyOf = [&](auto &self, Instruction *value) -> Instruction * {
    if (Instruction *known = made.lookup(value)) {
      return known;
    }
    Instruction *from = self(self, cast<Instruction>(value->getOperand(0)));
    Instruction *copy = value->clone();
    copy->setOperand(0, from);
    copy->insertBefore(first->getIterator());
    made[value] = copy;
    return copy;
  };
  for (Use *use : uses) {
    auto *value = cast<Instruction>(use->get());
    if (!made.contains(value)) {
      words += std::max(1u, wordsOf(*value));
    }
    use->set(copyOf(copyOf, value));
  }
  return words;
}

void LoadAgain::run() {
  constexpr unsigned mostBarriers = 4; // for the time that each takes
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> loops;
  FindFunctionBackedges(function, loops);
  if (!loops.empty()) {
    return;
  }
  number();
  size_t next = 0;
  for (unsigned done = 0; done < mostBarriers; ++done) {
    const SmallVector<unsigned> words = wordsOver();
    auto *const full =
        std::find_if(words.begin() + next, words.end(),
                     [&](unsigned one) { return one > registers * 5 / 4; });
    if (full == words.end()) {
      return;
    }
    next = size_t(full - words.begin());
    const size_t place = at.lookup(barriers[next++]);
    const SmallVector<Instruction *, 0> before(all.begin(),
                                               all.begin() + place);
    unsigned left = *full;
    for (Instruction *one : before) {
      if (left > registers * 3 / 4 && isLoadCall(*one)) {
        left -= std::min(left, loadOver(*one, place));
      }
    }
    number();
  }
}

} // namespace

void loadAgain(Function &function) {
  const uint64_t threads =
      function.getFnAttributeAsParsedInteger("nvvm.reqntid", RegistersOfAll);
  if (function.isDeclaration()) {
    return;
  }
  LoadAgain(function,
            unsigned(std::min<uint64_t>(
                255, RegistersOfAll / std::max<uint64_t>(threads, 1))))
      .run();
}

} // namespace tz::nvidia
