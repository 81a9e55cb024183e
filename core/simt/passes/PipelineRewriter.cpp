//===- PipelineRewriter.cpp - a loop whose loads are begun ahead ----------===//
//
// What   See PipelineRewriter.h.
// Why    See PipelineRewriter.h.
//
// With a distance of two turns and three slots a loop becomes
//
//   if there is a turn:
//     begin the copies of turns 0 and 1 into slots 0 and 1
//     for each turn, reads = 0, fills = 2:
//       wait until all have read what slot `fills` held
//       begin the copies of the turn after the next into slot `fills`
//       wait for what this turn reads
//       the turn itself, its loads replaced by slot `reads`
//       reads, fills = the next slots
//
// Or, with two slots, the two lines about slot `fills` stand at the end of a
// turn (PipelinePlan::fillsLate): that is the slot that it has read.
//
// That all have read a slot is known by a barrier of the block; or the warps
// arrive at a barrier of the slot when they have, and only the thread that
// begins the copies waits there (PipelinePlan::hasReleases).
//
// In a loop whose turns the copies go on over (PipelinePlan::around) it becomes
//
//   begin the copies of turns 0 and 1 of the first time
//   for each time, reads = what it was at the end of the time before:
//     if there is a turn:
//       for each turn: as above
//     begin the copies of turns 0 and 1 of the next time
//     what follows the loop
//
// Their slots were read before the last turn began, which all threads know.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/PipelineRewriter.h"

#include "core/simt/analysis/Programs.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

class Rewriter {
public:
  Rewriter(scf::ForOp loop, const PipelinePlan &plan, LaunchViews &launch)
      : loop(loop), loc(loop.getLoc()), plan(plan), launch(launch),
        inBulk(plan.numBulk() != 0),
        inGroups(plan.numBulk() != plan.fetches.size()),
        slice(plan.ahead.inOrder(loop)), around(plan.around) {}

  void run();

private:
  /// What a fetch needs in the code that is made.
  struct Copy {
    const Fetch *fetch;
    Value ring, descriptor;
    SmallVector<Value> position; // in the frame
    Value shared; // i1, or null: is it that of the block beside this one?
  };

  OpBuilder makeBranch();
  void makeRings(OpBuilder &b);
  void describeFrames();
  Value isShared(OpBuilder &b, const Copy &copy);

  void beginFirstTime();
  void beginTime(OpBuilder &b, Value index, Value isThere, Value slot);
  void beginNextTime(OpBuilder &b, Value slot);
  void carryState();

  void beginFirstTurns(OpBuilder &b, IRMapping &map);
  void makeLoop(OpBuilder &b, const IRMapping &map);
  void beginTurn(OpBuilder &in, IRMapping &far);
  void beginLaterTurn(OpBuilder &in, IRMapping &far);
  IRMapping emitTurn(OpBuilder &in);
  void readSlot(OpBuilder &in, const Copy &copy, IRMapping &near);
  void endTurn(OpBuilder &in, IRMapping &near, IRMapping &far);
  void releaseSlot(OpBuilder &in);
  void finish(OpBuilder &b);
  void endBarriers(OpBuilder &b);

  Value beginSlice(OpBuilder &b, IRMapping &map, Value index, unsigned turns);
  void advance(IRMapping &map);
  void issue(OpBuilder &b, const IRMapping &map, Value slot, Value when);
  void issueInBulk(OpBuilder &b, const Copy &copy, const IRMapping &map,
                   Value to, Value slot, Value when);
  void issueByThreads(OpBuilder &b, const Copy &copy, const IRMapping &map,
                      Value to, Value when);
  void waitForDots(OpBuilder &b, unsigned pending,
                   MutableArrayRef<Value> values);

  Value following(OpBuilder &b, Value slot) { return slotAfter(b, slot, 1); }
  Value slotAfter(OpBuilder &b, Value slot, unsigned turns);
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
  LaunchViews &launch;
  const bool inBulk, inGroups;    // some copies are
  SmallVector<Operation *> slice; // plan.ahead in the order of the body

