//===- PipelineRewriter.cpp - a loop whose loads are begun ahead ----------===//
//
// What   See PipelineRewriter.h.
// Why    See PipelineRewriter.h.
//
// With a distance of two iterations and three slots a loop becomes
//
//   if there is an iteration:
//     begin the copies of iterations 0 and 1 into slots 0 and 1
//     for each iteration, reads = 0, fills = 2:
//       wait until all have read what slot `fills` held
//       begin the copies of the iteration after the next into slot `fills`
//       wait for what this iteration reads
//       the iteration itself, its loads replaced by slot `reads`
//       reads, fills = the next slots
//
// Or, with two slots, the two lines about slot `fills` stand at the end of an
// iteration (PipelinePlan::fillsLate): that is the slot that it has read. With
// three slots and a dot in flight it is the one that the iteration before read.
//
// That all have read a slot is known by a barrier of the block; or the warps
// arrive at a barrier of the slot when they have, and only the thread that
// begins the copies waits there (PipelinePlan::hasReleases).
//
// A dot that is delayed (PipelinePlan::delayed) runs in the next iteration, or
// behind the loop:
//
//     begin the copies of iterations 0, 1 and 2 into slots 0, 1 and 2
//     iteration 0 without its last dot
//     for each other iteration, reads = 1, fills = 3:
//       wait, begin copies and wait as above
//       the iteration up to its last dot but one
//       the last dot of the iteration before, which reads slot `reads` - 1
//       the rest of the iteration without its last dot
//     the last dot of the last iteration
//
// Where copies go on from one run of the loop to the next, as a loop around it
// runs it again (PipelinePlan::around), it becomes
//
//   begin the copies of iterations 0 and 1 of the first time
//   for each time, reads = what it was at the end of the time before:
//     if there is an iteration:
//       for each iteration: as above
//     begin the copies of iterations 0 and 1 of the next time
//     what follows the loop
//
// Their slots were read before the last iteration began, which all threads
// know.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/PipelineRewriter.h"

#include "core/simt/passes/LaterIterations.h"
#include "core/simt/passes/RingCopies.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

class Rewriter {
public:
  Rewriter(scf::ForOp loop, const PipelinePlan &plan, LaunchViews &launch)
      : loop(loop), loc(loop.getLoc()), plan(plan),
        delayed(plan.delayed ? &*plan.delayed : nullptr),
        copies(loop, plan, launch), later(loop, plan.ahead),
        around(plan.around) {}

  void run();

private:
  OpBuilder makeBranch();

  void beginFirstTime();
  void beginTime(OpBuilder &b, Value index, Value isThere, Value slot);
  void beginNextTime(OpBuilder &b, Value slot);
  void carryState();

  void beginFirstIterations(OpBuilder &b, IRMapping &map);
  void makeLoop(OpBuilder &b, const IRMapping &map);
  void beginIteration(OpBuilder &in, IRMapping &far);
  void beginLaterIteration(OpBuilder &in, IRMapping &far);
  IRMapping emitIteration(OpBuilder &in);
  void emitOp(OpBuilder &in, Operation &op, Value slot, IRMapping &near);
  void emitUndelayed(OpBuilder &in, Value slot, IRMapping &near,
                     function_ref<void()> behindDots);
  Value emitDelayed(OpBuilder &in, Value slot, Value sum, ValueRange computed);
  void rescale(OpBuilder &in, Value sum, IRMapping &near);
  SmallVector<Value> carriedOf(const IRMapping &near);
  void emitFirstIteration(OpBuilder &b);
  void finishDelayed(OpBuilder &b, MutableArrayRef<Value> results);
  void endIteration(OpBuilder &in, IRMapping &near, IRMapping &far);
  void releaseSlot(OpBuilder &in);
  void finish(OpBuilder &b);

  void waitForDots(OpBuilder &b, unsigned pending,
                   MutableArrayRef<Value> values);

