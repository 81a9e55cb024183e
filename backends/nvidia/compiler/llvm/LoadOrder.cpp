//===- LoadOrder.cpp - as many loads under way as registers hold ----------===//
//
// What   Where a stretch of code loads more than a thread has registers for, a
//        load waits until values loaded before it are used. Where it loads
//        less, no value is used before all loads are under way, those among
//        them that the text has behind the first uses, if they are few.
// Why    A tile is loaded whole before it is reduced, and ptxas does not move
//        so many loads down: it spills them. A few loads it moves behind
//        hundreds of instructions, to save registers, and memory idles. The
//        order of the uses stays, and so does the result.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/Architectures.h"
#include "backends/nvidia/compiler/llvm/LateRewrites.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <optional>

using namespace llvm;

namespace tz::nvidia {

namespace {

bool isLoad(const Instruction &one) {
  auto *call = dyn_cast<CallInst>(&one);
  return call && call->hasFnAttr(LoadAttribute);
}

/// May it stand anywhere between its operands and its uses?
bool isFree(const Instruction &one) {
  return !isa<PHINode>(one) && !one.isTerminator() &&
         !one.mayReadOrWriteMemory() && !one.mayThrow() &&
         (!isa<CallInst>(one) || !cast<CallInst>(one).isConvergent());
}

/// Does it take a loaded word apart, or widen what is in it?
bool isUnpacking(const Instruction &one) {
  return isa<CastInst, ExtractValueInst, ExtractElementInst, InsertElementInst,
             ShuffleVectorInst>(one) ||
         one.getOpcode() == Instruction::Shl ||
         one.getOpcode() == Instruction::LShr ||
         one.getOpcode() == Instruction::And;
}

/// Instructions between two that loads must not pass: writes, barriers, and
/// the ends of a block.
class Stretch {
public:
  Stretch(const DataLayout &layout, unsigned most)
      : layout(layout), most(most) {}

  void add(Instruction &one);
  /// `end`: the first instruction behind it.
  void order(Instruction &end);

private:
  struct Load {
    Instruction *call;
    unsigned words;
    SmallVector<Instruction *, 16> parts; // unpacked from it
    size_t use;                           // the first other one that reads it
    bool leads = false;                   // to the place of another load
  };

  /// Of a load in a set of them; the last ones share one.
  static uint64_t bitOf(size_t load) {
    return uint64_t{1} << std::min<size_t>(load, 63);
  }
  unsigned wordsIn(Type *type) const {
    return unsigned(
        divideCeil(layout.getTypeStoreSize(type).getFixedValue(), uint64_t(4)));
  }
  void delay(ArrayRef<size_t> byUse);
  void hold(ArrayRef<size_t> byUse, size_t behind);
  SmallVector<Instruction *> madeOf(Instruction &load, size_t begin) const;
  void rise(Instruction &load, size_t begin);
  void noteLeading(const Instruction &load);
  size_t workBefore(ArrayRef<Load *> held) const;
  std::optional<size_t> onlyLoad(const Instruction &one) const;
  void moveWithAddress(Instruction *one, Instruction *before);