  scf::IfOp branch;
  SmallVector<Copy, 0> copies;
  Value full, empty; // barriers of the slots, if copies are in bulk
  scf::ForOp made;
  unsigned own = 0;        // of what the new loop carries: the old loop's
  unsigned firstAhead = 0; // ... the addresses of the turn to be begun
  Value reads, fills, readPhase, fillPhase;

  scf::ForOp around;                 // plan.around
  SmallVector<Operation *> ofAround; // what first turns are computed from
  Operation *firstRead = nullptr,
            *firstPhase = nullptr; // until it carries them
};

//===----------------------------------------------------------------------===//
// Before the loop
//===----------------------------------------------------------------------===//

/// Of a loop without turns nothing is begun, and what comes out of one with
/// turns is waited for before it meets what goes in: a register of a dot in
/// flight must not be moved.
OpBuilder Rewriter::makeBranch() {
  OpBuilder b(loop);
  SmallVector<Type> types(loop.getResultTypes());
  if (around) {
    types.append(2, b.getI32Type()); // the slot to be read, its phase
  }
  const bool hasResults = !types.empty();
  branch = scf::IfOp::create(b, loc, types,
                             hasTurn(b, loop, loop.getLowerBound(), 0),
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

void Rewriter::describeFrames() {
  for (Copy &copy : copies) {
    if (const std::optional<BulkFrame> &frame = copy.fetch->frame) {
      Location at = copy.fetch->load->getLoc();
      OpBuilder before(loop);
      copy.descriptor = makeDescriptor(
          launch, loop->getParentOfType<tile::KernelOp>(), at, *frame);
      copy.position = positionIn(launch, before, at, *frame);
      copy.shared = plan.together > 1 ? isShared(before, copy) : Value();
    }
  }
}

/// It is in every turn if what its place is computed from is the same before
/// the loop: both blocks turn as often.
Value Rewriter::isShared(OpBuilder &b, const Copy &copy) {
  if (boxesOf(copy.fetch->frame->type, copy.fetch->buffer) % plan.together) {
    return nullptr;
  }
  Slice made;
  SmallVector<Value> sources(copy.position);
  auto view = cast<tile::LoadViewOp>(copy.fetch->load);
  for (Value offset : view.getOffsets()) {
    if (!addToSlice(loop, offset, made)) {
      return nullptr;
    }
    sources.push_back(offset);
  }
  if (!made.carried.empty() || made.hasLoads()) {
    return nullptr;
  }
  for (Operation *op : made.ops) {
    llvm::append_range(sources, op->getOperands());
  }
  llvm::erase_if(sources, [&](Value one) {
    return loop.getRegion().isAncestor(one.getParentRegion());
  });
  return areSameBeside(b, view.getLoc(),
                       loop->getParentOfType<tile::KernelOp>(), sources);
}

void Rewriter::makeRings(OpBuilder &b) {
  auto make = [&] {
    for (Copy &copy : copies) {
      auto type = RingType::get(b.getContext(), plan.slots, copy.fetch->buffer);
      copy.ring = RingOp::create(b, copy.fetch->load->getLoc(), type);
    }
  };
  // Above barriers that stay, so that their memory is free behind the loop.
  const bool areAbove = plan.together > 1;
  if (!areAbove) {
    make();
  }
  if (inBulk) {
    SmallVector<Type> types = {
        BarriersType::get(b.getContext(), plan.slots, 1)};
    if (plan.hasReleases) {
      types.push_back(BarriersType::get(
          b.getContext(), plan.slots, plan.together * copyRequest(loop).warps));
    }
    auto barriers = BarriersOp::create(b, loc, types);
    full = barriers.getResult(0);
    empty = plan.hasReleases ? barriers.getResult(1) : Value();
  }
  if (areAbove) {
    make();
  }
}

/// Leaves in `map` what the first turn that was not begun would carry.
void Rewriter::beginFirstTurns(OpBuilder &b, IRMapping &map) {
  for (unsigned i : plan.ahead.carried) {
    map.map(loop.getRegionIterArg(i), loop.getInitArgs()[i]);
  }
  for (unsigned turn = 0; turn < plan.distance; ++turn) {
    Value exists = beginSlice(b, map, loop.getLowerBound(), turn);
    issue(b, map, constant(b, int32_t(turn)), exists);
    advance(map);
  }
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// It carries beside its own: which slot is read, which is filled, the phases
/// that end when these are full and empty, the addresses of the turn to be
/// begun.
void Rewriter::makeLoop(OpBuilder &b, const IRMapping &map) {
  SmallVector<Value> inits(loop.getInitArgs());
  own = unsigned(inits.size());
  if (around) {
    inits.push_back(firstRead->getResult(0));
    inits.push_back(slotAfter(b, firstRead->getResult(0), plan.distance));
    inits.push_back(firstPhase->getResult(0));
  } else {
    inits.push_back(constant(b, 0));
    inits.push_back(constant(b, int32_t(plan.distance % plan.slots)));
    if (full) {
      inits.push_back(constant(b, 0));
    }
  }
  if (empty) {
    inits.push_back(constant(b, 1)); // a new slot is empty
  }
  firstAhead = unsigned(inits.size());
  for (unsigned i : plan.ahead.carried) {
    inits.push_back(map.lookup(loop.getRegionIterArg(i)));
  }
  made =
      scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (!made.getBody()->empty()) {
    made.getBody()->getTerminator()->erase();
  }
  reads = made.getRegionIterArg(own);
  fills = made.getRegionIterArg(own + 1);
  readPhase = full ? made.getRegionIterArg(own + 2) : Value();
  fillPhase = empty ? made.getRegionIterArg(own + 3) : Value();
}

/// What this turn reads is there.
void Rewriter::beginTurn(OpBuilder &in, IRMapping &far) {
  if (inGroups) { // for all threads: they have ended the turn before
    AsyncWaitOp::create(in, loc, plan.distance - 1);
  }
  if (!plan.fillsLate) {
    if (!inGroups && !empty) {
      SyncOp::create(in, loc);
    }
    beginLaterTurn(in, far);
  }
  if (full) {
    BarrierWaitOp::create(in, loc, full, reads, readPhase);
  }
}

/// The copies of the turn that is `distance` away, into a slot that all have
/// read. `far` maps to that turn.
void Rewriter::beginLaterTurn(OpBuilder &in, IRMapping &far) {
  for (auto [n, i] : llvm::enumerate(plan.ahead.carried)) {
    far.map(loop.getRegionIterArg(i),
            made.getRegionIterArg(firstAhead + unsigned(n)));
  }
  Value exists = beginSlice(in, far, made.getInductionVar(), plan.distance);
  if (empty) {
    AcquireOp::create(in, loc, empty, fills, fillPhase, exists);
  }
  issue(in, far, fills, exists);
}

/// The turn itself, its loads replaced.
IRMapping Rewriter::emitTurn(OpBuilder &in) {
  IRMapping near;
  near.map(loop.getInductionVar(), made.getInductionVar());
  for (unsigned i = 0; i < own; ++i) {
    near.map(loop.getRegionIterArg(i), made.getRegionIterArg(i));
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (const Fetch *fetch = plan.fetchOf(&op)) {
      readSlot(in, copies[size_t(fetch - plan.fetches.begin())], near);
      continue;
    }
    if (isa<StageOp, ConvertOp>(op) && near.contains(op.getResult(0))) {
      continue;
    }
    Operation *copy = in.clone(op, near);
    if (llvm::is_contained(plan.asyncDots, dyn_cast<DotOp>(op))) {
      cast<DotOp>(copy).setAsync(true);
    }
  }
  return near;
}

/// The slot's tile in the rows that the stage wants.
static Value turned(OpBuilder &in, StageOp stage, Value slot) {
  const Location at = stage.getLoc();
  const Turn turn = *turnOf(
      stage, cast<BufferType>(slot.getType()).getLayout().getOrder()[0]);
  auto type = cast<RankedTensorType>(stage.getSource().getType());
  Value tile = ReadOp::create(in, at, withLayout(type, turn.read), slot);
  if (turn.read != turn.written) {
    tile = ConvertOp::create(in, at, withLayout(type, turn.written), tile);
  }
  return StageOp::create(in, at, stage.getResult().getType(), tile);
}

/// The slot is what the load was staged to; who computes with the load reads
/// it, in the layout that is wanted.
void Rewriter::readSlot(OpBuilder &in, const Copy &copy, IRMapping &near) {
  const Fetch &fetch = *copy.fetch;
  Location at = fetch.load->getLoc();
  Value slot = SlotOp::create(in, at, fetch.buffer, copy.ring, reads);
  bool isRead = false;
  for (Operation *user : fetch.load->getUsers()) {
    auto stage = dyn_cast<StageOp>(user);
    if (stage && fetch.isReplaced(stage)) {
      near.map(stage.getResult(), slot);
    } else if (stage && stage->getBlock() == loop.getBody() &&
               turnOf(stage, fetch.buffer.getLayout().getOrder()[0])) {
      near.map(stage.getResult(), turned(in, stage, slot));
    } else if (isa<ConvertOp>(user) && user->getBlock() == loop.getBody()) {
      Value result = user->getResult(0);
      near.map(result, ReadOp::create(in, at, result.getType(), slot));
    } else {
      isRead = true;
    }
  }
  if (isRead) {
    near.map(fetch.result(),
             ReadOp::create(in, at, fetch.result().getType(), slot));
  }
}

void Rewriter::endTurn(OpBuilder &in, IRMapping &near, IRMapping &far) {
  SmallVector<Value> next;
  for (unsigned i = 0; i < own; ++i) {
    next.push_back(near.lookupOrDefault(yielded(i)));
  }
  waitForDots(in, unsigned(plan.asyncDots.size()), next);
  if (plan.fillsLate) {
    SyncOp::create(in, loc);
    beginLaterTurn(in, far);
  }
  if (empty) {
    releaseSlot(in);
  }
  next.push_back(following(in, reads));
  next.push_back(following(in, fills));
  if (full) {
    next.push_back(phaseAfter(in, readPhase, next[own]));
  }
  if (empty) {
    next.push_back(phaseAfter(in, fillPhase, next[own + 1]));
  }
  advance(far);
  for (unsigned i : plan.ahead.carried) {
    next.push_back(far.lookup(loop.getRegionIterArg(i)));
  }
  scf::YieldOp::create(in, loc, next);
  // What only addresses of this turn needed.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*made.getBody()))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
    }
  }
}

/// A dot in flight reads its slots until the next one has begun: then the slot
/// of the turn before is released.
void Rewriter::releaseSlot(OpBuilder &in) {
  if (plan.asyncDots.empty()) {
    Value always = arith::ConstantOp::create(in, loc, in.getBoolAttr(true));
    ReleaseOp::create(in, loc, empty, reads, always);
    return;
  }
  Value isFirst = arith::CmpIOp::create(in, loc, arith::CmpIPredicate::eq,
                                        reads, constant(in, 0));
  Value before = arith::SelectOp::create(
      in, loc, isFirst, constant(in, int32_t(plan.slots) - 1),
      arith::SubIOp::create(in, loc, reads, constant(in, 1)));
  Value hasBefore =
      arith::CmpIOp::create(in, loc, arith::CmpIPredicate::ne,
                            made.getInductionVar(), loop.getLowerBound());
  ReleaseOp::create(in, loc, empty, before, hasBefore);
}

/// After the loop nothing is on its way, and nobody reads the rings.
void Rewriter::finish(OpBuilder &b) {
  b.setInsertionPointAfter(made);
  SmallVector<Value> results(made.getResults().take_front(own));
  if (around) {
    // Before what is still in flight is waited for.
    beginNextTime(b, made.getResult(own));
  }
  waitForDots(b, 0, results);
  if (inGroups) {
    AsyncWaitOp::create(b, loc, 0u);
  }
  if (around) {
    results.append({made.getResult(own), made.getResult(own + 2)});
    OpBuilder none = branch.getElseBodyBuilder();
    beginNextTime(none, firstRead->getResult(0));
    SmallVector<Value> same(loop.getInitArgs());
    same.append({firstRead->getResult(0), firstPhase->getResult(0)});
    scf::YieldOp::create(none, loc, same);
  } else if (full && plan.together == 1) { // others may arrive at ours
    endBarriers(b);
  }
  if (!results.empty()) {
    scf::YieldOp::create(b, loc, results);
  }
  loop.replaceAllUsesWith(branch.getResults().take_front(loop.getNumResults()));
  loop.erase();
}

void Rewriter::endBarriers(OpBuilder &b) {
  SmallVector<Value> barriers = {full};
  if (empty) {
    barriers.push_back(empty);
  }
  BarriersEndOp::create(b, loc, barriers);
}

//===----------------------------------------------------------------------===//
// The loop around it
//===----------------------------------------------------------------------===//

/// The copies of the first turns of the time with this index of the loop
/// around, into this slot and the next ones; none if that time is not there.
void Rewriter::beginTime(OpBuilder &b, Value index, Value isThere, Value slot) {
  IRMapping time;
  time.map(around.getInductionVar(), index);
  for (Operation *op : ofAround) {
    b.clone(*op, time);
  }
  for (unsigned turn = 0; turn < plan.distance; ++turn) {
    Value exists = beginSlice(b, time, loop.getLowerBound(), turn);
    issue(b, time, slotAfter(b, slot, turn),
          arith::AndIOp::create(b, loc, isThere, exists));
  }
}

void Rewriter::beginNextTime(OpBuilder &b, Value slot) {
  beginTime(b, indexAfter(b, around, around.getInductionVar(), 1),
            hasTurn(b, around, around.getInductionVar(), 1), slot);
}

/// Rings and the copies of the first time stand before the loop around.
void Rewriter::beginFirstTime() {
  SmallVector<Value> positions;
  for (const Copy &copy : copies) {
    llvm::append_range(positions, copy.position);
  }
  // What the planner looked at, and sums and products of it.
  ofAround = sliceAround(around, loop, plan, positions)->inOrder(around);
  OpBuilder before(around);
  makeRings(before);
  beginTime(before, around.getLowerBound(),
            hasTurn(before, around, around.getLowerBound(), 0),
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
  endBarriers(b);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// What the turn so many after the one with this index computes to know its
/// addresses; says whether there is such a turn. Indices are not loaded for one
/// that is not there.
Value Rewriter::beginSlice(OpBuilder &b, IRMapping &map, Value index,
                           unsigned turns) {
  const TurnCounter counter(loop, map);
  index = map.lookupOrDefault(index);
  Value exists = hasTurn(b, counter, index, turns);
  Value later = indexAfter(b, counter, index, turns);
  if (turns != 0 && plan.ahead.hasLoads()) {
    later = arith::SelectOp::create(b, loc, exists, later, index);
  }
  map.map(loop.getInductionVar(), later);
  for (Operation *op : slice) {
    b.clone(*op, map);
  }
  return exists;
}

/// From what a turn carries to what the next one does.
void Rewriter::advance(IRMapping &map) {
  SmallVector<Value> next;
  for (unsigned i : plan.ahead.carried) {
    next.push_back(map.lookupOrDefault(yielded(i)));
  }
  for (auto [i, value] : llvm::zip_equal(plan.ahead.carried, next)) {
    map.map(loop.getRegionIterArg(i), value);
  }
}

/// The copies of one turn: those of the threads as a group, those in bulk at
/// the slot's barrier.
void Rewriter::issue(OpBuilder &b, const IRMapping &map, Value slot,
                     Value when) {
  int64_t bytes = 0;
  for (const Fetch &fetch : plan.fetches) {
    bytes += fetch.frame ? fetch.buffer.getBytes() : 0;
  }
  if (full) {
    ExpectOp::create(b, loc, full, slot, bytes, when);
  }
  for (const Copy &copy : copies) {
    Value to = SlotOp::create(b, copy.fetch->load->getLoc(), copy.fetch->buffer,
                              copy.ring, slot);
    if (copy.fetch->frame) {
      issueInBulk(b, copy, map, to, slot, when);
    } else {
      issueByThreads(b, copy, map, to, when);
    }
  }
  if (inGroups) {
    AsyncCommitOp::create(b, loc);
  }
}

void Rewriter::issueInBulk(OpBuilder &b, const Copy &copy, const IRMapping &map,
                           Value to, Value slot, Value when) {
  auto view = cast<tile::LoadViewOp>(copy.fetch->load);
  SmallVector<Value> offsets;
  for (Value offset : view.getOffsets()) {
    offsets.push_back(map.lookupOrDefault(offset));
  }
  SmallVector<Value> position;
  for (Value one : copy.position) {
    position.push_back(map.lookupOrDefault(one));
  }
  SmallVector<Value> at =
      blockIn(b, view.getLoc(), copy.fetch->buffer, position, offsets);
  BulkCopyOp::create(b, view.getLoc(), copy.descriptor, at, to, full, slot,
                     when, copy.shared, view.getCache(), view.getEvict());
}

void Rewriter::issueByThreads(OpBuilder &b, const Copy &copy,
                              const IRMapping &map, Value to, Value when) {
  Location at = copy.fetch->load->getLoc();
  if (auto view = dyn_cast<tile::LoadViewOp>(copy.fetch->load)) {
    SmallVector<Value> offsets;
    for (Value offset : view.getOffsets()) {
      offsets.push_back(map.lookupOrDefault(offset));
    }
    AsyncCopyViewOp::create(b, at, map.lookupOrDefault(view.getView()), offsets,
                            to, when, view.getChecked(), copy.fetch->layout,
                            view.getCache(), view.getEvict());
    return;
  }
  auto load = cast<tile::LoadOp>(copy.fetch->load);
  Value mask = load.getMask() ? map.lookupOrDefault(load.getMask()) : Value();
  AsyncCopyOp::create(b, at, map.lookupOrDefault(load.getPointer()), mask, to,
                      when, load.getCache(), load.getEvict());
}

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

/// The slot so many turns, fewer than there are slots, after this one.
Value Rewriter::slotAfter(OpBuilder &b, Value slot, unsigned turns) {
  if (turns == 0) {
    return slot;
  }
  Value next = arith::AddIOp::create(b, loc, slot, constant(b, int32_t(turns)));
  Value slots = constant(b, int32_t(plan.slots));
  if (turns == 1) {
    Value wraps =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, slots);
    return arith::SelectOp::create(b, loc, wraps, constant(b, 0), next);
  }
  Value wraps =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, next, slots);
  return arith::SelectOp::create(
      b, loc, wraps, arith::SubIOp::create(b, loc, next, slots), next);
}

/// Each time round the ring another one.
Value Rewriter::phaseAfter(OpBuilder &b, Value phase, Value nextSlot) {
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      nextSlot, constant(b, 0));
  return arith::XOrIOp::create(
      b, loc, phase, arith::ExtUIOp::create(b, loc, b.getI32Type(), wraps));
}

void Rewriter::run() {
  for (const Fetch &fetch : plan.fetches) {
    copies.push_back({&fetch, {}, {}, {}, {}});
  }
  describeFrames();
  if (around) {
    beginFirstTime();
  }
  OpBuilder b = makeBranch();
  IRMapping ahead;
  if (!around) {
    makeRings(b);
    beginFirstTurns(b, ahead);
  }
  makeLoop(b, ahead);
  OpBuilder in = OpBuilder::atBlockEnd(made.getBody());
  IRMapping far;
  beginTurn(in, far);
  IRMapping near = emitTurn(in);
  endTurn(in, near, far);
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
