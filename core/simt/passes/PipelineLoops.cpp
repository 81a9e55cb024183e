//===- PipelineLoops.cpp - simt-pipeline-loops ----------------------------===//
//
// What   Loads that feed the dots of a loop are begun some turns ahead, into a
//        ring of buffers in shared memory; a dot that nobody reads before the
//        next one stays in flight over the loop's back edge.
// Why    A load from memory takes longer than the dot of one turn; with the
//        loads of the next turns on their way neither waits for the other.
// Needs  simt-assign-layouts, simt-remove-conversions.
// Keeps  order: a load goes ahead only of accesses that R6 does not order with
//        it. After this pass nothing may move an access over a wait.
//===----------------------------------------------------------------------===//
#include "core/optimizer/Versioning.h"
#include "core/simt/analysis/LaunchViews.h"
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/Contiguity.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;
using analysis::ScalarTable;

namespace tz::simt {
#define GEN_PASS_DEF_PIPELINELOOPS
#include "core/simt/passes/Passes.h.inc"
} // namespace tz::simt

namespace {

/// What is computed of one turn to know the addresses of its loads.
struct Slice {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<unsigned> carried; // iteration arguments
};

class Slicer {
public:
  explicit Slicer(scf::ForOp loop) : loop(loop) {}

  /// False if the value is not computable ahead of its turn.
  bool add(Value value, Slice &slice) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != loop.getBody() ||
          argument == loop.getInductionVar()) {
        return true;
      }
      unsigned i = argument.getArgNumber() - 1;
      return !slice.carried.insert(i) ||
             add(loop.getBody()->getTerminator()->getOperand(i), slice);
    }
    Operation *op = value.getDefiningOp();
    if (!loop->isProperAncestor(op)) {
      return true;
    }
    if (op->getBlock() != loop.getBody() || op->getNumRegions() != 0 ||
        !isPure(op) || isa<DotOp, StageOp>(op)) {
      return false;
    }
    if (slice.ops.contains(op)) {
      return true;
    }
    for (Value operand : op->getOperands()) {
      if (!add(operand, slice)) {
        return false;
      }
    }
    slice.ops.insert(op);
    return true;
  }

private:
  scf::ForOp loop;
};

bool isZero(Value value) {
  return !value || matchPattern(value, m_AnyZeroFloat()) ||
         matchPattern(value, m_Zero());
}

/// A load that can be a copy, and what it becomes.
struct Fetch {
  Operation *load;
  LayoutAttr layout;
  BufferType buffer;
  // By the copy engine, if the frame is known at launch.
  std::optional<LaunchView> frame;
  DescriptorType descriptorType;
  Value ring, descriptor;
  SmallVector<Value> position; // in the frame

  Value result() const { return load->getResult(0); }
};

class Pipeliner {
public:
  Pipeliner(scf::ForOp loop, const Target &target, const Contiguity &runs,
            LaunchViews &launch, unsigned stages, uint64_t room)
      : loop(loop), target(target), runs(runs), launch(launch), stages(stages),
        room(room) {}

  bool run();

  size_t numFetches() const { return fetches.size(); }
  size_t numBulk() const {
    return llvm::count_if(fetches,
                          [](const Fetch &one) { return bool(one.frame); });
  }
  size_t numAsyncDots() const { return asyncDots.size(); }
  StringRef why; // it declined

private:
  bool findFetches();
  bool isFetch(Operation *load);
  std::optional<BufferType> bufferFor(Operation *load);
  void describeFrame(Fetch &fetch);
  void makeDescriptor(Fetch &fetch, Operation *before);
  bool isOrderFree(Operation *load);
  bool feedsDot(Value value);
  void findAsyncDots();
  bool fitDistance();
  bool countsTurns();
  Value remains(OpBuilder &b, Value index, unsigned turns);
  void issue(OpBuilder &b, const IRMapping &map, Value slot, Value when);
  void rewrite();
  Value constant(OpBuilder &b, int32_t v) {
    return arith::ConstantOp::create(b, loop.getLoc(), b.getI32IntegerAttr(v));
  }
  Value following(OpBuilder &b, Value index);

