//===- RegisterPlan.cpp - loads that go ahead into registers --------------===//
//
// What   Finds the loads that feed dots, then as many slots and iterations as
//        shared memory and registers allow.
// Why    See RegisterPlan.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/RegisterPlan.h"

#include "core/simt/analysis/LoopNeeds.h"
#include "core/simt/layout/Operations.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

/// One that stays in place is staged or computed with at once.
bool isLoad(Operation *op) { return isa<tile::LoadOp, tile::LoadViewOp>(op); }

class Planner {
public:
  Planner(scf::ForOp loop, const SimtTarget &target, const Contiguity &runs,
          std::string &why)
      : loop(loop), target(target), runs(runs), why(why) {}

  std::optional<RegisterPlan> run();

private:
  void findLoads();
  void considerLoad(Operation *load);
  BufferType bufferFor(Operation *load);
  void fitSlots();
  bool fitDistance(unsigned most);
  int64_t wordsAhead(unsigned distance);
  unsigned blocksBeside(unsigned distance);
  void leaveLargest();

  scf::ForOp loop;
  const SimtTarget &target;
  const Contiguity &runs;
  std::string &why;
  RegisterPlan plan;
  uint64_t sharedBytes = 0; // of a block that does so
};

/// As a dot reads it; row by row where it goes to other threads; null where
/// each thread computes with what it loaded.
BufferType Planner::bufferFor(Operation *load) {
  bool isExchanged = false;
  for (Operation *user : load->getUsers()) {
    auto stage = dyn_cast<StageOp>(user);
    if (stage && stage->getBlock() == loop.getBody()) {
      return stage.getResult().getType();
    }
    auto convert = dyn_cast<ConvertOp>(user);
    isExchanged |= convert && !registersWithin(layoutOf(convert.getSource()),
                                               layoutOf(convert.getResult()));
  }
  return isExchanged ? rowsBuffer(load, runs, target) : BufferType();
}

void Planner::considerLoad(Operation *load) {
  auto type = dyn_cast<RankedTensorType>(load->getResult(0).getType());
  RankedTensorType packed =
      type && hasLayout(type) ? packedType(type) : RankedTensorType();
  if (!packed || !feedsDot(loop, load->getResult(0)) ||
      !mayGoAhead(loop, load)) {
    return;
  }
  Slice more = plan.ahead;
  for (Value operand : load->getOperands()) {
    if (!addToSlice(loop, operand, more)) {
      return;
    }
  }
  plan.ahead = std::move(more);
  plan.loads.push_back(
      {load, bufferFor(load), layoutOf(packed).size(Axis::Register)});
}

/// Two slots need one barrier an iteration. What has no room for one stays in
/// registers until its iteration, which stages it as before.
void Planner::fitSlots() {
  const uint64_t all = target.sharedBytes(), taken = takenBeside(loop, target);
  uint64_t staged = 0, each = 0;
  for (const HeldLoad &held : plan.loads) {
    if (!held.buffer) {
      continue;
    }
    const bool isStaged =
        llvm::any_of(held.load->getUsers(), [&](Operation *user) {
          auto stage = dyn_cast<StageOp>(user);
          return stage && held.isReplaced(stage);
        });
    staged += isStaged ? uint64_t(target.slotBytes(held.buffer)) : 0;
    each += uint64_t(target.slotBytes(held.buffer));
  }
  // One slot instead of what is staged now takes nothing more.
  const uint64_t beside = taken - std::min(taken, staged);
  const uint64_t room = std::max(all - std::min(all, beside), staged);
  plan.slots = 2 * each <= room ? 2 : 1;
  sharedBytes = beside + plan.slots * each;
  if (each > room) {
    sharedBytes = taken;
    for (HeldLoad &held : plan.loads) {
      held.buffer = {};
    }
  }
}

/// Registers for what is under way: of what a slot takes, the iterations from
/// the next one on; of the rest this one's as well.
int64_t Planner::wordsAhead(unsigned distance) {
  int64_t words = 0;
  for (const HeldLoad &held : plan.loads) {
    words += held.words * (distance + (held.buffer ? 0 : 1));
  }
  return words;
}

unsigned Planner::blocksBeside(unsigned distance) {
  const int64_t words =
      wordsOfIteration(loop, runs, isLoad) + wordsAhead(distance);
  return target.blocksBeside({warpsOf(loop), unsigned(words), sharedBytes});
}

bool Planner::fitDistance(unsigned most) {
  // The rest is for addresses, masks and what is computed.
  const int64_t mostWords = int64_t(target.registers()) * 3 / 4;
  const int64_t words = wordsOfIteration(loop, runs, isLoad);
  auto fits = [&](unsigned distance) {
    return words + wordsAhead(distance) <= mostWords;
  };
  if (!fits(1)) {
    why = "this iteration's values and the next one's loads take " +
          std::to_string(words + wordsAhead(1)) + " registers of " +
          std::to_string(mostWords) + " that a thread has for them";
    return false;
  }
  for (plan.distance = most; plan.distance > 1; --plan.distance) {
    if (fits(plan.distance) && blocksBeside(plan.distance) >= blocksBeside(1)) {
      break;
    }
  }
  return true;
}

void Planner::leaveLargest() {
  auto *largest =
      llvm::max_element(plan.loads, [](const HeldLoad &a, const HeldLoad &b) {
        return a.words < b.words;
      });
  plan.loads.erase(largest);
  plan.ahead = {};
  for (const HeldLoad &held : plan.loads) {
    for (Value operand : held.load->getOperands()) {
      addToSlice(loop, operand, plan.ahead);
    }
  }
}

std::optional<RegisterPlan> Planner::run() {
  if (!countsIterations(loop)) {
    why = "the loop's counter is 64 bits wide and its step unknown";
    return std::nullopt;
  }
  for (Operation &op : *loop.getBody()) {
    if (isLoad(&op)) {
      considerLoad(&op);
    }
  }
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  const unsigned most = stagesOf(loop, stagesOf(kernel, 3)) - 1;
  for (; !plan.loads.empty(); leaveLargest()) {
    fitSlots();
    if (fitDistance(most)) {
      return std::move(plan);
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<RegisterPlan> tz::simt::planRegisters(scf::ForOp loop,
                                                    const SimtTarget &target,
                                                    const Contiguity &runs,
                                                    std::string &why) {
  return Planner(loop, target, runs, why).run();
}
