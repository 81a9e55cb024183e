//===- RegisterRewriter.cpp - a loop whose loads are held -----------------===//
//
// What   Makes the ring buffers, the first iterations' loads, and the loop.
// Why    See RegisterRewriter.h.
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
#include "core/simt/passes/RegisterRewriter.h"

#include "core/simt/passes/LaterIterations.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

namespace {

class Rewriter {
public:
  Rewriter(scf::ForOp loop, const RegisterPlan &plan)
      : loop(loop), loc(loop.getLoc()), plan(plan), later(loop, plan.ahead),
        hasRings(llvm::any_of(
            plan.loads, [](const HeldLoad &held) { return held.buffer; })) {}

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
  unsigned firstCarried(const HeldLoad &held) const {
    return held.buffer ? 1 : 0;
  }
  Value constant(OpBuilder &b, int32_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }

  scf::ForOp loop;
  const Location loc;
  const RegisterPlan &plan;
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
  for (const HeldLoad &held : plan.loads) {
    rings.push_back(nullptr);
    if (held.buffer) {
      auto type = RingType::get(b.getContext(), plan.slots, held.buffer);
      rings.back() = RingOp::create(b, held.load->getLoc(), type);
    }
  }
}

Rewriter::Loaded Rewriter::loadNow(OpBuilder &b, const IRMapping &map) {
  Loaded words;
  for (const HeldLoad &held : plan.loads) {
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
  for (const HeldLoad &held : plan.loads) {
    types.push_back(packedType(held.type()));
  }
  auto branch =
      scf::IfOp::create(b, loc, types, exists, /*withElseRegion=*/true);
  branch->setAttr(LaterLoads, b.getUnitAttr());
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
  for (const HeldLoad &held : plan.loads) {
    carried.emplace_back();
    for (unsigned n = firstCarried(held); n < plan.distance; ++n) {
      carried.back().push_back(made.getRegionIterArg(at++));
    }
  }
  later.carry(ahead, made.getRegionIterArgs().drop_front(firstAhead));
}

void Rewriter::readHeld(OpBuilder &in, size_t index, IRMapping &near) {
  const HeldLoad &held = plan.loads[index];
  near.map(held.result(), UnpackOp::create(in, held.load->getLoc(), held.type(),
                                           carried[index].front()));
}

/// The slot is what the load was staged to; who computes with the load reads
/// it, in the layout that is wanted.
void Rewriter::readSlot(OpBuilder &in, size_t index, IRMapping &near) {
  const HeldLoad &held = plan.loads[index];
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
        plan.loads, [&](const HeldLoad &one) { return one.load == &op; });
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

} // namespace

void tz::simt::holdLoads(scf::ForOp loop, const RegisterPlan &plan) {
  Rewriter(loop, plan).run();
}