  scf::ForOp loop;
  const Target &target;
  const Contiguity &runs;
  LaunchViews &launch;
  unsigned stages;
  uint64_t room; // bytes of shared memory that nobody else has taken
  SmallVector<Fetch, 0> fetches;
  SmallVector<DotOp> asyncDots;
  Slice ahead;
  unsigned distance = 0, slots = 0;
  Value barriers; // of the copies in bulk
};

/// The access's order of memory (R6): a group, zero is ordered with all.
std::optional<std::pair<int64_t, bool>> accessOf(Operation *op) {
  if (!isa<tile::LoadOp, tile::LoadViewOp, tile::StoreOp, tile::StoreViewOp,
           tile::AtomicRMWOp, tile::AtomicCASOp>(op)) {
    return std::nullopt;
  }
  auto group = op->getAttrOfType<IntegerAttr>("group");
  // What is learned from an atomic may be that another program has stored.
  auto rmw = dyn_cast<tile::AtomicRMWOp>(op);
  auto cas = dyn_cast<tile::AtomicCASOp>(op);
  if (((rmw && rmw.getSem() != tile::MemSem::relaxed) ||
       (cas && cas.getSem() != tile::MemSem::relaxed)) &&
      !op->use_empty()) {
    return std::pair(int64_t{0}, true);
  }
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isRead = isa<tile::LoadViewOp>(op) || (load && !load.getIsVolatile());
  return std::pair(group ? group.getInt() : 0, !isRead);
}

