//===- PipelinePlan.cpp - what of a loop can be begun ahead ---------------===//
//
// What   See PipelinePlan.h.
// Why    See PipelinePlan.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/PipelinePlan.h"

#include "core/optimizer/Versioning.h"
#include "core/simt/analysis/MemoryOrder.h"
#include "core/simt/analysis/Programs.h"
#include "core/simt/analysis/Vectors.h"

using namespace mlir;
using namespace tz;
using namespace tz::simt;

std::optional<Transposition> tz::simt::transpositionOf(StageOp stage,
                                                       unsigned rows) {
  const BufferType wanted = stage.getResult().getType();
  const Layout &layout = layoutOf(stage.getSource().getType());
  if (wanted.getLayout().getOrder()[0] == rows) {
    return std::nullopt;
  }
  return transpositionLayouts(
      wanted.getShape(), rows, tile::storageBytes(wanted.getElementType()),
      unsigned(layout.size(Axis::Lane)), layout.size(Axis::Warp));
}

namespace {

bool isZero(Value value) {
  return !value || matchPattern(value, m_AnyZeroFloat()) ||
         matchPattern(value, m_Zero());
}

class Planner {
public:
  Planner(scf::ForOp loop, const PipelineRequest &request)
      : loop(loop), request(request) {}

  std::optional<PipelinePlan> run();
  StringRef why; // it declined

private:
  void considerLoad(Operation *load);
  BufferType bufferFor(Operation *load);
  void describeFrame(Fetch &fetch);
  void divideBoxes(Fetch &fetch);
  void findAsyncDots();
  bool beginAll(int64_t mostIterations, uint64_t each, uint64_t room);
  bool fitDistance();
  bool iterationsAlike();
  uint64_t stagedByTurns();
  unsigned blocksBeside(uint64_t ringBytes, uint64_t room);
  void spareSlot(uint64_t each, uint64_t room);
  void delayDot(uint64_t each, uint64_t room);
  bool haveOwnWays();