  Value following(OpBuilder &b, Value slot) { return slotAfter(b, slot, 1); }
  Value slotBefore(OpBuilder &b, Value slot);
  Value slotAfter(OpBuilder &b, Value slot, unsigned iterations);
  Value phaseAfter(OpBuilder &b, Value phase, Value nextSlot);
  Value constant(OpBuilder &b, int32_t v) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(v));
  }
  Value yielded(unsigned i) {
    return loop.getBody()->getTerminator()->getOperand(i);
  }

  scf::ForOp loop;
  const Location loc;
  const PipelinePlan &plan;
  const DelayedDot *const delayed; // or null
  RingCopies copies;
  LaterIterations later;

  scf::IfOp branch;
  scf::ForOp made;
  SmallVector<Value> afterFirst; // what a delayed dot's first iteration carries
  unsigned own = 0;        // of what the new loop carries: the iteration's
  unsigned firstAhead = 0; // ... the addresses of the iteration to be begun
  Value reads, fills, readPhase, fillPhase;

  scf::ForOp around;                 // plan.around
  SmallVector<Operation *> ofAround; // what first iterations are computed from
  Operation *firstRead = nullptr,
            *firstPhase = nullptr; // until it carries them
};

//===----------------------------------------------------------------------===//
// Before the loop
//===----------------------------------------------------------------------===//

/// Of a loop without iterations nothing is begun, and what comes out of one
/// with iterations is waited for before it meets what goes in: a register of a
/// dot in flight must not be moved.
OpBuilder Rewriter::makeBranch() {
  OpBuilder b(loop);
  SmallVector<Type> types(loop.getResultTypes());
  if (around) {
    types.append(2, b.getI32Type()); // the slot to be read, its phase
  }
  const bool hasResults = !types.empty();
  branch = scf::IfOp::create(b, loc, types,
                             hasIteration(b, loop, loop.getLowerBound(), 0),
                             /*withElseRegion=*/hasResults);
  if (!hasResults) {
    return OpBuilder(branch.thenBlock()->getTerminator());
  }
  if (!around) {
    OpBuilder none = branch.getElseBodyBuilder();
    scf::YieldOp::create(none, loc, loop.getInitArgs());
  }
  return branch.getThenBodyBuilder();
}