/// Does anything in `where` write what the load may read?
bool isWrittenIn(Operation *where, Operation *load) {
  const int64_t group = accessOf(load)->first;
  return where
      ->walk([&](Operation *op) {
        auto access = accessOf(op);
        bool conflicts =
            access && access->second &&
            (access->first == group || access->first == 0 || group == 0);
        return conflicts ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A value that is known at launch, computed at the entry.
Value cloneKnown(OpBuilder &b, Value value, IRMapping &map) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    return value;
  }
  if (Value known = map.lookupOrNull(value)) {
    return known;
  }
  for (Value operand : op->getOperands()) {
    map.map(operand, cloneKnown(b, operand, map));
  }
  return b.clone(*op, map)->getResult(0);
}

/// Nothing that the loop writes may be what the load of a later turn reads.
bool Pipeliner::isOrderFree(Operation *load) {
  bool mayEnd = false;
  loop->walk([&](tile::AssertOp) { mayEnd = true; });
  return !mayEnd && !isWrittenIn(loop, load);
}

/// Does the value reach a dot of this loop?
bool Pipeliner::feedsDot(Value value) {
  llvm::SetVector<Operation *> seen;
  seen.insert_range(value.getUsers());
  for (size_t i = 0; i < seen.size(); ++i) {
    Operation *op = seen[i];
    if (isa<DotOp>(op)) {
      return true;
    }
    if (op->getBlock() == loop.getBody() &&
        !op->hasTrait<OpTrait::IsTerminator>()) {
      seen.insert_range(op->getUsers());
    }
  }
  return false;
}

/// How the ring holds it: as a dot wants it, else row by row.
std::optional<BufferType> Pipeliner::bufferFor(Operation *load) {
  Value result = load->getResult(0);
  for (Operation *user : result.getUsers()) {
    if (auto stage = dyn_cast<StageOp>(user)) {
      return stage.getResult().getType();
    }
  }
  ArrayRef<int64_t> shape = tile::shapeOf(result.getType());
  return BufferType::get(loop.getContext(), shape,
                         tile::elementType(result.getType()),
                         plainShared(loop.getContext(), shape));
}

bool Pipeliner::isFetch(Operation *load) {
  if (load->getNumResults() != 1 || !hasLayout(load->getResult(0).getType()) ||
      !feedsDot(load->getResult(0)) || !isOrderFree(load)) {
    return false;
  }
  Slicer slicer(loop);
  Slice mine = ahead;
  Type element = tile::elementType(load->getResult(0).getType());
  std::optional<BufferType> buffer = bufferFor(load);
  // A value computed when it is loaded, such as i1 from bytes, is no copy.
  if (!buffer || element.isInteger(1) || isa<tile::PtrType>(element)) {
    return false;
  }
  if (auto view = dyn_cast<tile::LoadViewOp>(load)) {
    if (!isZero(view.getOther())) {
      return false;
    }
  } else if (auto pointers = dyn_cast<tile::LoadOp>(load)) {
    if (pointers.getIsVolatile() || !isZero(pointers.getOther())) {
      return false;
    }
  } else {
    return false;
  }
  LayoutAttr layout = cast<LayoutAttr>(
      cast<RankedTensorType>(load->getResult(0).getType()).getEncoding());
  Fetch fetch{load, layout, *buffer, {}, {}, {}, {}, {}};
  describeFrame(fetch);
  if (!fetch.frame &&
      !target.canCopyAsync(load, runs, layout.getValue(), *buffer)) {
    return false;
  }
  for (Value operand : load->getOperands()) {
    if (!slicer.add(operand, mine)) {
      return false;
    }
  }
  ahead = std::move(mine);
  fetches.push_back(std::move(fetch));
  return true;
}

/// Panels of the buffer are boxes: rows of one dimension, the fastest in
/// memory.
void Pipeliner::describeFrame(Fetch &fetch) {
  auto load = dyn_cast<tile::LoadViewOp>(fetch.load);
  if (!load) {
    return;
  }
  // The copy engine does not see what threads of this kernel stored.
  if (isWrittenIn(loop->getParentOfType<tile::KernelOp>(), load)) {
    return;
  }
  StringRef reason;
  std::optional<LaunchView> frame = launch.describe(
      load.getView(), load.getOffsets(), load.getChecked(), reason);
  const SharedAttr shared = fetch.buffer.getLayout();
  const unsigned fast = shared.getOrder()[0];
  auto isBefore = [&](const analysis::Polynomial &p) {
    return optimizer::isAvailable(p, loop, launch.scalars());
  };
  if (!frame || frame->strides[frame->more + fast].constant() != 1 ||
      !llvm::all_of(frame->position, isBefore)) {
    return;
  }
  // The frame's dimensions as they lie in the buffer, slowest first.
  const unsigned more = frame->more;
  LaunchView sorted = *frame;
  SmallVector<int64_t> box(more, 1);
  for (auto [i, dim] : llvm::enumerate(llvm::reverse(shared.getOrder()))) {
    sorted.shape[more + i] = frame->shape[more + dim];
    sorted.strides[more + i] = frame->strides[more + dim];
    sorted.position[more + i] = frame->position[more + dim];
    box.push_back(dim == fast ? shared.getPanel()
                              : fetch.buffer.getShape()[dim]);
  }
  auto type = DescriptorType::get(
      loop.getContext(), box, fetch.buffer.getElementType(), shared.getBits());
  if (target.canCopyInBulk(type, fetch.buffer)) {
    fetch.frame = std::move(sorted);
    fetch.descriptorType = type;
  }
}

/// The descriptor at the kernel's entry, the position before the loop.
void Pipeliner::makeDescriptor(Fetch &fetch, Operation *before) {
  const LaunchView &frame = *fetch.frame;
  Location loc = fetch.load->getLoc();
  ScalarTable &scalars = launch.scalars();
  auto emitAll = [&](OpBuilder &b, ArrayRef<analysis::Polynomial> all) {
    SmallVector<Value> values;
    for (const analysis::Polynomial &p : all) {
      values.push_back(scalars.emit(b, loc, p));
    }
    return values;
  };
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  auto atEntry = OpBuilder::atBlockBegin(&kernel.getBody().front());
  SmallVector<Value> positive;
  IRMapping map;
  for (Value value : frame.positive) {
    positive.push_back(cloneKnown(atEntry, value, map));
  }
  Value offset = scalars.emit(atEntry, loc, frame.offset);
  SmallVector<Value> shape = emitAll(atEntry, frame.shape),
                     strides = emitAll(atEntry, frame.strides);
  fetch.descriptor =
      DescriptorOp::create(atEntry, loc, fetch.descriptorType, frame.base,
                           offset, shape, strides, positive);
  OpBuilder b(before);
  fetch.position = emitAll(b, frame.position);
}

bool Pipeliner::findFetches() {
  for (Operation &op : *loop.getBody()) {
    if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      isFetch(&op);
    }
  }
  return !fetches.empty();
}

