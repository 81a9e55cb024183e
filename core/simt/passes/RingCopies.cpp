//===- RingCopies.cpp - the copies of a pipelined loop --------------------===//
//
// What   See RingCopies.h.
// Why    See RingCopies.h.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/RingCopies.h"

#include "core/simt/analysis/Programs.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

RingCopies::RingCopies(scf::ForOp loop, const PipelinePlan &plan,
                       LaunchViews &launch)
    : inBulk(plan.numBulk() != 0),
      inGroups(plan.numBulk() != plan.fetches.size()), loop(loop),
      loc(loop.getLoc()), plan(plan), launch(launch) {
  for (const Fetch &fetch : plan.fetches) {
    copies.push_back({&fetch, {}, {}, {}, {}});
  }
  describeFrames();
}

SmallVector<Value> RingCopies::positions() const {
  SmallVector<Value> all;
  for (const Copy &copy : copies) {
    llvm::append_range(all, copy.position);
  }
  return all;
}

void RingCopies::describeFrames() {
  for (Copy &copy : copies) {
    if (const std::optional<BulkFrame> &frame = copy.fetch->frame) {
      Location at = copy.fetch->load->getLoc();
      OpBuilder before(loop);
      copy.descriptor = makeDescriptor(
          launch, loop->getParentOfType<tile::KernelOp>(), at, *frame);
      copy.position = positionIn(launch, before, at, *frame);
      copy.shared = plan.clusterBlocks > 1 ? isShared(before, copy) : Value();
    }
  }
}

/// It is in every iteration if what its place is computed from is the same
/// before the loop: both blocks have as many iterations.
Value RingCopies::isShared(OpBuilder &b, const Copy &copy) {
  if (boxesOf(copy.fetch->frame->type, copy.fetch->buffer) %
      plan.clusterBlocks) {
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

void RingCopies::makeRings(OpBuilder &b) {
  auto make = [&] {
    for (Copy &copy : copies) {
      auto type = RingType::get(b.getContext(), plan.slots, copy.fetch->buffer);
      copy.ring = RingOp::create(b, copy.fetch->load->getLoc(), type);
    }
  };
  // Above barriers that stay, so that their memory is free behind the loop.
  const bool areAbove = plan.clusterBlocks > 1;
  if (!areAbove) {
    make();
  }
  if (inBulk) {
    SmallVector<Type> types = {
        BarriersType::get(b.getContext(), plan.slots, 1)};
    if (plan.hasReleases) {
      types.push_back(
          BarriersType::get(b.getContext(), plan.slots,
                            plan.clusterBlocks * copyRequest(loop).warps));
    }
    auto barriers = BarriersOp::create(b, loc, types);
    full = barriers.getResult(0);
    empty = plan.hasReleases ? barriers.getResult(1) : Value();
  }
  if (areAbove) {
    make();
  }
}

/// The copies of one iteration: those of the threads as a group, those in bulk
/// at the slot's barrier.
void RingCopies::issue(OpBuilder &b, const IRMapping &map, Value slot,
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

void RingCopies::issueInBulk(OpBuilder &b, const Copy &copy,
                             const IRMapping &map, Value to, Value slot,
                             Value when) {
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

void RingCopies::issueByThreads(OpBuilder &b, const Copy &copy,
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

/// The slot's tile in the rows that the stage wants.
static Value turned(OpBuilder &in, StageOp stage, Value slot) {
  const Location at = stage.getLoc();
  const Transposition transposition = *transpositionOf(
      stage, cast<BufferType>(slot.getType()).getLayout().getOrder()[0]);
  auto type = cast<RankedTensorType>(stage.getSource().getType());
  Value tile =
      ReadOp::create(in, at, withLayout(type, transposition.read), slot);
  if (transposition.read != transposition.written) {
    tile = ConvertOp::create(in, at, withLayout(type, transposition.written),
                             tile);
  }
  return StageOp::create(in, at, stage.getResult().getType(), tile);
}

/// The slot is what the load was staged to; who computes with the load reads
/// it, in the layout that is wanted.
void RingCopies::read(OpBuilder &in, const Fetch &fetch, Value slotIndex,
                      IRMapping &near) {
  const Copy &copy = copies[size_t(&fetch - plan.fetches.begin())];
  Location at = fetch.load->getLoc();
  Value slot = SlotOp::create(in, at, fetch.buffer, copy.ring, slotIndex);
  bool isRead = false;
  for (Operation *user : fetch.load->getUsers()) {
    auto stage = dyn_cast<StageOp>(user);
    if (stage && fetch.isReplaced(stage)) {
      near.map(stage.getResult(), slot);
    } else if (stage && stage->getBlock() == loop.getBody() &&
               transpositionOf(stage, fetch.buffer.getLayout().getOrder()[0])) {
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

void RingCopies::endBarriers(OpBuilder &b) {
  SmallVector<Value> barriers = {full};
  if (empty) {
    barriers.push_back(empty);
  }
  BarriersEndOp::create(b, loc, barriers);
}