/// Leaves in `map` what the first iteration that was not begun would carry.
void Rewriter::beginFirstIterations(OpBuilder &b, IRMapping &map) {
  later.start(map);
  for (unsigned iteration = 0; iteration < plan.distance + (delayed ? 1 : 0);
       ++iteration) {
    Value exists = later.begin(b, map, loop.getLowerBound(), iteration);
    copies.issue(b, map, constant(b, int32_t(iteration)), exists);
    later.advance(map);
  }
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// It carries beside its own: which slot is read, which is filled, the phases
/// that end when these are full and empty, the addresses of the iteration to be
/// begun.
void Rewriter::makeLoop(OpBuilder &b, const IRMapping &map) {
  SmallVector<Value> inits(loop.getInitArgs());
  if (delayed) {
    inits = afterFirst;
  }
  own = unsigned(inits.size());
  if (around) {
    inits.push_back(firstRead->getResult(0));
    inits.push_back(slotAfter(b, firstRead->getResult(0), plan.distance));
    inits.push_back(firstPhase->getResult(0));
  } else {
    const unsigned first = delayed ? 1 : 0;
    inits.push_back(constant(b, int32_t(first)));
    inits.push_back(constant(b, int32_t((first + plan.distance) % plan.slots)));
    if (copies.full) {
      inits.push_back(constant(b, 0));
    }
  }
  if (copies.empty) {
    inits.push_back(constant(b, 1)); // a new slot is empty
  }
  firstAhead = unsigned(inits.size());
  inits.append(later.carried(map));
  made = emptyLoopLike(b, loop, inits);
  if (delayed) {
    // Behind the last index nothing can be counted.
    OpBuilder before(made);
    Value lower = loop.getLowerBound(),
          hasMore = hasIteration(before, loop, lower, 1);
    made.setLowerBound(arith::SelectOp::create(
        before, loc, hasMore, indexAfter(before, loop, lower, 1),
        loop.getUpperBound()));
  }
  reads = made.getRegionIterArg(own);
  fills = made.getRegionIterArg(own + 1);
  readPhase = copies.full ? made.getRegionIterArg(own + 2) : Value();
  fillPhase = copies.empty ? made.getRegionIterArg(own + 3) : Value();
}

/// What this iteration reads is there.
void Rewriter::beginIteration(OpBuilder &in, IRMapping &far) {
  // For all threads: they have ended the iteration before.
  if (copies.inGroups) {
    AsyncWaitOp::create(in, loc, plan.distance - 1);
  }
  if (!plan.fillsLate) {
    if (!copies.inGroups && !copies.empty && !plan.beginsAll) {
      SyncOp::create(in, loc);
    }
    beginLaterIteration(in, far);
  }
  if (copies.full) {
    BarrierWaitOp::create(in, loc, copies.full, reads, readPhase);
  }
}

/// The copies of the iteration that is `distance` away, into a slot that all
/// have read. `far` maps to that iteration.
void Rewriter::beginLaterIteration(OpBuilder &in, IRMapping &far) {
  later.carry(far, made.getRegionIterArgs().drop_front(firstAhead));
  Value exists = later.begin(in, far, made.getInductionVar(), plan.distance);
  if (copies.empty) {
    AcquireOp::create(in, loc, copies.empty, fills, fillPhase, exists);
  }
  if (!plan.beginsAll) {
    copies.issue(in, far, fills, exists);
  } else if (copies.inGroups) {
    AsyncCommitOp::create(in, loc); // waits count groups
  }
}

/// One op of an iteration, its loads replaced.
void Rewriter::emitOp(OpBuilder &in, Operation &op, Value slot,
                      IRMapping &near) {
  if (const Fetch *fetch = plan.fetchOf(&op)) {
    copies.read(in, *fetch, slot, near);
    return;
  }
  if (isa<StageOp, ConvertOp>(op) && near.contains(op.getResult(0))) {
    return;
  }
  Operation *copy = in.clone(op, near);
  if (llvm::is_contained(plan.asyncDots, dyn_cast<DotOp>(op))) {
    cast<DotOp>(copy).setAsync(true);
  }
}

IRMapping Rewriter::emitIteration(OpBuilder &in) {
  IRMapping near;
  near.map(loop.getInductionVar(), made.getInductionVar());
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    near.map(loop.getRegionIterArg(i), made.getRegionIterArg(i));
  }
  if (!delayed) {
    for (Operation &op : loop.getBody()->without_terminator()) {
      emitOp(in, op, reads, near);
    }
    return near;
  }
  Value sum;
  emitUndelayed(in, reads, near, [&] {
    sum = emitDelayed(
        in, slotBefore(in, reads), made.getRegionIterArg(delayed->sum),
        made.getRegionIterArgs().slice(loop.getNumRegionIterArgs(),
                                       delayed->computed.size()));
  });
  rescale(in, sum, near);
  return near;
}

//===----------------------------------------------------------------------===//
// A delayed dot
//===----------------------------------------------------------------------===//

/// An iteration without the dot and what its sum goes through; `behindDots`
/// emits what follows the others.
void Rewriter::emitUndelayed(OpBuilder &in, Value slot, IRMapping &near,
                             function_ref<void()> behindDots) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op != delayed->dot && !delayed->rescaling.contains(&op)) {
      emitOp(in, op, slot, near);
    }
    if (&op == delayed->before) {
      behindDots();
    }
  }
}