/// A dot whose result is only the next turn's accumulator, and that reads rings
/// and what does not change: it may go on while the next turn begins.
void Pipeliner::findAsyncDots() {
  auto isFetched = [&](Value operand) {
    if (!isa<BufferType>(operand.getType())) {
      return false; // registers would have to stay untouched
    }
    auto stage = operand.getDefiningOp<StageOp>();
    return !loop->isProperAncestor(stage) ||
           llvm::any_of(fetches, [&](const Fetch &fetch) {
             return fetch.result() == stage.getSource() &&
                    fetch.buffer == stage.getResult().getType();
           });
  };
  for (auto dot : loop.getBody()->getOps<DotOp>()) {
    auto acc = dyn_cast<BlockArgument>(dot.getAcc());
    if (acc && acc.getOwner() == loop.getBody() && acc.hasOneUse() &&
        dot.getResult().hasOneUse() &&
        loop.getBody()->getTerminator()->getOperand(acc.getArgNumber() - 1) ==
            dot.getResult() &&
        isFetched(dot.getA()) && isFetched(dot.getB()) &&
        target.canStayInFlight(dot)) {
      asyncDots.push_back(dot);
    }
  }
  // A dot that is waited for waits for the older ones as well.
  if (!llvm::all_of(loop.getBody()->getOps<DotOp>(), [&](DotOp dot) {
        return llvm::is_contained(asyncDots, dot);
      })) {
    asyncDots.clear();
  }
}

/// Is the ring instead of a staged tile?
bool isStaged(const Fetch &fetch) {
  return llvm::any_of(fetch.result().getUsers(), [&](Operation *user) {
    auto stage = dyn_cast<StageOp>(user);
    return stage && stage.getResult().getType() == fetch.buffer;
  });
}

/// As far ahead as asked, if the rings fit.
bool Pipeliner::fitDistance() {
  uint64_t each = 0;
  for (const Fetch &fetch : fetches) {
    room += isStaged(fetch) ? uint64_t(fetch.buffer.getBytes()) : 0;
    each += uint64_t(llvm::alignTo(uint64_t(fetch.buffer.getBytes()), 1024));
  }
  // Of a dot in flight the slot is read one turn longer.
  for (distance = stages - 1; distance > 0; --distance) {
    slots = distance + (asyncDots.empty() ? 1 : 2);
    if (each * slots <= room) {
      return true;
    }
  }
  if (!asyncDots.empty()) {
    asyncDots.clear();
    return fitDistance();
  }
  why = "the buffers of two turns do not fit in shared memory";
  return false;
}

/// The counter is 32 bits wide, or its step is a small constant: then the
/// number of turns that are left is exact in 64 bits.
bool Pipeliner::countsTurns() {
  APInt step;
  return loop.getInductionVar().getType().isInteger(32) ||
         (loop.getInductionVar().getType().isInteger(64) &&
          matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
          step.isStrictlyPositive() && step.getActiveBits() < 32);
}