  scf::ForOp loop;
  const PipelineRequest &request;
  PipelinePlan plan;
  bool maySpareSlot = true; // no other warp or block counts on all of them
};

/// How the ring holds it: as a dot wants it, if copies can bring it so, else
/// row by row.
BufferType Planner::bufferFor(Operation *load) {
  Value result = load->getResult(0);
  for (Operation *user : result.getUsers()) {
    if (auto stage = dyn_cast<StageOp>(user)) {
      const BufferType wanted = stage.getResult().getType();
      const VectorAccess access =
          vectorOfLoad(request.runs, load, layoutOf(result.getType()),
                       request.target.vectorBytes());
      if (access.count == 1 || !transpositionOf(stage, access.dim)) {
        return wanted;
      }
      ArrayRef<int64_t> shape = wanted.getShape();
      const SharedAttr rows = request.target.sharedRows(
          loop.getContext(), {access.dim, 1 - access.dim}, shape[access.dim],
          tile::storageBytes(wanted.getElementType()));
      return BufferType::get(loop.getContext(), shape, wanted.getElementType(),
                             rows);
    }
  }
  return rowsBuffer(load, request.runs, request.target);
}

/// Is it a copy: of elements as they lie in memory, with zeros where nothing is
/// read?
static bool isPlainLoad(Operation *load) {
  Type element = tile::elementType(load->getResult(0).getType());
  // i1 is computed from bytes when it is loaded.
  if (element.isInteger(1) || isa<tile::PtrType>(element)) {
    return false;
  }
  if (auto view = dyn_cast<tile::LoadViewOp>(load)) {
    return isZero(view.getOther());
  }
  auto pointers = dyn_cast<tile::LoadOp>(load);
  return pointers && !pointers.getIsVolatile() && isZero(pointers.getOther());
}

/// The elements of a buffer as they lie in it: pieces of so many bytes to lanes
/// beside each other, then to warps. None: extents that are no powers of two,
/// padding, or a buffer that has less for some.
static std::optional<Layout> layoutInOrder(BufferType buffer, int64_t bytes,
                                           unsigned lanes, int64_t warps) {
  const SharedAttr how = buffer.getLayout();
  ArrayRef<int64_t> shape = buffer.getShape();
  ArrayRef<unsigned> order = how.getOrder();
  const int64_t element = tile::storageBytes(buffer.getElementType()),
                elements = buffer.getBytes() / element,
                vector = bytes / element;
  auto isPower = [](int64_t n) { return llvm::isPowerOf2_64(uint64_t(n)); };
  if (!llvm::all_of(shape, isPower) || !isPower(how.getPanel()) ||
      how.getPadding() != 0 || elements < vector * lanes * warps) {
    return std::nullopt;
  }
  Layout layout(unsigned(shape.size()));
  for (int64_t place = 1; place < elements; place *= 2) {
    // A swizzle undoes itself.
    const int64_t at = how.place(place * element) / element;
    Coordinates basis(shape.size(), 0);
    int64_t row = at / how.getPanel();
    for (unsigned dim : order.drop_front()) {
      basis[dim] = row % shape[dim];
      row /= shape[dim];
    }
    basis[order[0]] = at % how.getPanel() + row * how.getPanel();
    layout.addBit(place < vector                   ? Axis::Register
                  : place < vector * lanes         ? Axis::Lane
                  : place < vector * lanes * warps ? Axis::Warp
                                                   : Axis::Register,
                  basis);
  }
  return layout;
}

/// Can threads copy the load to the buffer, and who copies what? Machines whose
/// only copies are as wide as an access may bind lanes to places: they are
/// asked for the elements in the buffer's order as well.
static LayoutAttr copyLayout(Operation *load, BufferType buffer, int64_t warps,
                             const PipelineRequest &request) {
  auto own = cast<LayoutAttr>(
      cast<RankedTensorType>(load->getResult(0).getType()).getEncoding());
  const SimtTarget &target = request.target;
  if (target.canCopyAsync(load, request.runs, own.getValue(), buffer)) {
    return own;
  }
  const int64_t bytes = target.vectorBytes();
  if (!isa<tile::LoadViewOp>(load) || target.asyncCopyBytes() != bytes) {
    return nullptr;
  }
  const std::optional<Layout> inOrder =
      layoutInOrder(buffer, bytes, target.lanes(), warps);
  return inOrder && target.canCopyAsync(load, request.runs, *inOrder, buffer)
             ? LayoutAttr::get(load->getContext(), *inOrder)
             : nullptr;
}

void Planner::considerLoad(Operation *load) {
  if (!hasLayout(load->getResult(0).getType()) || !isPlainLoad(load) ||
      !feedsDot(loop, load->getResult(0)) || !mayGoAhead(loop, load)) {
    return;
  }
  auto layout = cast<LayoutAttr>(
      cast<RankedTensorType>(load->getResult(0).getType()).getEncoding());
  Fetch fetch{load, layout, bufferFor(load), {}};
  describeFrame(fetch);
  if (!fetch.frame) {
    fetch.layout = copyLayout(load, fetch.buffer, warpsOf(loop), request);
    if (!fetch.layout) {
      return;
    }
  }
  Slice more = plan.ahead;
  for (Value operand : load->getOperands()) {
    if (!addToSlice(loop, operand, more)) {
      return;
    }
  }
  plan.ahead = std::move(more);
  plan.fetches.push_back(std::move(fetch));
}

/// Does an op of the kernel write what `load` reads? Not what an atomic orders
/// beside its own memory.
static bool isWrittenBy(tile::KernelOp kernel, tile::LoadViewOp load) {
  const MemoryAccess read = *ownAccess(load);
  return kernel
      ->walk([&](Operation *op) {
        std::optional<MemoryAccess> access = ownAccess(op);
        return access && access->isWrite && access->meetsGroup(read)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void Planner::describeFrame(Fetch &fetch) {
  auto load = dyn_cast<tile::LoadViewOp>(fetch.load);
  if (!load) {
    return;
  }
  // The bulk copy unit does not see what threads of this kernel stored, nor
  // what those stored for which it waited. What another kernel has released it
  // sees behind the atomic that acquires it (the lowering publishes it there).
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  if (kernel->hasAttr("tile.waits") || isWrittenBy(kernel, load)) {
    return;
  }
  StringRef reason;
  std::optional<BulkFrame> frame = bulkFrame(
      request.launch, load.getView(), load.getOffsets(), load.getChecked(),
      fetch.buffer, request.target.bulkAlignment(), reason);
  auto isBefore = [&](const analysis::Polynomial &p) {
    return optimizer::isAvailable(p, loop, request.launch.scalars());
  };
  if (frame && llvm::all_of(frame->view.position, isBefore) &&
      request.target.canCopyInBulk(frame->type, fetch.buffer)) {
    fetch.frame = std::move(frame);
    divideBoxes(fetch);
  }
}

/// Each of the blocks of a cluster can bring its part of them. A part of
/// less rows begins where a buffer could.
void Planner::divideBoxes(Fetch &fetch) {
  const unsigned blocks =
      clusterBlocks(loop->getParentOfType<tile::KernelOp>());
  const DescriptorType type = fetch.frame->type;
  if (boxesOf(type, fetch.buffer) % blocks == 0) {
    return;
  }
  SmallVector<int64_t> box(type.getBox());
  int64_t bytes = tile::storageBytes(type.getElementType()) / blocks;
  for (int64_t extent : box) {
    bytes *= extent;
  }
  auto *outer = llvm::find_if(box, [](int64_t extent) { return extent > 1; });
  if (outer + 1 >= box.end() || *outer % blocks != 0 ||
      bytes % request.target.sharedAlignment(fetch.buffer) != 0) {
    return; // it is not shared
  }
  *outer /= blocks;
  fetch.frame->type = DescriptorType::get(
      type.getContext(), box, type.getElementType(), type.getSwizzle());
}

/// A dot whose result is only the next iteration's accumulator, and that reads
/// ring buffers and what does not change: it may go on while the next iteration
/// begins.
void Planner::findAsyncDots() {
  auto isFetched = [&](Value operand) {
    if (!isa<BufferType>(operand.getType())) {
      return false; // registers would have to stay untouched
    }
    while (auto permute = operand.getDefiningOp<PermuteOp>()) {
      operand = permute.getSource();
    }
    auto stage = operand.getDefiningOp<StageOp>();
    return !loop->isProperAncestor(stage) ||
           llvm::any_of(plan.fetches, [&](const Fetch &fetch) {
             return fetch.isReplaced(stage);
           });
  };
  for (auto dot : loop.getBody()->getOps<DotOp>()) {
    auto acc = dyn_cast<BlockArgument>(dot.getAcc());
    if (acc && acc.getOwner() == loop.getBody() && acc.hasOneUse() &&
        dot.getResult().hasOneUse() &&
        loop.getBody()->getTerminator()->getOperand(acc.getArgNumber() - 1) ==
            dot.getResult() &&
        isFetched(dot.getA()) && isFetched(dot.getB()) &&
        request.target.canStayInFlight(dot)) {
      plan.asyncDots.push_back(dot);
    }
  }
  // A dot that is waited for waits for the older ones as well.
  if (!llvm::all_of(loop.getBody()->getOps<DotOp>(), [&](DotOp dot) {
        return llvm::is_contained(plan.asyncDots, dot);
      })) {
    plan.asyncDots.clear();
  }
}

/// Bytes that operands of an iteration share: one is staged when dots have read
/// another. Of a dot that stays in flight nobody knows when it has.
uint64_t Planner::stagedByTurns() {
  DenseMap<Operation *, SmallVector<StageOp, 2>> lastReadBy;
  uint64_t sum = 0, live = 0, most = 0;
  for (Operation &op : *loop.getBody()) {
    if (auto stage = dyn_cast<StageOp>(op)) {
      if (llvm::any_of(plan.fetches, [&](const Fetch &fetch) {
            return fetch.isReplaced(stage);
          })) {
        continue;
      }
      const auto bytes = uint64_t(stage.getResult().getType().getBytes());
      sum += bytes;
      live += bytes;
      most = std::max(most, live);
      Operation *last = nullptr;
      for (Operation *user : stage->getUsers()) {
        auto dot = dyn_cast<DotOp>(user);
        if (!dot || dot->getBlock() != loop.getBody() ||
            request.target.canStayInFlight(dot)) {
          last = nullptr;
          break;
        }
        last = !last || last->isBeforeInBlock(user) ? user : last;
      }
      if (last) {
        lastReadBy[last].push_back(stage);
      }
    }
    for (StageOp stage : lastReadBy.lookup(&op)) {
      live -= uint64_t(stage.getResult().getType().getBytes());
    }
  }
  return sum - most;
}

/// Blocks that run beside each other, if the ring buffers take so much of the
/// room.
unsigned Planner::blocksBeside(uint64_t ringBytes, uint64_t room) {
  const uint64_t all = request.target.sharedBytes();
  room += stagedByTurns();
  const int64_t words =
      wordsOfIteration(loop, request.runs, [&](Operation *op) {
        return plan.fetchOf(op) != nullptr;
      });
  return request.target.blocksBeside(
      {warpsOf(loop), unsigned(words), all - std::min(all, room) + ringBytes});
}

/// Does a loop around it make one result of it after another? Such kernels are
/// launched with a block for each of the machine's processors.
static bool isPersistent(scf::ForOp loop) {
  return loop->getParentOfType<LoopLikeOpInterface>() &&
         llvm::none_of(loop.getInitArgs(), [](Value init) {
           return isa<RankedTensorType>(init.getType()) &&
                  isa<BlockArgument>(init);
         });
}

/// A slot less, if more blocks run beside each other then: what is under way in
/// one hides the latency of another. Where blocks have many sums the matrix
/// unit has work enough; one more would only share what comes from memory, and
/// copies that go farther ahead serve better. With a single slot only other
/// blocks work while a copy is under way: there must be many more, or as many
/// beside blocks that are alone and wait for each of their dots. A persistent
/// kernel may have no other block; its copies stay as far ahead, and wait for
/// the dot that reads their slot.
void Planner::spareSlot(uint64_t each, uint64_t room) {
  constexpr unsigned manyBlocks = 6, fewWarps = 4;
  if (!maySpareSlot || plan.fillsLate) {
    return;
  }
  const unsigned now = blocksBeside(each * plan.slots, room);
  if (plan.distance == 1) {
    if (plan.hasReleases) {
      return;
    }
    const unsigned then = blocksBeside(each, room);
    const bool waitsForDots =
        llvm::none_of(loop.getBody()->getOps<DotOp>(), [&](DotOp dot) {
          return request.target.canStayInFlight(dot);
        });
    const bool isAlone =
        now == 1 || (now > 1 && now * unsigned(warpsOf(loop)) <= fewWarps);
    const bool areMany = then >= manyBlocks && then * 2 >= now * 3,
               isNoMoreAlone = isAlone && then >= 2 * now && waitsForDots;
    if (plan.asyncDots.empty() && (areMany || isNoMoreAlone)) {
      plan.slots = 1;
      plan.fillsLate = true;
    }
    return;
  }
  // Measured on an H200: of 8192 sums a block, a third block beside two took
  // 1.1 to 1.25 of the time of grouped products, and a fourth beside three 0.9.
  constexpr int64_t sumsOfPairs = 8192;
  const int64_t threads = int64_t(warpsOf(loop)) * request.target.lanes();
  const int64_t manySums = now == 2 ? sumsOfPairs / threads : 128;
  if (blocksBeside(each * (plan.slots - 1), room) <= now ||
      (now > 1 && llvm::any_of(plan.asyncDots, [&](DotOp dot) {
         return wordsOf(dot.getResult()) >= manySums;
       }))) {
    return;
  }
  --plan.slots;
  if (!plan.hasReleases && (plan.asyncDots.empty() || isPersistent(loop))) {
    plan.fillsLate = true;
  } else {
    --plan.distance;
  }
}

/// The slot of a delayed dot is read one iteration longer, and copies into it
/// begin behind that: a ring has two slots more than iterations are begun. It
/// is not delayed where fewer blocks would run beside each other then.
void Planner::delayDot(uint64_t each, uint64_t room) {
  if (!plan.delayed) {
    return;
  }
  const unsigned now = blocksBeside(each * plan.slots, room);
  for (unsigned distance = request.stages - 1; distance > 0; --distance) {
    const uint64_t bytes = each * (distance + 2);
    if (bytes <= room && blocksBeside(bytes, room) >= now) {
      plan.distance = distance;
      plan.slots = distance + 2;
      plan.fillsLate = false;
      return;
    }
  }
  plan.delayed.reset();
}

/// Do dots run for some of a block's warps while others compute? A barrier of
/// the block would have all of them do one thing at a time. A loop in a loop
/// keeps it: its copies go on from one run to the next.
bool Planner::haveOwnWays() {
  auto dots = loop.getBody()->getOps<DotOp>();
  return plan.asyncDots.empty() && !dots.empty() &&
         !isa<scf::ForOp>(loop->getParentOp()) &&
         llvm::all_of(dots, [&](DotOp dot) {
           return request.target.canStayInFlight(dot) &&
                  warpsOf(loop) > request.target.warpsOfDot(dot);
         });
}

/// Of a few iterations, all of which begin before the loop, each has its slot.
bool Planner::beginAll(int64_t mostIterations, uint64_t each, uint64_t room) {
  const std::optional<int64_t> iterations = fewIterations(loop, mostIterations);
  if (!iterations || *iterations <= 0 || plan.hasReleases ||
      isa<scf::ForOp>(loop->getParentOp()) ||
      each * uint64_t(*iterations) > room) {
    return false;
  }
  plan.distance = plan.slots = unsigned(*iterations);
  plan.beginsAll = true;
  plan.delayed.reset();
  return true;
}

/// As far ahead as asked, if the ring buffers fit. Of a dot in flight the slot
/// is read one iteration longer. Where shared memory has no slot for that,
/// copies begin late in an iteration, when the dot of the one before has ended.
bool Planner::fitDistance() {
  uint64_t each = 0, room = request.room;
  for (const Fetch &fetch : plan.fetches) {
    const auto bytes = uint64_t(fetch.buffer.getBytes());
    const bool isStaged =
        llvm::any_of(fetch.result().getUsers(), [&](Operation *user) {
          auto stage = dyn_cast<StageOp>(user);
          return stage && fetch.isReplaced(stage);
        });
    room += isStaged ? bytes : 0; // the ring is instead of it
    each += uint64_t(request.target.slotBytes(fetch.buffer));
  }
  if (beginAll(int64_t(request.stages) - 1, each, room)) {
    return true;
  }
  for (;;) {
    const bool inFlight = !plan.asyncDots.empty();
    for (unsigned distance = request.stages - 1; distance > 0; --distance) {
      const bool fits = each * (distance + (inFlight ? 2 : 1)) <= room;
      plan.fillsLate = !fits && inFlight && distance > 1 && !plan.hasReleases &&
                       each * (distance + 1) <= room;
      if (fits || plan.fillsLate) {
        plan.distance = distance;
        plan.slots = distance + (inFlight && !plan.fillsLate ? 2 : 1);
        spareSlot(each, room);
        delayDot(each, room);
        if (!plan.fillsLate && !plan.delayed) {
          beginAll(plan.slots, each, room); // in the slots that there are
        }
        return true;
      }
    }
    if (plan.asyncDots.empty()) {
      why = "the buffers of two iterations do not fit in shared memory";
      return false;
    }
    plan.asyncDots.clear();
  }
}

/// Has the loop as many iterations in every program, and does none end before?
bool Planner::iterationsAlike() {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  bool mayEnd = false;
  kernel.walk([&](tile::AssertOp) { mayEnd = true; });
  return !mayEnd && loop->getParentOp() == kernel &&
         isSameInPrograms(loop.getLowerBound()) &&
         isSameInPrograms(loop.getUpperBound()) &&
         isSameInPrograms(loop.getStep());
}

std::optional<PipelinePlan> Planner::run() {
  if (!countsIterations(loop)) {
    why = "the loop's counter is 64 bits wide and its step unknown";
    return std::nullopt;
  }
  for (Operation &op : *loop.getBody()) {
    if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      considerLoad(&op);
    }
  }
  if (plan.fetches.empty()) {
    return std::nullopt;
  }
  findAsyncDots();
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  const bool inBulk = plan.numBulk() == plan.fetches.size();
  plan.clusterBlocks = inBulk && iterationsAlike() ? clusterBlocks(kernel) : 1;
  plan.hasReleases = inBulk && (plan.clusterBlocks > 1 ||
                                copyWarpsOf(loop, request.target) != 0);
  maySpareSlot = !plan.hasReleases;
  if (!plan.hasReleases && plan.asyncDots.empty()) {
    plan.delayed = findDelayedDot(
        loop,
        [&](StageOp stage) {
          return llvm::any_of(plan.fetches, [&](const Fetch &fetch) {
            return fetch.isReplaced(stage) && fetch.result().hasOneUse();
          });
        },
        request.target);
  }
  plan.hasReleases |= inBulk && haveOwnWays();
  if (!fitDistance()) {
    return std::nullopt;
  }
  return std::move(plan);
}

} // namespace

std::optional<PipelinePlan>
tz::simt::planPipeline(scf::ForOp loop, const PipelineRequest &request,
                       StringRef &why) {
  Planner planner(loop, request);
  std::optional<PipelinePlan> plan = planner.run();
  why = planner.why;
  return plan;
}

std::optional<Slice> tz::simt::sliceAround(scf::ForOp around, scf::ForOp loop,
                                           const PipelinePlan &plan,
                                           ValueRange more) {
  SmallVector<Value> needed(more);
  needed.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  for (Operation *op : plan.ahead.ops) {
    llvm::append_range(needed, op->getOperands());
  }
  for (const Fetch &fetch : plan.fetches) {
    llvm::append_range(needed, cast<tile::LoadViewOp>(fetch.load).getOffsets());
  }
  Slice slice;
  for (Value value : needed) {
    if (!loop.getRegion().isAncestor(value.getParentRegion()) &&
        !addToSlice(around, value, slice)) {
      return std::nullopt;
    }
  }
  if (!slice.carried.empty() || slice.hasLoads()) {
    return std::nullopt;
  }
  return slice;
}

scf::ForOp tz::simt::loopAround(scf::ForOp loop, const PipelinePlan &plan,
                                LaunchViews &launch) {
  auto around = dyn_cast<scf::ForOp>(loop->getParentOp());
  // What has been read when the loop ends is free; without dots in flight, a
  // slot filled late is read until then.
  const bool isReadLast = plan.fillsLate && plan.asyncDots.empty();
  if (!around || !countsIterations(around) || plan.hasReleases ||
      plan.beginsAll || plan.delayed || isReadLast ||
      plan.numBulk() != plan.fetches.size() || !plan.ahead.carried.empty()) {
    return nullptr;
  }
  unsigned loops = 0;
  around->walk([&](scf::ForOp other) {
    loops += other.getBody()->getOps<DotOp>().empty() ? 0 : 1;
  });
  SmallVector<Value> scalars;
  for (const Fetch &fetch : plan.fetches) {
    for (const analysis::Polynomial &p : fetch.frame->view.position) {
      for (const analysis::Term &term : p.getTerms()) {
        for (unsigned one : term.scalars) {
          scalars.push_back(launch.scalars().value(one));
        }
      }
    }
  }
  const bool isFree = llvm::all_of(plan.fetches, [&](const Fetch &fetch) {
    return mayGoAhead(around, fetch.load);
  });
  return loops == 1 && isFree && sliceAround(around, loop, plan, scalars)
             ? around
             : nullptr;
}