/// The dot, of an iteration with this slot, added to this sum.
Value Rewriter::emitDelayed(OpBuilder &in, Value slot, Value sum,
                            ValueRange computed) {
  DotOp dot = delayed->dot;
  IRMapping past;
  past.map(dot.getAcc(), sum);
  for (auto [operand, value] : llvm::zip_equal(delayed->computed, computed)) {
    past.map(operand, value);
  }
  SmallVector<Operation *> path; // from the loads
  for (Value operand : {Value(dot.getA()), Value(dot.getB())}) {
    const size_t begin = path.size();
    while (!past.contains(operand) && !loop.isDefinedOutsideOfLoop(operand)) {
      Operation *op = operand.getDefiningOp();
      path.insert(path.begin() + ptrdiff_t(begin), op);
      if (plan.fetchOf(op)) {
        break;
      }
      operand = op->getOperand(0);
    }
  }
  for (Operation *op : path) {
    emitOp(in, *op, slot, past);
  }
  return cast<DotOp>(in.clone(*dot, past)).getResult();
}

/// What the sum goes through on its way to the next accumulator.
void Rewriter::rescale(OpBuilder &in, Value sum, IRMapping &near) {
  near.map(loop.getRegionIterArg(delayed->sum), sum);
  for (Operation *op : delayed->rescaling) {
    in.clone(*op, near);
  }
}

/// What an iteration without its last dot leads to: of the dot, what it is
/// added to and what it multiplies.
SmallVector<Value> Rewriter::carriedOf(const IRMapping &near) {
  DotOp dot = delayed->dot;
  SmallVector<Value> next;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
    next.push_back(near.lookupOrDefault(i == delayed->sum ? Value(dot.getAcc())
                                                          : yielded(i)));
  }
  for (Value operand : delayed->computed) {
    next.push_back(near.lookup(operand));
  }
  return next;
}

/// The dot of the last iteration ends before anybody else writes to the rings.
void Rewriter::finishDelayed(OpBuilder &b, MutableArrayRef<Value> results) {
  Value &sum = results[delayed->sum];
  sum = emitDelayed(
      b, slotBefore(b, made.getResult(own)), sum,
      made.getResults().slice(loop.getNumResults(), delayed->computed.size()));
  sum.getDefiningOp<DotOp>().setAsync(true);
  sum = DotWaitOp::create(b, loc, sum.getType(), 0, sum).getResult(0);
}

void Rewriter::emitFirstIteration(OpBuilder &b) {
  IRMapping near;
  near.map(loop.getInductionVar(), loop.getLowerBound());
  near.map(loop.getRegionIterArgs(), loop.getInitArgs());
  Value slot = constant(b, 0);
  if (copies.inGroups) {
    AsyncWaitOp::create(b, loc, plan.distance);
  }
  if (copies.full) {
    BarrierWaitOp::create(b, loc, copies.full, slot, constant(b, 0));
  }
  emitUndelayed(b, slot, near, [] {});
  rescale(b, loop.getInitArgs()[delayed->sum], near);
  afterFirst = carriedOf(near);
}

//===----------------------------------------------------------------------===//
// The end of an iteration, and of the loop
//===----------------------------------------------------------------------===//

void Rewriter::endIteration(OpBuilder &in, IRMapping &near, IRMapping &far) {
  SmallVector<Value> next;
  if (delayed) {
    next = carriedOf(near);
  } else {
    for (unsigned i = 0; i < own; ++i) {
      next.push_back(near.lookupOrDefault(yielded(i)));
    }
  }
  waitForDots(in, unsigned(plan.asyncDots.size()), next);
  if (plan.fillsLate) {
    SyncOp::create(in, loc);
    beginLaterIteration(in, far);
  }
  if (copies.empty) {
    releaseSlot(in);
  }
  next.push_back(following(in, reads));
  next.push_back(following(in, fills));
  if (copies.full) {
    next.push_back(phaseAfter(in, readPhase, next[own]));
  }
  if (copies.empty) {
    next.push_back(phaseAfter(in, fillPhase, next[own + 1]));
  }
  later.advance(far);
  next.append(later.carried(far));
  scf::YieldOp::create(in, loc, next);
  // What only addresses of this iteration needed.
  eraseDead(*made.getBody());
}