/// Is there a turn this many after the one with this index? (It may be none
/// itself: the distance to the bound decides.)
Value Pipeliner::remains(OpBuilder &b, Value index, unsigned turns) {
  Location loc = loop.getLoc();
  Value bound = loop.getUpperBound();
  auto predicate = [&](bool isUnsigned) {
    return isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  };
  Value any = arith::CmpIOp::create(b, loc, predicate(loop.getUnsignedCmp()),
                                    index, bound);
  if (turns == 0) {
    return any;
  }
  auto wide = [&](Value v) -> Value {
    if (v.getType().isInteger(64)) {
      return v;
    }
    if (loop.getUnsignedCmp()) {
      return arith::ExtUIOp::create(b, loc, b.getI64Type(), v);
    }
    return arith::ExtSIOp::create(b, loc, b.getI64Type(), v);
  };
  Value left = arith::SubIOp::create(b, loc, wide(bound), wide(index));
  Value many = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(turns));
  // Of 32 bits at most: the product is exact.
  Value step = loop.getStep();
  Value steps = arith::MulIOp::create(
      b, loc,
      step.getType().isInteger(64)
          ? step
          : Value(arith::ExtUIOp::create(b, loc, b.getI64Type(), step)),
      many);
  Value enough =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, left, steps);
  return arith::AndIOp::create(b, loc, any, enough);
}

