//===- PipelineRegisters.cpp - simt-pipeline-registers --------------------===//
//
// What   Loads that feed the dots of a loop are begun some iterations ahead,
//        into registers; what dots read from shared memory is written to a ring
//        buffer one iteration ahead.
// Why    A machine without asynchronous copies hides the latency of memory only
//        behind registers: a load is waited for where its result is used.
// Example (test/simt/pipeline-registers.mlir; lines with simt., scf., tile.load, tile.dot)
//   before
//     ...
//     %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
//       ...
//       %x = tile.load_view %va[%z, %at] checked [false, false] {group = 1 : i64} : !tile.view<64x32xf16> -> tensor<64x32xf16>
//       %y = tile.load_view %vb[%at, %z] checked [false, false] {group = 2 : i64} : !tile.view<32x64xf16> -> tensor<32x64xf16>
//       %next = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
//       scf.yield %next : tensor<64x64xf32>
//     }
//     ...
//   after
//     ...
//     %3 = scf.if %2 -> (tensor<64x64xf32, #layout>) {
//       %5 = simt.ring : <2 x <64x32xf16, #shared>>
//       %6 = simt.ring : <2 x <32x64xf16, #shared1>>
//       ...
//       %9 = tile.load_view %0[%c0_i64, %8] checked [false, false] {group = 1 : i64} : <64x32xf16> -> tensor<64x32xf16, #layout1>
//       %10 = simt.pack %9 : tensor<64x32xf16, #layout1> -> tensor<1024xi32, #layout2>
//       %11 = tile.load_view %1[%8, %c0_i64] checked [false, false] {group = 2 : i64} : <32x64xf16> -> tensor<32x64xf16, #layout3>
//       %12 = simt.pack %11 : tensor<32x64xf16, #layout3> -> tensor<1024xi32, #layout2>
//       ...
//       %24:2 = scf.if %20 -> (tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>) {
//         %30 = tile.load_view %0[%c0_i64, %23] checked [false, false] {group = 1 : i64} : <64x32xf16> -> tensor<64x32xf16, #layout1>
//         %31 = simt.pack %30 : tensor<64x32xf16, #layout1> -> tensor<1024xi32, #layout2>
//         %32 = tile.load_view %1[%23, %c0_i64] checked [false, false] {group = 2 : i64} : <32x64xf16> -> tensor<32x64xf16, #layout3>
//         %33 = simt.pack %32 : tensor<32x64xf16, #layout3> -> tensor<1024xi32, #layout2>
//         scf.yield %31, %33 : tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>
//       } else {
//         ...
//         scf.yield %cst_3, %cst_4 : tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>
//       }
//       ...
//       %25 = simt.slot %5[%c0_i32_1] : <2 x <64x32xf16, #shared>> -> <64x32xf16, #shared>
//       %26 = simt.unpack %10 : tensor<1024xi32, #layout2> -> tensor<64x32xf16, #layout1>
//       simt.write %26 to %25 : tensor<64x32xf16, #layout1> to <64x32xf16, #shared>
//       %27 = simt.slot %6[%c0_i32_1] : <2 x <32x64xf16, #shared1>> -> <32x64xf16, #shared1>
//       %28 = simt.unpack %12 : tensor<1024xi32, #layout2> -> tensor<32x64xf16, #layout3>
//       simt.write %28 to %27 : tensor<32x64xf16, #layout3> to <32x64xf16, #shared1>
//       simt.sync
//       ...
//       %29:4 = scf.for %arg4 = %c0_i32 to %arg3 step %c32_i32 iter_args(%arg5 = %cst, %arg6 = %c0_i32_2, %arg7 = %24#0, %arg8 = %24#1) -> (tensor<64x64xf32, #layout>, i32, tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>)  : i32 {
//         ...
//         %41:2 = scf.if %37 -> (tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>) {
//           %50 = tile.load_view %0[%c0_i64, %40] checked [false, false] {group = 1 : i64} : <64x32xf16> -> tensor<64x32xf16, #layout1>
//           %51 = simt.pack %50 : tensor<64x32xf16, #layout1> -> tensor<1024xi32, #layout2>
//           %52 = tile.load_view %1[%40, %c0_i64] checked [false, false] {group = 2 : i64} : <32x64xf16> -> tensor<32x64xf16, #layout3>
//           %53 = simt.pack %52 : tensor<32x64xf16, #layout3> -> tensor<1024xi32, #layout2>
//           scf.yield %51, %53 : tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>
//         } else {
//           ...
//           scf.yield %cst_4, %cst_5 : tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>
//         }
//         %42 = simt.slot %5[%arg6] : <2 x <64x32xf16, #shared>> -> <64x32xf16, #shared>
//         %43 = simt.slot %6[%arg6] : <2 x <32x64xf16, #shared1>> -> <32x64xf16, #shared1>
//         %44 = simt.dot %42, %43, %arg5 : !simt.buffer<64x32xf16, #shared>, !simt.buffer<32x64xf16, #shared1> -> tensor<64x64xf32, #layout>
//         ...
//         %46 = simt.slot %5[%45] : <2 x <64x32xf16, #shared>> -> <64x32xf16, #shared>
//         %47 = simt.unpack %arg7 : tensor<1024xi32, #layout2> -> tensor<64x32xf16, #layout1>
//         simt.write %47 to %46 : tensor<64x32xf16, #layout1> to <64x32xf16, #shared>
//         %48 = simt.slot %6[%45] : <2 x <32x64xf16, #shared1>> -> <32x64xf16, #shared1>
//         %49 = simt.unpack %arg8 : tensor<1024xi32, #layout2> -> tensor<32x64xf16, #layout3>
//         simt.write %49 to %48 : tensor<32x64xf16, #layout3> to <32x64xf16, #shared1>
//         simt.sync
//         scf.yield %44, %45, %41#0, %41#1 : tensor<64x64xf32, #layout>, i32, tensor<1024xi32, #layout2>, tensor<1024xi32, #layout2>
//       }
//       scf.yield %29#0 : tensor<64x64xf32, #layout>
//     } else {
//       scf.yield %cst : tensor<64x64xf32, #layout>
//     }
//     ...
// Needs  simt-pipeline-loops before: what copies bring is a slot already.
// Keeps  order: a load goes ahead only of accesses that R6 does not order with
//        it. Loads of iterations that are not there are not done.
//===----------------------------------------------------------------------===//
//
// With a distance of two iterations and two slots a loop becomes
//
//   if there is an iteration:
//     load for iterations 0 and 1
//     write what was loaded for iteration 0 to slot 0; barrier
//     for each iteration, slot = 0, held = what was loaded for the next one:
//       if there is an iteration after the next: load for it
//       the iteration itself, its loads replaced by the slot
//       write what is held to the other slot; barrier
//       slot = the other one, held = what was loaded
//
// With one slot there is a barrier before the write as well.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/LoopIterations.h"
#include "core/simt/analysis/LoopNeeds.h"
#include "core/simt/layout/Operations.h"
#include "core/simt/passes/LaterIterations.h"
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/Contiguity.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace tz::simt {
#define GEN_PASS_DEF_PIPELINEREGISTERS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// A load that goes ahead.
struct Held {
  Operation *load;
  BufferType buffer; // a slot of its ring; null: it stays in registers
  int64_t words;     // of a thread, packed

  Value result() const { return load->getResult(0); }
  RankedTensorType type() const {
    return cast<RankedTensorType>(result().getType());
  }
  bool isReplaced(StageOp stage) const {
    return buffer && stage.getSource() == result() &&
           stage.getResult().getType() == buffer;
  }
};

struct Plan {
  SmallVector<Held> loads;
  Slice ahead;
  unsigned distance = 0; // iterations ahead
  unsigned slots = 0;    // of each ring
};

uint64_t slotBytes(BufferType buffer) {
  return uint64_t(RingType::get(buffer.getContext(), 1, buffer).getSlotBytes());
}

//===----------------------------------------------------------------------===//
// What goes ahead
//===----------------------------------------------------------------------===//

/// One that stays in place is staged or computed with at once.
bool isLoad(Operation *op) { return isa<tile::LoadOp, tile::LoadViewOp>(op); }

class Planner {
public:
  Planner(scf::ForOp loop, const SimtTarget &target, const Contiguity &runs)
      : loop(loop), target(target), runs(runs) {}

  std::optional<Plan> run();
  std::string why; // something stays

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
  Plan plan;
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
  const uint64_t all = target.sharedBytes(), taken = takenBeside(loop);
  uint64_t staged = 0, each = 0;
  for (const Held &held : plan.loads) {
    if (!held.buffer) {
      continue;
    }
    const bool isStaged =
        llvm::any_of(held.load->getUsers(), [&](Operation *user) {
          auto stage = dyn_cast<StageOp>(user);
          return stage && held.isReplaced(stage);
        });
    staged += isStaged ? slotBytes(held.buffer) : 0;
    each += slotBytes(held.buffer);
  }
  // One slot instead of what is staged now takes nothing more.
  const uint64_t beside = taken - std::min(taken, staged);
  const uint64_t room = std::max(all - std::min(all, beside), staged);
  plan.slots = 2 * each <= room ? 2 : 1;
  sharedBytes = beside + plan.slots * each;
  if (each > room) {
    sharedBytes = taken;
    for (Held &held : plan.loads) {
      held.buffer = {};
    }
  }
}

/// Registers for what is under way: of what a slot takes, the iterations from
/// the next one on; of the rest this one's as well.
int64_t Planner::wordsAhead(unsigned distance) {
  int64_t words = 0;
  for (const Held &held : plan.loads) {
    words += held.words * (distance + (held.buffer ? 0 : 1));
  }
  return words;
}

unsigned Planner::blocksBeside(unsigned distance) {
  const int64_t words = wordsOfIteration(loop, isLoad) + wordsAhead(distance);
  return target.blocksBeside({warpsOf(loop), unsigned(words), sharedBytes});
}

bool Planner::fitDistance(unsigned most) {
  // The rest is for addresses, masks and what is computed.
  const int64_t mostWords = int64_t(target.registers()) * 3 / 4;
  const int64_t words = wordsOfIteration(loop, isLoad);
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
      llvm::max_element(plan.loads, [](const Held &a, const Held &b) {
        return a.words < b.words;
      });
  plan.loads.erase(largest);
  plan.ahead = {};
  for (const Held &held : plan.loads) {
    for (Value operand : held.load->getOperands()) {
      addToSlice(loop, operand, plan.ahead);
    }
  }
}

std::optional<Plan> Planner::run() {
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

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

class Rewriter {
public:
  Rewriter(scf::ForOp loop, const Plan &plan)
      : loop(loop), loc(loop.getLoc()), plan(plan), later(loop, plan.ahead),
        hasRings(llvm::any_of(plan.loads,
                              [](const Held &held) { return held.buffer; })) {}

  void run();

private:
  /// Words of each load, packed; of one iteration.
  using Loaded = SmallVector<Value>;

  void makeRings(OpBuilder &b);
  void beginFirstIterations(OpBuilder &b);
  void makeLoop(OpBuilder &b);
  Loaded load(OpBuilder &b, const IRMapping &map, Value exists);
  Loaded loadNow(OpBuilder &b, const IRMapping &map);
  void write(OpBuilder &b, const Loaded &words, Value slot);
  void readHeld(OpBuilder &in, size_t index, IRMapping &near);
  void readSlot(OpBuilder &in, size_t index, IRMapping &near);
  SmallVector<Value> emitIteration(OpBuilder &in);
  void endIteration(OpBuilder &in, SmallVector<Value> next, Loaded newest,
                    const IRMapping &far);
  /// The first iteration, counted from the one that runs, whose words the loop
  /// carries.
  unsigned firstCarried(const Held &held) const { return held.buffer ? 1 : 0; }
  Value constant(OpBuilder &b, int32_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }

  scf::ForOp loop;
  const Location loc;
  const Plan &plan;
  LaterIterations later;
  const bool hasRings;

  SmallVector<Value> rings; // of each load; null: none
  SmallVector<Loaded> first;
  IRMapping ahead; // to the first iteration that was not begun
  scf::ForOp made;
  unsigned own = 0;        // of what the new loop carries: the old loop's
  unsigned firstWords = 0; // ... what was loaded
  Value slot;              // this iteration's; null: the only one
  /// Of each load, what the loop carries, from the earliest iteration on.
  SmallVector<SmallVector<Value>> carried;
};

void Rewriter::makeRings(OpBuilder &b) {
  for (const Held &held : plan.loads) {
    rings.push_back(nullptr);
    if (held.buffer) {
      auto type = RingType::get(b.getContext(), plan.slots, held.buffer);
      rings.back() = RingOp::create(b, held.load->getLoc(), type);
    }
  }
}

Rewriter::Loaded Rewriter::loadNow(OpBuilder &b, const IRMapping &map) {
  Loaded words;
  for (const Held &held : plan.loads) {
    IRMapping here = map;
    Operation *load = b.clone(*held.load, here);
    words.push_back(PackOp::create(
        b, held.load->getLoc(), packedType(held.type()), load->getResult(0)));
  }
  return words;
}

/// The loads of the iteration to which `map` leads; zeros if it is not there
/// (null: it is).
Rewriter::Loaded Rewriter::load(OpBuilder &b, const IRMapping &map,
                                Value exists) {
  if (!exists) {
    return loadNow(b, map);
  }
  SmallVector<Type> types;
  for (const Held &held : plan.loads) {
    types.push_back(packedType(held.type()));
  }
  auto branch =
      scf::IfOp::create(b, loc, types, exists, /*withElseRegion=*/true);
  OpBuilder then = branch.getThenBodyBuilder();
  scf::YieldOp::create(then, loc, loadNow(then, map));
  OpBuilder none = branch.getElseBodyBuilder();
  SmallVector<Value> zeros;
  for (Type type : types) {
    zeros.push_back(
        arith::ConstantOp::create(none, loc, none.getZeroAttr(type)));
  }
  scf::YieldOp::create(none, loc, zeros);
  return Loaded(branch.getResults());
}

/// A slot that all have read; a barrier makes it one that can be read.
void Rewriter::write(OpBuilder &b, const Loaded &words, Value to) {
  for (auto [held, ring, word] : llvm::zip_equal(plan.loads, rings, words)) {
    if (ring) {
      Location at = held.load->getLoc();
      Value place = SlotOp::create(b, at, held.buffer, ring, to);
      WriteOp::create(b, at, UnpackOp::create(b, at, held.type(), word), place);
    }
  }
  SyncOp::create(b, loc);
}

void Rewriter::beginFirstIterations(OpBuilder &b) {
  later.start(ahead);
  for (unsigned iteration = 0; iteration < plan.distance; ++iteration) {
    Value exists = later.begin(b, ahead, loop.getLowerBound(), iteration);
    first.push_back(load(b, ahead, iteration == 0 ? Value() : exists));
    later.advance(ahead);
  }
  if (hasRings) {
    write(b, first[0], constant(b, 0));
  }
}

/// It carries beside its own: the slot, what was loaded, the addresses of the
/// iteration to be begun.
void Rewriter::makeLoop(OpBuilder &b) {
  SmallVector<Value> inits(loop.getInitArgs());
  own = unsigned(inits.size());
  const bool hasSlot = hasRings && plan.slots == 2;
  if (hasSlot) {
    inits.push_back(constant(b, 0));
  }
  firstWords = unsigned(inits.size());
  for (auto [i, held] : llvm::enumerate(plan.loads)) {
    for (unsigned n = firstCarried(held); n < plan.distance; ++n) {
      inits.push_back(first[n][i]);
    }
  }
  const auto firstAhead = unsigned(inits.size());
  inits.append(later.carried(ahead));
  made = emptyLoopLike(b, loop, inits);
  slot = hasSlot ? Value(made.getRegionIterArg(own)) : Value();
  unsigned at = firstWords;
  for (const Held &held : plan.loads) {
    carried.emplace_back();
    for (unsigned n = firstCarried(held); n < plan.distance; ++n) {
      carried.back().push_back(made.getRegionIterArg(at++));
    }
  }
  later.carry(ahead, made.getRegionIterArgs().drop_front(firstAhead));
}

void Rewriter::readHeld(OpBuilder &in, size_t index, IRMapping &near) {
  const Held &held = plan.loads[index];
  near.map(held.result(), UnpackOp::create(in, held.load->getLoc(), held.type(),
                                           carried[index].front()));
}

/// The slot is what the load was staged to; who computes with the load reads
/// it, in the layout that is wanted.
void Rewriter::readSlot(OpBuilder &in, size_t index, IRMapping &near) {
  const Held &held = plan.loads[index];
  Location at = held.load->getLoc();
  Value from = SlotOp::create(in, at, held.buffer, rings[index],
                              slot ? slot : constant(in, 0));
  bool isRead = false;
  for (Operation *user : held.load->getUsers()) {
    auto stage = dyn_cast<StageOp>(user);
    const bool isHere = user->getBlock() == loop.getBody();
    if (stage && isHere && held.isReplaced(stage)) {
      near.map(stage.getResult(), from);
    } else if (isa<ConvertOp>(user) && isHere) {
      Value result = user->getResult(0);
      near.map(result, ReadOp::create(in, at, result.getType(), from));
    } else {
      isRead = true;
    }
  }
  if (isRead) {
    near.map(held.result(), ReadOp::create(in, at, held.type(), from));
  }
}

/// The iteration itself, its loads replaced; what it yields.
SmallVector<Value> Rewriter::emitIteration(OpBuilder &in) {
  IRMapping near;
  near.map(loop.getInductionVar(), made.getInductionVar());
  near.map(loop.getRegionIterArgs(), made.getRegionIterArgs().take_front(own));
  for (Operation &op : loop.getBody()->without_terminator()) {
    const auto *held = llvm::find_if(
        plan.loads, [&](const Held &one) { return one.load == &op; });
    if (held != plan.loads.end()) {
      const auto index = size_t(held - plan.loads.begin());
      held->buffer ? readSlot(in, index, near) : readHeld(in, index, near);
    } else if (!isa<StageOp, ConvertOp>(op) ||
               !near.contains(op.getResult(0))) {
      in.clone(op, near);
    }
  }
  SmallVector<Value> next;
  for (Value value : loop.getBody()->getTerminator()->getOperands()) {
    next.push_back(near.lookupOrDefault(value));
  }
  return next;
}

/// `next`: what the old loop carries.
void Rewriter::endIteration(OpBuilder &in, SmallVector<Value> next,
                            Loaded newest, const IRMapping &far) {
  Value fills =
      slot ? Value(arith::XOrIOp::create(in, loc, slot, constant(in, 1)))
           : Value();
  Loaded nextWords; // of the next iteration
  for (auto [words, loaded] : llvm::zip_equal(carried, newest)) {
    words.push_back(loaded);
    nextWords.push_back(words.front());
  }
  if (hasRings) {
    if (!slot) {
      SyncOp::create(in, loc); // all have read it
    }
    write(in, nextWords, slot ? fills : constant(in, 0));
  }
  if (slot) {
    next.push_back(fills);
  }
  for (const SmallVector<Value> &words : carried) {
    next.append(words.begin() + 1, words.end());
  }
  next.append(later.carried(far));
  scf::YieldOp::create(in, loc, next);
  eraseDead(*made.getBody());
}

void Rewriter::run() {
  scf::IfOp branch = branchIfIterated(loop);
  OpBuilder b(branch.getContext());
  if (loop.getNumResults() != 0) {
    b = branch.getThenBodyBuilder();
  } else {
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  makeRings(b);
  beginFirstIterations(b);
  makeLoop(b);
  OpBuilder in = OpBuilder::atBlockEnd(made.getBody());
  IRMapping far = ahead;
  Value exists = later.begin(in, far, made.getInductionVar(), plan.distance);
  Loaded newest = load(in, far, exists);
  later.advance(far);
  endIteration(in, emitIteration(in), std::move(newest), far);
  b.setInsertionPointAfter(made);
  if (own != 0) {
    scf::YieldOp::create(b, loc, made.getResults().take_front(own));
  }
  loop.replaceAllUsesWith(branch.getResults());
  loop.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// What the pass's options describe: for its tests.
class OptionTarget final : public SimtTarget {
public:
  OptionTarget(unsigned words, uint64_t shared)
      : words(words), shared(shared) {}
  unsigned registers() const override { return words; }
  uint64_t sharedBytes() const override { return shared; }

private:
  unsigned words;
  uint64_t shared;
};

struct PipelineRegisters
    : tz::simt::impl::PipelineRegistersBase<PipelineRegisters> {
  explicit PipelineRegisters(const SimtTarget *target) : target(target) {}
  PipelineRegisters() = default;
  PipelineRegisters(const PipelineRegisters &other)
      : PipelineRegistersBase(other), target(other.target) {}

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    OptionTarget described(registersOption, sharedBytesOption);
    const SimtTarget &machine =
        target ? *target : static_cast<const SimtTarget &>(described);
    // Nothing is reordered in a kernel that waits for others (R6).
    if (kernel->hasAttr("tile.waits") || machine.asyncCopyBytes() != 0 ||
        machine.registers() == 0) {
      return;
    }
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      Block &body = *loop.getBody();
      if (!body.getOps<DotOp>().empty() && body.getOps<SlotOp>().empty() &&
          stagesOf(loop, stagesOf(kernel, 3)) > 1) {
        loops.push_back(loop);
      }
    });
    for (scf::ForOp loop : loops) {
      Contiguity runs(kernel);
      Planner planner(loop, machine, runs);
      std::optional<Plan> plan = planner.run();
      if (!planner.why.empty()) {
        emitRemark(loop.getLoc())
            << (plan ? "some" : "the")
            << " loads of this loop are not begun ahead: " << planner.why;
      }
      if (plan) {
        ++pipelined;
        for (const Held &one : plan->loads) {
          ++(one.buffer ? staged : held);
        }
        Rewriter(loop, *plan).run();
      }
    }
  }

  const SimtTarget *target = nullptr;
};

} // namespace

std::unique_ptr<Pass>
tz::simt::createPipelineRegisters(const SimtTarget *target) {
  return std::make_unique<PipelineRegisters>(target);
}
