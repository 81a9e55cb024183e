//===- DelayedDot.cpp - a dot that may run beside the next iteration ------===//
//
// What   See DelayedDot.h.
// Why    See DelayedDot.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/DelayedDot.h"

#include "core/simt/analysis/Anchors.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

class Finder {
public:
  Finder(scf::ForOp loop, function_ref<bool(StageOp)> isSlot,
         const SimtTarget &target)
      : loop(loop), body(*loop.getBody()), isSlot(isSlot), target(target) {}

  std::optional<DelayedDot> run();

private:
  bool findDots();
  bool findSum();
  bool followSum();
  bool takeOperand(Value operand);
  bool isWorthIt();

  scf::ForOp loop;
  Block &body;
  function_ref<bool(StageOp)> isSlot;
  const SimtTarget &target;
  DelayedDot found;
};

/// All dots stand in the body and may stay in flight: one that is waited for at
/// once waits for the older ones too. Records of the kernel's parts tell when a
/// dot runs, so that it stays between them.
bool Finder::findDots() {
  bool all = true;
  loop->walk([&](tile::RecordOp) { all = false; });
  loop->walk([&](DotOp dot) {
    all &= dot->getBlock() == &body && bool(dot.getInstruction()) &&
           target.canStayInFlight(dot);
    found.before = found.dot;
    found.dot = dot;
  });
  return all && found.before;
}

/// The next iteration's accumulator is made of the result, and nobody else
/// reads it.
bool Finder::findSum() {
  if (!found.dot.getResult().hasOneUse()) {
    return false;
  }
  OpOperand &use = *found.dot.getResult().getUses().begin();
  found.sum = use.getOperandNumber();
  return use.getOwner() == body.getTerminator();
}

/// What is computed of the carried sum leads to the accumulator alone, each
/// thread from its own registers.
bool Finder::followSum() {
  SmallVector<Value> work = {loop.getRegionIterArg(found.sum)};
  while (!work.empty()) {
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (user == found.dot) {
        continue;
      }
      if (user->getBlock() != &body || user->getNumResults() != 1 ||
          user->getNumRegions() != 0 || !isMemoryEffectFree(user) ||
          !isElementwise(user)) {
        return false;
      }
      if (found.rescaling.insert(user)) {
        work.push_back(user->getResult(0));
      }
    }
  }
  Value acc = found.dot.getAcc();
  const bool isSum =
      acc == loop.getRegionIterArg(found.sum) ||
      (acc.getDefiningOp() && found.rescaling.contains(acc.getDefiningOp()));
  auto inOrder = found.rescaling.takeVector();
  llvm::sort(inOrder,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  found.rescaling.insert_range(inOrder);
  return isSum;
}

/// A slot of a ring that only this dot reads, what stands before the loop, or
/// registers.
bool Finder::takeOperand(Value operand) {
  if (operand == loop.getRegionIterArg(found.sum) ||
      (operand.getDefiningOp() &&
       found.rescaling.contains(operand.getDefiningOp()))) {
    return false;
  }
  if (loop.isDefinedOutsideOfLoop(operand)) {
    return true;
  }
  if (isa<RankedTensorType>(operand.getType())) {
    found.computed.push_back(operand);
    return true;
  }
  while (auto permute = operand.getDefiningOp<PermuteOp>()) {
    if (!permute->hasOneUse()) {
      return false;
    }
    operand = permute.getSource();
  }
  auto stage = operand.getDefiningOp<StageOp>();
  return stage && stage->hasOneUse() && isSlot(stage);
}

/// A computed operand is made of another dot's result by functions or
/// reductions: while threads compute these, the delayed dot runs. What is in
/// registers at a time must fit.
bool Finder::isWorthIt() {
  SmallVector<Value> work(found.computed.begin(), found.computed.end());
  DenseSet<Operation *> seen;
  bool hasWork = false;
  int64_t most = 0;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != &body || !seen.insert(op).second) {
      continue;
    }
    if (auto dot = dyn_cast<DotOp>(op)) {
      most = std::max(most, wordsOf(dot.getResult()));
      continue;
    }
    hasWork |= isa<tile::MathOp, tile::ReduceOp>(op);
    llvm::append_range(work, op->getOperands());
  }
  int64_t words = 0;
  for (Value carried : loop.getRegionIterArgs()) {
    words += wordsOf(carried);
  }
  for (Value operand : found.computed) {
    words += wordsOf(operand);
  }
  for (DotOp dot : body.getOps<DotOp>()) {
    const bool isCarried = isa<BlockArgument>(dot.getAcc()) || dot == found.dot;
    words += isCarried ? 0 : wordsOf(dot.getResult());
  }
  const int64_t least = target.sumsToDelay();
  return hasWork && least != 0 && most >= least &&
         wordsOf(found.dot.getResult()) >= least &&
         words <= int64_t(target.mostAccumulators());
}

std::optional<DelayedDot> Finder::run() {
  if (!findDots() || !findSum() || !followSum() ||
      !takeOperand(found.dot.getA()) || !takeOperand(found.dot.getB())) {
    return std::nullopt;
  }
  // No other dot needs the sum: those before it could not begin.
  const bool isFree = llvm::none_of(body.getOps<DotOp>(), [&](DotOp dot) {
    return dot != found.dot &&
           llvm::any_of(dot->getOperands(), [&](Value operand) {
             return operand.getDefiningOp() &&
                    found.rescaling.contains(operand.getDefiningOp());
           });
  });
  return isFree && isWorthIt() ? std::optional(std::move(found)) : std::nullopt;
}

} // namespace

std::optional<DelayedDot>
tz::simt::findDelayedDot(scf::ForOp loop, function_ref<bool(StageOp)> isSlot,
                         const SimtTarget &target) {
  return Finder(loop, isSlot, target).run();
}
