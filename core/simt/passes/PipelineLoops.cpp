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
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/Contiguity.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

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
  Value ring;

  Value result() const { return load->getResult(0); }
};

class Pipeliner {
public:
  Pipeliner(scf::ForOp loop, const Target &target, const Contiguity &runs,
            unsigned stages, uint64_t room)
      : loop(loop), target(target), runs(runs), stages(stages), room(room) {}

  bool run();

  size_t numFetches() const { return fetches.size(); }
  size_t numAsyncDots() const { return asyncDots.size(); }
  StringRef why; // it declined

private:
  bool findFetches();
  bool isFetch(Operation *load);
  std::optional<BufferType> bufferFor(Operation *load);
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
  unsigned stages;
  uint64_t room; // bytes of shared memory that nobody else has taken
  SmallVector<Fetch> fetches;
  SmallVector<DotOp> asyncDots;
  Slice ahead;
  unsigned distance = 0, slots = 0;
};

/// The access's order of memory (R6): a group, zero is ordered with all.
std::optional<std::pair<int64_t, bool>> accessOf(Operation *op) {
  if (!isa<tile::LoadOp, tile::LoadViewOp, tile::StoreOp, tile::StoreViewOp,
           tile::AtomicRMWOp, tile::AtomicCASOp>(op)) {
    return std::nullopt;
  }
  auto group = op->getAttrOfType<IntegerAttr>("group");
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isRead = isa<tile::LoadViewOp>(op) || (load && !load.getIsVolatile());
  return std::pair(group ? group.getInt() : 0, !isRead);
}

/// Nothing that the loop writes may be what the load of a later turn reads.
bool Pipeliner::isOrderFree(Operation *load) {
  int64_t group = accessOf(load)->first;
  return !loop->walk([&](Operation *op) {
                auto access = accessOf(op);
                bool conflicts = (access && access->second &&
                                  (access->first == group ||
                                   access->first == 0 || group == 0)) ||
                                 isa<tile::AssertOp>(op); // ends the program
                return conflicts ? WalkResult::interrupt()
                                 : WalkResult::advance();
              })
              .wasInterrupted();
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
  if (!target.canCopyAsync(load, runs, layout.getValue(), *buffer)) {
    return false;
  }
  for (Value operand : load->getOperands()) {
    if (!slicer.add(operand, mine)) {
      return false;
    }
  }
  ahead = std::move(mine);
  fetches.push_back({load, layout, *buffer, {}});
  return true;
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

/// The copies of one turn, as a group.
void Pipeliner::issue(OpBuilder &b, const IRMapping &map, Value slot,
                      Value when) {
  for (const Fetch &fetch : fetches) {
    Location loc = fetch.load->getLoc();
    Value to = SlotOp::create(b, loc, fetch.buffer, fetch.ring, slot);
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
  AsyncCommitOp::create(b, loop.getLoc());
}

void Pipeliner::rewrite() {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  for (Fetch &fetch : fetches) {
    fetch.ring =
        RingOp::create(b, fetch.load->getLoc(),
                       RingType::get(b.getContext(), slots, fetch.buffer));
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

  AsyncWaitOp::create(in, loc, distance - 1);
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
    far.map(loop.getRegionIterArg(i), made.getRegionIterArg(own + 2 + n));
  }
  cloneSlice(in, far);
  issue(in, far, fills, remains(in, made.getInductionVar(), distance));

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
  AsyncWaitOp::create(b, loc, 0u);
  loop.replaceAllUsesWith(results);
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
  OptionTarget(uint64_t shared, unsigned narrowest)
      : shared(shared), narrowest(narrowest) {}
  uint64_t sharedBytes() const override { return shared; }
  unsigned asyncCopyBytes() const override { return narrowest; }
  bool canStayInFlight(DotOp dot) const override {
    return bool(dot.getInstruction());
  }

private:
  uint64_t shared;
  unsigned narrowest;
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
    OptionTarget described(sharedBytesOption, asyncCopyBytesOption);
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
      loop.walk([&](StageOp stage) {
        taken += uint64_t(stage.getResult().getType().getBytes());
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
      Pipeliner pipeliner(loop, machine, runs, wanted, room);
      if (pipeliner.run()) {
        ++pipelined;
        copies += pipeliner.numFetches();
        asyncDots += pipeliner.numAsyncDots();
      } else if (!pipeliner.why.empty()) {
        emitRemark(loc) << "the loads of this loop are not begun ahead: "
                        << pipeliner.why;
      }
    }
  }

  /// Exchanges of reductions and the like.
  static constexpr uint64_t reserve = 2048;

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