  const DataLayout &layout;
  const unsigned most; // words under way
  SmallVector<Instruction *> all;
  DenseMap<const Instruction *, size_t> at;          // index in `all`
  DenseMap<const Instruction *, size_t> partOf;      // index in `loads`
  DenseMap<const Instruction *, uint64_t> dependent; // others, on which loads
  SmallVector<Load> loads;
  uint64_t words = 0;
};

/// The load of which alone this is made.
std::optional<size_t> Stretch::onlyLoad(const Instruction &one) const {
  std::optional<size_t> load;
  for (const Value *operand : one.operands()) {
    if (isa<Constant>(operand)) {
      continue;
    }
    auto *from = dyn_cast<Instruction>(operand);
    auto known = from ? partOf.find(from) : partOf.end();
    if (known == partOf.end() || (load && *load != known->second)) {
      return std::nullopt;
    }
    load = known->second;
  }
  return load;
}

void Stretch::add(Instruction &one) {
  const size_t place = all.size();
  at[&one] = place;
  all.push_back(&one);
  if (isUnpacking(one)) {
    if (std::optional<size_t> load = onlyLoad(one)) {
      partOf[&one] = *load;
      loads[*load].parts.push_back(&one);
      return;
    }
  }
  uint64_t needs = 0;
  for (const Value *operand : one.operands()) {
    auto *from = dyn_cast<Instruction>(operand);
    if (!from) {
      continue;
    }
    if (auto known = partOf.find(from); known != partOf.end()) {
      size_t &use = loads[known->second].use;
      use = std::min(use, place);
      needs |= bitOf(known->second);
    } else if (auto on = dependent.find(from); on != dependent.end()) {
      needs |= on->second;
    }
  }
  if (needs != 0) {
    dependent[&one] = needs;
  }
  if (isLoad(one)) {
    if (needs != 0) {
      noteLeading(one);
    }
    partOf[&one] = loads.size();
    loads.push_back({&one, wordsIn(one.getType()), {}, SIZE_MAX});
    words += loads.back().words;
  }
}

/// No load passes it in the text, and ptxas moves each behind it.
static bool isShuffle(const Instruction &one) {
  auto *call = dyn_cast<IntrinsicInst>(&one);
  return call && Intrinsic::getBaseName(call->getIntrinsicID())
                     .starts_with("llvm.nvvm.shfl");
}

/// The most that can be computed of some of these loads before another begins,
/// in this stretch and, with shuffles between, in those behind.
size_t Stretch::workBefore(ArrayRef<Load *> held) const {
  constexpr size_t farthest = 1000; // instructions behind this stretch
  DenseMap<const Instruction *, uint64_t> needs(dependent);
  const BasicBlock &block = *all.front()->getParent();
  size_t behind = 0;
  for (auto one = all.back()->getIterator();
       one != block.end() && behind < farthest &&
       (isShuffle(*one) || !one->mayWriteToMemory());
       ++one, ++behind) {
    for (const Value *operand : one->operands()) {
      auto *from = dyn_cast<Instruction>(operand);
      auto part = from ? partOf.find(from) : partOf.end();
      if (part != partOf.end()) {
        needs[&*one] |= bitOf(part->second);
      } else if (auto on = needs.find(from); from && on != needs.end()) {
        const uint64_t loaded = on->second;
        needs[&*one] |= loaded;
      }
    }
  }
  uint64_t any = 0;
  for (const Load *load : held) {
    any |= bitOf(size_t(load - loads.data()));
  }
  size_t most = 0;
  for (const Load *load : held) {
    const uint64_t own = bitOf(size_t(load - loads.data()));
    most = std::max(most, size_t(llvm::count_if(needs, [&](auto &entry) {
                      return (entry.second & any) != 0 &&
                             (entry.second & own) == 0;
                    })));
  }
  return most;
}

/// The loads from which the place of this one is computed.
void Stretch::noteLeading(const Instruction &load) {
  SmallVector<const Instruction *> open = {&load};
  DenseSet<const Instruction *> seen;
  while (!open.empty()) {
    for (const Value *operand : open.pop_back_val()->operands()) {
      auto *from = dyn_cast<Instruction>(operand);
      if (!from || !seen.insert(from).second) {
        continue;
      }
      if (auto known = partOf.find(from); known != partOf.end()) {
        loads[known->second].leads = true;
      } else if (dependent.contains(from)) {
        open.push_back(from);
      }
    }
  }
}

/// With what only it needs, as far as that is from this stretch.
void Stretch::moveWithAddress(Instruction *one, Instruction *before) {
  for (Value *operand : one->operands()) {
    auto *made = dyn_cast<Instruction>(operand);
    if (made && at.contains(made) && made->hasOneUse() && isFree(*made)) {
      moveWithAddress(made, before);
    }
  }
  one->moveBefore(before->getIterator());
}

/// What stands from `begin` on and must be before it if this is to be, in the
/// order of the text; empty: that cannot be, or is too much.
SmallVector<Instruction *> Stretch::madeOf(Instruction &load,
                                           size_t begin) const {
  constexpr size_t most = 64;
  SmallVector<Instruction *> parts, open = {&load};
  SmallPtrSet<const Instruction *, 16> seen = {&load};
  while (!open.empty()) {
    Instruction &one = *open.pop_back_val();
    const bool isMovable =
        &one == &load || (isFree(one) && !partOf.contains(&one));
    if (!isMovable || dependent.contains(&one) || parts.size() == most) {
      return {};
    }
    parts.push_back(&one);
    for (Value *operand : one.operands()) {
      auto *from = dyn_cast<Instruction>(operand);
      auto place = from ? at.find(from) : at.end();
      if (place != at.end() && place->second >= begin &&
          seen.insert(from).second) {
        open.push_back(from);
      }
    }
  }
  llvm::sort(parts, [&](Instruction *a, Instruction *b) {
    return at.lookup(a) < at.lookup(b);
  });
  return parts;
}

/// To before `begin`, with what it is made of.
void Stretch::rise(Instruction &load, size_t begin) {
  for (Instruction *one : madeOf(load, begin)) {
    one->moveBefore(all[begin]->getIterator());
    at[one] = begin - 1;
  }
}

void Stretch::order(Instruction &end) {
  if (loads.size() < 2) {
    return;
  }
  const size_t behind = all.size();
  all.push_back(&end);
  SmallVector<size_t> byUse;
  for (auto [i, load] : llvm::enumerate(loads)) {
    load.use = std::min(load.use, behind);
    byUse.push_back(i);
  }
  llvm::sort(byUse, [&](size_t a, size_t b) {
    return std::pair(loads[a].use, a) < std::pair(loads[b].use, b);
  });
  if (words > most) {
    delay(byUse);
  } else {
    hold(byUse, behind);
  }
}

/// Zero, which ptxas does not know: there are fewer multiprocessors.
static Value *hiddenZero(IRBuilder<> &b) {
  auto *type = FunctionType::get(b.getInt32Ty(), false);
  const std::string text = ("mov.u32 $0, " + HoldingLoads).str();
  Value *multiprocessor =
      b.CreateCall(InlineAsm::get(type, text, "=r", /*hasSideEffects=*/false));
  return b.CreateLShr(multiprocessor, b.getInt32(24));
}

/// The registers that a load writes.
static SmallVector<Value *, 4> wordsOf(IRBuilder<> &b, Instruction *load) {
  auto *type = dyn_cast<StructType>(load->getType());
  if (!type) {
    return {load};
  }
  SmallVector<Value *, 4> words;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    words.push_back(b.CreateExtractValue(load, i));
  }
  return words;
}

/// Each word |= (a word of each load) & zero: nothing is computed of one of
/// them before all are there.
void Stretch::hold(ArrayRef<size_t> byUse, size_t behind) {
  // Instructions between the uses, and, more of them, that ptxas may do there,
  // since they need others of the loads alone: fewer are no reason to hold. Of
  // comparisons twice the number of predicates are: ptxas rather lets a load
  // wait than that it keeps a predicate in a register.
  constexpr size_t longWork = 64, longWorkPerWord = 16, predicates = 7,
                   longerWorkPerWord = 28, fewWords = 20;
  // What leads to other loads is used at once: else they would begin only when
  // all are there that have nothing to do with them.
  auto mayWait = [&](size_t i) {
    return !loads[i].leads && !dependent.contains(loads[i].call);
  };
  auto *const first = llvm::find_if(byUse, mayWait);
  if (first == byUse.end()) {
    return;
  }
  const size_t begin = loads[*first].use;
  SmallVector<Load *> held, later;
  unsigned count = 0, countLater = 0;
  for (size_t i : byUse) {
    Load &load = loads[i];
    if (!mayWait(i)) {
      continue;
    }
    if (at[load.call] >= begin) {
      if (!madeOf(*load.call, begin).empty()) {
        later.push_back(&load);
        countLater += load.words;
      }
    } else if (load.use < behind) {
      held.push_back(&load);
      count += load.words;
    }
  }
  // What the text loads later is under way with the others, if that is little:
  // the work before it would wait for memory twice.
  if (count + countLater > fewWords) {
    later.clear();
  }
  llvm::copy_if(later, std::back_inserter(held),
                [&](const Load *load) { return load->use < behind; });
  if (held.size() < 2) {
    return;
  }
  size_t last = begin;
  for (const Load *load : held) {
    last = std::max(last, load->use);
  }
  const ArrayRef<Instruction *> between =
      ArrayRef(all).slice(begin, last - begin);
  const auto compares = llvm::count_if(between, [&](Instruction *one) {
    return isa<CmpInst>(one) && dependent.contains(one);
  });
  if (between.size() < std::max(longWork, longWorkPerWord * count) &&
      workBefore(held) < longerWorkPerWord * count &&
      size_t(compares) < 2 * predicates) {
    return;
  }
  for (Load *load : later) {
    rise(*load->call, begin);
  }
  IRBuilder<> b(all[begin]);
  SmallVector<SmallVector<Value *, 4>> words;
  Value *any = b.getInt32(0);
  for (Load *load : held) {
    words.push_back(wordsOf(b, load->call));
    any = b.CreateOr(any, b.CreateZExtOrTrunc(words.back()[0], b.getInt32Ty()));
  }
  any = b.CreateAnd(any, hiddenZero(b));
  for (auto [load, own] : llvm::zip_equal(held, words)) {
    SmallVector<Value *, 4> after;
    for (Value *word : own) {
      after.push_back(
          b.CreateOr(word, b.CreateZExtOrTrunc(any, word->getType())));
    }
    if (!isa<StructType>(load->call->getType())) {
      load->call->replaceUsesWithIf(after[0], [&](Use &use) {
        auto *user = cast<Instruction>(use.getUser());
        return at.contains(user);
      });
    }
    for (Instruction *part : load->parts) {
      part->moveBefore(all[load->use]->getIterator());
      auto *word = dyn_cast<ExtractValueInst>(part);
      if (word && word->getAggregateOperand() == load->call) {
        word->replaceAllUsesWith(after[word->getIndices()[0]]);
      }
    }
  }
}

/// Loads behind the uses of others, which are under way before.
void Stretch::delay(ArrayRef<size_t> byUse) {
  // `oldest`: the first of those under way.
  uint64_t underWay = 0;
  size_t oldest = 0, earliest = 0;
  for (size_t i : byUse) {
    Load &load = loads[i];
    while (oldest < byUse.size() && underWay + load.words > most &&
           underWay != 0) {
      const Load &used = loads[byUse[oldest++]];
      underWay -= used.words;
      earliest = used.use;
    }
    underWay += load.words;
    // Who loads from a loaded address is a use itself, and stays.
    if (earliest > at[load.call] && !dependent.contains(load.call)) {
      moveWithAddress(load.call, all[earliest]);
    }
    for (Instruction *part : load.parts) {
      part->moveBefore(all[load.use]->getIterator());
    }
  }
}

} // namespace

void orderLoads(Function &function) {
  const uint64_t threads =
      function.getFnAttributeAsParsedInteger("nvvm.reqntid", RegistersOfAll);
  // Half of the registers: what is computed needs others.
  const unsigned most = unsigned(
      std::min<uint64_t>(256, RegistersOfAll / std::max<uint64_t>(threads, 1)) /
      2);
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (BasicBlock &block : function) {
    SmallVector<Instruction *> all;
    for (Instruction &one : block) {
      all.push_back(&one);
    }
    std::optional<Stretch> stretch(std::in_place, layout, most);
    for (Instruction *one : all) {
      if (isa<PHINode>(one)) {
        continue;
      }
      if (one->isTerminator() || (one->mayWriteToMemory() && !isLoad(*one))) {
        stretch->order(*one);
        stretch.emplace(layout, most);
        continue;
      }
      stretch->add(*one);
    }
  }
}

} // namespace tz::nvidia