/// A dot in flight reads its slots until the next one has begun: then the slot
/// of the iteration before is released. So it is with a delayed dot, whose
/// first iteration stands before the loop.
void Rewriter::releaseSlot(OpBuilder &in) {
  if (plan.asyncDots.empty()) {
    Value always = arith::ConstantOp::create(in, loc, in.getBoolAttr(true));
    ReleaseOp::create(in, loc, copies.empty,
                      delayed ? slotBefore(in, reads) : reads, always);
    return;
  }
  Value before = slotBefore(in, reads);
  Value hasBefore =
      arith::CmpIOp::create(in, loc, arith::CmpIPredicate::ne,
                            made.getInductionVar(), loop.getLowerBound());
  ReleaseOp::create(in, loc, copies.empty, before, hasBefore);
}

/// After the loop nothing is on its way, and nobody reads the rings.
void Rewriter::finish(OpBuilder &b) {
  b.setInsertionPointAfter(made);
  SmallVector<Value> results(
      made.getResults().take_front(loop.getNumResults()));
  if (delayed) {
    finishDelayed(b, results);
  }
  if (around) {
    // Before what is still in flight is waited for.
    beginNextTime(b, made.getResult(own));
  }
  waitForDots(b, 0, results);
  if (copies.inGroups) {
    AsyncWaitOp::create(b, loc, 0u);
  }
  if (around) {
    results.append({made.getResult(own), made.getResult(own + 2)});
    OpBuilder none = branch.getElseBodyBuilder();
    beginNextTime(none, firstRead->getResult(0));
    SmallVector<Value> same(loop.getInitArgs());
    same.append({firstRead->getResult(0), firstPhase->getResult(0)});
    scf::YieldOp::create(none, loc, same);
  } else if (copies.full &&
             plan.clusterBlocks == 1) { // others may arrive at ours
    copies.endBarriers(b);
  }
  if (!results.empty()) {
    scf::YieldOp::create(b, loc, results);
  }
  loop.replaceAllUsesWith(branch.getResults().take_front(loop.getNumResults()));
  loop.erase();
}

//===----------------------------------------------------------------------===//
// The loop around it
//===----------------------------------------------------------------------===//

/// The copies of the first iterations of the time with this index of the loop
/// around, into this slot and the next ones; none if that time is not there.
void Rewriter::beginTime(OpBuilder &b, Value index, Value isThere, Value slot) {
  IRMapping time;
  time.map(around.getInductionVar(), index);
  for (Operation *op : ofAround) {
    b.clone(*op, time);
  }
  for (unsigned iteration = 0; iteration < plan.distance; ++iteration) {
    Value exists = later.begin(b, time, loop.getLowerBound(), iteration);
    copies.issue(b, time, slotAfter(b, slot, iteration),
                 arith::AndIOp::create(b, loc, isThere, exists));
  }
}

void Rewriter::beginNextTime(OpBuilder &b, Value slot) {
  beginTime(b, indexAfter(b, around, around.getInductionVar(), 1),
            hasIteration(b, around, around.getInductionVar(), 1), slot);
}

/// Rings and the copies of the first time stand before the loop around.
void Rewriter::beginFirstTime() {
  // What the planner looked at, and sums and products of it.
  ofAround =
      sliceAround(around, loop, plan, copies.positions())->inOrder(around);
  OpBuilder before(around);
  copies.makeRings(before);
  beginTime(before, around.getLowerBound(),
            hasIteration(before, around, around.getLowerBound(), 0),
            constant(before, 0));
  OpBuilder in = OpBuilder::atBlockBegin(around.getBody());
  firstRead = constant(in, 0).getDefiningOp();
  firstPhase = constant(in, 0).getDefiningOp();
}