Value Pipeliner::following(OpBuilder &b, Value index) {
  Location loc = loop.getLoc();
  Value next = arith::AddIOp::create(b, loc, index, constant(b, 1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next,
                                      constant(b, int32_t(slots)));
  return arith::SelectOp::create(b, loc, wraps, constant(b, 0), next);
}

/// The copies of one turn: those of the threads as a group, those in bulk at
/// the slot's barrier.
void Pipeliner::issue(OpBuilder &b, const IRMapping &map, Value slot,
                      Value when) {
  int64_t bytes = 0;
  for (const Fetch &fetch : fetches) {
    bytes += fetch.frame ? fetch.buffer.getBytes() : 0;
  }
  if (bytes != 0) {
    ExpectOp::create(b, loop.getLoc(), barriers, slot, bytes, when);
  }
  bool isGroup = false;
  for (const Fetch &fetch : fetches) {
    Location loc = fetch.load->getLoc();
    Value to = SlotOp::create(b, loc, fetch.buffer, fetch.ring, slot);
    if (fetch.frame) {
      auto view = cast<tile::LoadViewOp>(fetch.load);
      SmallVector<Value> at = fetch.position;
      const unsigned more = fetch.frame->more;
      for (auto [i, dim] : llvm::enumerate(
               llvm::reverse(fetch.buffer.getLayout().getOrder()))) {
        at[more + i] = arith::AddIOp::create(
            b, loc, at[more + i],
            map.lookupOrDefault(Value(view.getOffsets()[dim])));
      }
      BulkCopyOp::create(b, loc, fetch.descriptor, at, to, barriers, slot, when,
                         view.getCache(), view.getEvict());
      continue;
    }
    isGroup = true;
    if (auto view = dyn_cast<tile::LoadViewOp>(fetch.load)) {
      SmallVector<Value> offsets;
      for (Value offset : view.getOffsets()) {
        offsets.push_back(map.lookupOrDefault(offset));
      }
      AsyncCopyViewOp::create(b, loc, map.lookupOrDefault(view.getView()),
                              offsets, to, when, view.getChecked(),
                              fetch.layout, view.getCache(), view.getEvict());
    } else {
      auto load = cast<tile::LoadOp>(fetch.load);
      Value mask =
          load.getMask() ? map.lookupOrDefault(load.getMask()) : Value();
      AsyncCopyOp::create(b, loc, map.lookupOrDefault(load.getPointer()), mask,
                          to, when, load.getCache(), load.getEvict());
    }
  }
  if (isGroup) {
    AsyncCommitOp::create(b, loop.getLoc());
  }
}

void Pipeliner::rewrite() {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  // Of a loop without turns nothing is begun, and what comes out of one with
  // turns is waited for before it meets what goes in: a register of a dot in
  // flight must not be moved.
  auto branch = scf::IfOp::create(b, loc, loop.getResultTypes(),
                                  remains(b, loop.getLowerBound(), 0),
                                  /*withElseRegion=*/loop.getNumResults() != 0);
  if (loop.getNumResults() != 0) {
    OpBuilder none = branch.getElseBodyBuilder();
    scf::YieldOp::create(none, loc, loop.getInitArgs());
  }
  b = loop.getNumResults() != 0
          ? branch.getThenBodyBuilder()
          : OpBuilder(branch.thenBlock()->getTerminator());
  for (Fetch &fetch : fetches) {
    fetch.ring =
        RingOp::create(b, fetch.load->getLoc(),
                       RingType::get(b.getContext(), slots, fetch.buffer));
  }
  const bool inBulk = numBulk() != 0, inGroups = numBulk() != fetches.size();
  if (inBulk) {
    for (Fetch &fetch : fetches) {
      if (fetch.frame) {
        makeDescriptor(fetch, branch);
      }
    }
    barriers =
        BarriersOp::create(b, loc, BarriersType::get(b.getContext(), slots));
  }
  // Ops of the slice in the order of the body.
  SmallVector<Operation *> slice;
  for (Operation &op : *loop.getBody()) {
    if (ahead.ops.contains(&op)) {
      slice.push_back(&op);
    }
  }
  auto yielded = [&](unsigned i) {
    return loop.getBody()->getTerminator()->getOperand(i);
  };
  auto cloneSlice = [&](OpBuilder &at, IRMapping &map) {
    for (Operation *op : slice) {
      at.clone(*op, map);
    }
  };
  auto advance = [&](IRMapping &map) {
    SmallVector<Value> next;
    for (unsigned i : ahead.carried) {
      next.push_back(map.lookupOrDefault(yielded(i)));
    }
    for (auto [i, value] : llvm::zip_equal(ahead.carried, next)) {
      map.map(loop.getRegionIterArg(i), value);
    }
  };

  // Before the loop: the first turns' copies.
  IRMapping map;
  for (unsigned i : ahead.carried) {
    map.map(loop.getRegionIterArg(i), loop.getInitArgs()[i]);
  }
  Value index = loop.getLowerBound();
  for (unsigned turn = 0; turn < distance; ++turn) {
    map.map(loop.getInductionVar(), index);
    cloneSlice(b, map);
    issue(b, map, constant(b, int32_t(turn)),
          remains(b, loop.getLowerBound(), turn));
    advance(map);
    index = arith::AddIOp::create(b, loc, index, loop.getStep());
  }
  // What the loop carries beside its own: which slot is read, which is filled,
  // the addresses of the turn to be filled.
  SmallVector<Value> inits(loop.getInitArgs());
  const unsigned own = unsigned(inits.size());
  inits.push_back(constant(b, 0));
  inits.push_back(constant(b, int32_t(distance % slots)));
  if (inBulk) {
    inits.push_back(constant(b, 0)); // phase of the slots that are read
  }
  const auto firstAhead = unsigned(inits.size());
  for (unsigned i : ahead.carried) {
    inits.push_back(map.lookup(loop.getRegionIterArg(i)));
  }
  auto made =
      scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = made.getBody();
  if (!body->empty()) {
    body->getTerminator()->erase();
  }
  OpBuilder in = OpBuilder::atBlockEnd(body);
  Value reads = made.getRegionIterArg(own),
        fills = made.getRegionIterArg(own + 1);

  // All have read the slot that is filled next; what is read now is there.
  if (inGroups) {
    AsyncWaitOp::create(in, loc, distance - 1);
  } else {
    SyncOp::create(in, loc);
  }
  IRMapping far;
  Value step = loop.getStep();
  Value farIndex = made.getInductionVar();
  Value offset = arith::MulIOp::create(
      in, loc, step,
      arith::ConstantOp::create(in, loc,
                                in.getIntegerAttr(step.getType(), distance)));
  far.map(loop.getInductionVar(),
          arith::AddIOp::create(in, loc, farIndex, offset));
  for (auto [n, i] : llvm::enumerate(ahead.carried)) {
    far.map(loop.getRegionIterArg(i), made.getRegionIterArg(firstAhead + n));
  }
  cloneSlice(in, far);
  issue(in, far, fills, remains(in, made.getInductionVar(), distance));
  if (inBulk) {
    BarrierWaitOp::create(in, loc, barriers, reads,
                          made.getRegionIterArg(own + 2));
  }

  // The turn itself.
  IRMapping near;
  near.map(loop.getInductionVar(), made.getInductionVar());
  for (unsigned i = 0; i < own; ++i) {
    near.map(loop.getRegionIterArg(i), made.getRegionIterArg(i));
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto fetch = llvm::find_if(
        fetches, [&](const Fetch &one) { return one.load == &op; });
    if (fetch != fetches.end()) {
      Value slot =
          SlotOp::create(in, op.getLoc(), fetch->buffer, fetch->ring, reads);
      bool isRead = false;
      for (Operation *user : op.getUsers()) {
        auto stage = dyn_cast<StageOp>(user);
        if (stage && stage.getResult().getType() == fetch->buffer) {
          near.map(stage.getResult(), slot);
        } else {
          isRead = true;
        }
      }
      if (isRead) {
        near.map(
            op.getResult(0),
            ReadOp::create(in, op.getLoc(), op.getResult(0).getType(), slot));
      }
      continue;
    }
    if (isa<StageOp>(op) && near.contains(op.getResult(0))) {
      continue;
    }
    Operation *copy = in.clone(op, near);
    if (llvm::is_contained(asyncDots, dyn_cast<DotOp>(op))) {
      cast<DotOp>(copy).setAsync(true);
    }
  }
  SmallVector<Value> next;
  for (unsigned i = 0; i < own; ++i) {
    next.push_back(near.lookupOrDefault(yielded(i)));
  }
  SmallVector<unsigned> inFlight; // of what the loop carries
  if (!asyncDots.empty()) {
    SmallVector<Value> sums;
    for (DotOp dot : asyncDots) {
      inFlight.push_back(cast<BlockArgument>(dot.getAcc()).getArgNumber() - 1);
      sums.push_back(next[inFlight.back()]);
    }
    auto wait = DotWaitOp::create(in, loc, TypeRange(ValueRange(sums)),
                                  uint32_t(asyncDots.size()), sums);
    for (auto [i, value] : llvm::zip_equal(inFlight, wait.getResults())) {
      next[i] = value;
    }
  }
  next.push_back(following(in, reads));
  next.push_back(following(in, fills));
  if (inBulk) {
    Value wraps = arith::CmpIOp::create(in, loc, arith::CmpIPredicate::eq,
                                        next[own], constant(in, 0));
    next.push_back(arith::XOrIOp::create(
        in, loc, made.getRegionIterArg(own + 2),
        arith::ExtUIOp::create(in, loc, in.getI32Type(), wraps)));
  }
  advance(far);
  for (unsigned i : ahead.carried) {
    next.push_back(far.lookup(loop.getRegionIterArg(i)));
  }
  scf::YieldOp::create(in, loc, next);

  // After the loop nothing is on its way, and nobody reads the rings.
  b.setInsertionPointAfter(made);
  SmallVector<Value> results(made.getResults().take_front(own));
  if (!inFlight.empty()) {
    SmallVector<Value> sums;
    for (unsigned i : inFlight) {
      sums.push_back(results[i]);
    }
    auto wait =
        DotWaitOp::create(b, loc, TypeRange(ValueRange(sums)), 0u, sums);
    for (auto [i, value] : llvm::zip_equal(inFlight, wait.getResults())) {
      results[i] = value;
    }
  }
  if (inGroups) {
    AsyncWaitOp::create(b, loc, 0u);
  }
  if (inBulk) {
    BarriersEndOp::create(b, loc, barriers);
  }
  if (!results.empty()) {
    scf::YieldOp::create(b, loc, results);
  }
  loop.replaceAllUsesWith(branch.getResults());
  loop.erase();
}

bool Pipeliner::run() {
  if (!countsTurns()) {
    why = "the loop's counter is 64 bits wide and its step unknown";
    return false;
  }
  if (!findFetches()) {
    return false;
  }
  findAsyncDots();
  if (!fitDistance()) {
    return false;
  }
  rewrite();
  return true;
}

/// What the pass's options describe: for its tests.
class OptionTarget final : public Target {
public:
  OptionTarget(uint64_t shared, unsigned narrowest, bool bulk)
      : shared(shared), narrowest(narrowest), bulk(bulk) {}
  uint64_t sharedBytes() const override { return shared; }
  unsigned asyncCopyBytes() const override { return narrowest; }
  bool canStayInFlight(DotOp dot) const override {
    return bool(dot.getInstruction());
  }

  bool canCopyInBulk(DescriptorType, BufferType) const override { return bulk; }

private:
  uint64_t shared;
  unsigned narrowest;
  bool bulk;
};

struct PipelineLoops : tz::simt::impl::PipelineLoopsBase<PipelineLoops> {
  explicit PipelineLoops(const Target *target) : target(target) {}
  PipelineLoops() = default;
  PipelineLoops(const PipelineLoops &other)
      : PipelineLoopsBase(other), target(other.target) {}

  static unsigned stagesOf(Operation *op, unsigned otherwise) {
    auto attribute = op->getAttrOfType<IntegerAttr>("tile.num_stages");
    return attribute ? unsigned(std::clamp<int64_t>(attribute.getInt(), 1, 16))
                     : otherwise;
  }

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (kernel->hasAttr("tile.waits")) {
      return; // nothing is reordered in a kernel that waits for others (R6)
    }
    OptionTarget described(sharedBytesOption, asyncCopyBytesOption,
                           bulkCopiesOption);
    const Target &machine =
        target ? *target : static_cast<const Target &>(described);
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (!loop.getBody()->getOps<DotOp>().empty()) {
        loops.push_back(loop);
      }
    });
    const unsigned stages = stagesOf(kernel, 3);
    for (scf::ForOp loop : loops) {
      unsigned wanted = stagesOf(loop, stages);
      if (wanted < 2) {
        continue;
      }
      Contiguity runs(kernel);
      // Loops beside each other use the same memory; those around this one and
      // what is staged in it do not.
      uint64_t taken = reserve;
      kernel.walk([&](StageOp stage) {
        taken += isUsedIn(stage, loop)
                     ? uint64_t(stage.getResult().getType().getBytes())
                     : 0;
      });
      kernel.walk([&](RingOp ring) {
        RingType type = ring.getResult().getType();
        taken += isUsedAround(ring, loop)
                     ? uint64_t(type.getCount() * type.getSlotBytes())
                     : 0;
      });
      uint64_t all = machine.sharedBytes();
      uint64_t room = all > taken ? all - taken : 0;
      Location loc = loop.getLoc();
      LaunchViews launch(kernel, runs.hints());
      Pipeliner pipeliner(loop, machine, runs, launch, wanted, room);
      if (pipeliner.run()) {
        ++pipelined;
        copies += pipeliner.numFetches();
        bulkCopies += pipeliner.numBulk();
        asyncDots += pipeliner.numAsyncDots();
      } else if (!pipeliner.why.empty()) {
        emitRemark(loc) << "the loads of this loop are not begun ahead: "
                        << pipeliner.why;
      }
    }
  }

  /// Exchanges of reductions and the like.
  static constexpr uint64_t reserve = 2048;

  static bool isUsedIn(StageOp stage, scf::ForOp loop) {
    return llvm::any_of(stage->getUsers(), [&](Operation *user) {
      return loop->isAncestor(user);
    });
  }

  /// Of a loop in which this one stands.
  static bool isUsedAround(RingOp ring, scf::ForOp loop) {
    return llvm::any_of(ring.getResult().getUsers(), [&](Operation *user) {
      auto around = dyn_cast<scf::ForOp>(user->getParentOp());
      return around && around->isProperAncestor(loop);
    });
  }

  const Target *target = nullptr;
};

} // namespace

std::unique_ptr<Pass> tz::simt::createPipelineLoops(const Target *target) {
  return std::make_unique<PipelineLoops>(target);
}