/// From one time to the next, which slot is read, and its phase.
void Rewriter::carryState() {
  IRRewriter rewriter(around.getContext());
  rewriter.setInsertionPoint(around);
  Value zero =
      arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(0));
  DictionaryAttr attributes = around->getDiscardableAttrDictionary();
  auto carried = around.replaceWithAdditionalYields(
      rewriter, {zero, zero}, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
        return SmallVector<Value>(branch.getResults().take_back(2));
      });
  // Nothing of a loop that is not there yet is in the way.
  around = cast<scf::ForOp>(**carried);
  around->setDiscardableAttrs(attributes);
  const auto state = around.getRegionIterArgs().take_back(2);
  firstRead->getResult(0).replaceAllUsesWith(state[0]);
  firstRead->erase();
  firstPhase->getResult(0).replaceAllUsesWith(state[1]);
  firstPhase->erase();
  OpBuilder b(around->getContext());
  b.setInsertionPointAfter(around);
  copies.endBarriers(b);
}

//===----------------------------------------------------------------------===//
// Dots in flight
//===----------------------------------------------------------------------===//

/// Of what the loop carries, the sums of dots in flight become what comes out
/// of the wait.
void Rewriter::waitForDots(OpBuilder &b, unsigned pending,
                           MutableArrayRef<Value> values) {
  if (plan.asyncDots.empty()) {
    return;
  }
  SmallVector<unsigned> inFlight;
  SmallVector<Value> sums;
  for (DotOp dot : plan.asyncDots) {
    inFlight.push_back(cast<BlockArgument>(dot.getAcc()).getArgNumber() - 1);
    sums.push_back(values[inFlight.back()]);
  }
  auto wait =
      DotWaitOp::create(b, loc, TypeRange(ValueRange(sums)), pending, sums);
  for (auto [i, value] : llvm::zip_equal(inFlight, wait.getResults())) {
    values[i] = value;
  }
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

/// The slot so many iterations, fewer than there are slots, after this one.
Value Rewriter::slotAfter(OpBuilder &b, Value slot, unsigned iterations) {
  if (iterations == 0) {
    return slot;
  }
  Value next =
      arith::AddIOp::create(b, loc, slot, constant(b, int32_t(iterations)));
  Value slots = constant(b, int32_t(plan.slots));
  if (iterations == 1) {
    Value wraps =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, slots);
    return arith::SelectOp::create(b, loc, wraps, constant(b, 0), next);
  }
  Value wraps =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, next, slots);
  return arith::SelectOp::create(
      b, loc, wraps, arith::SubIOp::create(b, loc, next, slots), next);
}

Value Rewriter::slotBefore(OpBuilder &b, Value slot) {
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, slot,
                                        constant(b, 0));
  return arith::SelectOp::create(
      b, loc, isFirst, constant(b, int32_t(plan.slots) - 1),
      arith::SubIOp::create(b, loc, slot, constant(b, 1)));
}

/// Each time round the ring another one.
Value Rewriter::phaseAfter(OpBuilder &b, Value phase, Value nextSlot) {
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      nextSlot, constant(b, 0));
  return arith::XOrIOp::create(
      b, loc, phase, arith::ExtUIOp::create(b, loc, b.getI32Type(), wraps));
}

void Rewriter::run() {
  if (around) {
    beginFirstTime();
  }
  OpBuilder b = makeBranch();
  IRMapping ahead;
  if (!around) {
    copies.makeRings(b);
    beginFirstIterations(b, ahead);
  }
  if (delayed) {
    emitFirstIteration(b);
  }
  makeLoop(b, ahead);
  OpBuilder in = OpBuilder::atBlockEnd(made.getBody());
  IRMapping far;
  beginIteration(in, far);
  IRMapping near = emitIteration(in);
  endIteration(in, near, far);
  finish(b);
  if (around) {
    carryState();
  }
}

} // namespace

void tz::simt::pipelineLoop(scf::ForOp loop, const PipelinePlan &plan,
                            LaunchViews &launch) {
  Rewriter(loop, plan, launch).run();
}
