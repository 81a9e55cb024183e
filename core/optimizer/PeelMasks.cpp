//===- PeelMasks.cpp - tile-peel-masks ------------------------------------===//
//
// What   Full blocks run without bounds checks: a loop is split where its
//        checks begin to matter, and what does not depend on a loop is decided
//        once, by an scf.if around the rest of its block. Masks that are then
//        known to be true are folded wherever they are used.
// Why    All blocks but those at the edge of an array are full; a check in them
//        costs compares and masks in the hottest code.
// Example (test/optimizer/peel-masks.mlir)
//   before
//     %unit = arith.constant 1 : i64
//     %block = arith.constant 64 : i64
//     %pid = tile.program_id 0
//     %wide = arith.extsi %pid : i32 to i64
//     %at = arith.muli %wide, %block : i64
//     %v = tile.splat %s : f32 -> tensor<64xf32>
//     %view = tile.make_view %y shape [%n] strides [%unit] : !tile.ptr<f32> -> !tile.view<64xf32>
//     tile.store_view %view[%at], %v checked [true] : !tile.view<64xf32>, tensor<64xf32>
//   after
//     %c1_i64 = arith.constant 1 : i64
//     %c64_i64 = arith.constant 64 : i64
//     %0 = tile.program_id 0
//     %1 = arith.extsi %0 : i32 to i64
//     %2 = arith.muli %1, %c64_i64 : i64
//     %3 = tile.splat %arg2 : f32 -> tensor<64xf32>
//     %4 = tile.make_view %arg0 shape[%arg1] strides[%c1_i64] : <f32> -> <64xf32>
//     %c0_i64 = arith.constant 0 : i64
//     %c64_i64_0 = arith.constant 64 : i64
//     %5 = arith.subi %arg1, %c64_i64_0 : i64
//     %6 = arith.extsi %0 : i32 to i64
//     %c64_i64_1 = arith.constant 64 : i64
//     %7 = arith.muli %6, %c64_i64_1 : i64
//     %8 = arith.subi %5, %7 : i64
//     %9 = arith.cmpi sge, %8, %c0_i64 : i64
//     scf.if %9 {
//       tile.store_view %4[%2], %3 checked [false] : <64xf32>, tensor<64xf32>
//     } else {
//       tile.store_view %4[%2], %3 checked [true] : <64xf32>, tensor<64xf32>
//     }
// Needs  RecoverViews; fixed views (offsets hold the loop's part).
// Keeps  the order of everything. The unpeeled form stays as the other branch
//        and is not peeled again, so code grows at most by the pass's limit.
//===----------------------------------------------------------------------===//
#include "core/optimizer/IterationBounds.h"
#include "core/optimizer/LoopPeeling.h"
#include "core/optimizer/LoopSplitting.h"
#include "core/optimizer/Passes.h"
#include "core/optimizer/Versioning.h"
#include "core/optimizer/analysis/KnownMasks.h"
#include "core/optimizer/analysis/LoopContents.h"

#include "terrazzo/optimizer/Features.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using optimizer::assume;
using Check = optimizer::BoundsCheck;
using optimizer::conditionsOf;
using optimizer::emitNonNegative;
using optimizer::fullFrom;
using optimizer::fullUntil;
using optimizer::iterationIf;
using optimizer::LoopPeeling;
using optimizer::Rest;
using namespace tz::tile;

namespace tz::optimizer {
#define GEN_PASS_DEF_PEELMASKS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

/// Elements of a tile, for each warp, up to which a kernel without dots is
/// copied: every op on a larger one is hundreds of instructions.
static constexpr int64_t WidestTile = 4096;

namespace {
struct PeelMasks : tz::optimizer::impl::PeelMasksBase<PeelMasks> {
  using Base = tz::optimizer::impl::PeelMasksBase<PeelMasks>;
  using Base::Base;

  void runOnOperation() override;

private:
  void collect(Operation *op);
  void process(Block &block);
  void processNested(Block &block);
  void versionBlock(Block &block);
  void peelLoop(scf::ForOp loop);
  void clear(Check &check);
  bool hasRoom(Location loc, size_t ops, StringRef what, ArrayRef<Check *> all);
  void foldMasks(Region &region, ArrayRef<Check *> all);
  void explain();
  bool isFree(Operation *access);
  SmallVector<Polynomial> openConditions(ArrayRef<Check *> all);
  bool isAskedWithIterations(ArrayRef<Check *> open, Operation *first);
  bool isTooWide();
  bool has(optimizer::Feature feature) const {
    return llvm::is_contained(features, optimizer::nameOf(feature));
  }
  bool boundsAreFree() const { return has(optimizer::Feature::ViewBounds); }
  bool isNonNegative(const Polynomial &p) {
    return forms->scalars().range(p, *hints).nonNegative();
  }
  /// Whether every scalar of the check is there just before `point`.
  bool isAvailable(const Check &check, Operation *point);

  std::optional<Hints> hints;
  std::optional<LaneForms> forms;
  std::optional<KnownMasks> masks;
  std::optional<LoopPeeling> loops;
  std::vector<Check> checks;
  size_t cloned = 0;
};
} // namespace

static ArrayRef<bool> checkedOf(Operation *access) {
  auto load = dyn_cast<LoadViewOp>(access);
  return load ? load.getChecked() : cast<StoreViewOp>(access).getChecked();
}

void PeelMasks::clear(Check &check) {
  check.open = false;
  SmallVector<bool> checked(checkedOf(check.access));
  checked[check.dim] = false;
  if (auto load = dyn_cast<LoadViewOp>(check.access)) {
    load.setChecked(checked);
    if (!llvm::is_contained(checked, true)) {
      load.getOtherMutable().clear();
    }
  } else {
    cast<StoreViewOp>(check.access).setChecked(checked);
  }
  ++unmaskedDims;
}

void PeelMasks::collect(Operation *op) {
  auto load = dyn_cast<LoadViewOp>(op);
  auto store = dyn_cast<StoreViewOp>(op);
  Value view = load ? load.getView() : store.getView();
  OperandRange offsets = load ? load.getOffsets() : store.getOffsets();
  auto form = forms->viewOf(view);
  if (!form) {
    ++declined;
    emitRemark(op->getLoc())
        << "the bounds of this " << (load ? "load" : "store")
        << " are checked in every block: its view comes out of a branch or a "
           "loop that does not move it by the same amounts every iteration; "
           "make "
           "the view where it is used";
    return;
  }
  ArrayRef<int64_t> shape = cast<ViewType>(view.getType()).getShape();
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!checkedOf(op)[d]) {
      continue;
    }
    auto own = forms->of(offsets[d]);
    auto extent = forms->of(form->root.getShape()[d]);
    auto offset =
        own ? Polynomial::add(form->position[d], own->start) : std::nullopt;
    auto rest = offset && extent ? Polynomial::add(extent->start, *offset, -1)
                                 : std::nullopt;
    auto slack =
        rest ? Polynomial::add(*rest, Polynomial(size), -1) : std::nullopt;
    if (!slack) {
      ++declined;
      emitRemark(op->getLoc())
          << "the bound of dimension " << d
          << " is checked in every block: the offset or the extent is too "
             "large "
             "an expression; compute part of it into a variable that is not a "
             "sum or product";
      continue;
    }
    if (forms->scalars().range(*slack, *hints).high < 0) {
      ++declined;
      emitRemark(op->getLoc())
          << "the bound of dimension " << d << " is checked: a block of "
          << size << " never fits; a smaller block may";
      continue;
    }
    checks.emplace_back(op, d, *slack, *offset);
  }
}

bool PeelMasks::isAvailable(const Check &check, Operation *point) {
  return optimizer::isAvailable(check.slack, point, forms->scalars()) &&
         optimizer::isAvailable(check.offset, point, forms->scalars());
}

bool PeelMasks::hasRoom(Location loc, size_t ops, StringRef what,
                        ArrayRef<Check *> all) {
  if (cloned + ops <= limit) {
    cloned += ops;
    return true;
  }
  ++declined;
  for (Check *check : all) {
    check->reported = true;
  }
  emitRemark(loc) << what << " keeps its bounds checks: an unchecked copy has "
                  << ops << " ops, and " << (limit - cloned)
                  << " more are allowed; a smaller kernel, or sizes that are "
                     "constexpr, need no copy";
  return false;
}

/// Folds what follows in `region` from these checks' being closed there.
void PeelMasks::foldMasks(Region &region, ArrayRef<Check *> all) {
  SmallVector<Polynomial> nonNegative;
  for (Check *check : all) {
    nonNegative.append({check->slack, check->offset});
  }
  knownMasks += masks->fold(region, nonNegative);
}

/// What must not be below zero for these to hold, where that is not known.
SmallVector<Polynomial> PeelMasks::openConditions(ArrayRef<Check *> all) {
  SmallVector<Polynomial> conditions;
  for (Check *check : all) {
    for (const Polynomial *p : {&check->offset, &check->slack}) {
      if (!isNonNegative(*p) && !llvm::is_contained(conditions, *p)) {
        conditions.push_back(*p);
      }
    }
  }
  return conditions;
}

/// Whether the loops from `first` on are split in any case: then no iteration
/// of them is full unless these hold as well, and they need no copies more.
bool PeelMasks::isAskedWithIterations(ArrayRef<Check *> open,
                                      Operation *first) {
  if (!has(optimizer::Feature::PredicatedAccesses) ||
      llvm::none_of(open, [&](Check *check) {
        return dependsOnProgram(check->slack, forms->scalars());
      })) {
    return false;
  }
  bool hasLoops = false;
  for (Operation &op :
       llvm::make_range(first->getIterator(), first->getBlock()->end())) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (op.getNumRegions() == 0 || isa<ReduceOp>(op)) {
      continue;
    }
    hasLoops = true;
    if (!loop || hasDots(loop) || llvm::none_of(checks, [&](Check &check) {
          return check.open && check.access->getParentOp() == loop &&
                 loops->dependsOnIteration(check, loop) &&
                 loops->whyNotSplit(loop, check).empty();
        })) {
      return false;
    }
  }
  return hasLoops;
}

/// Is there such an op in `first` or behind it in its block?
template <typename Op>
static bool contains(Operation *first) {
  return llvm::any_of(
      llvm::make_range(first->getIterator(), first->getBlock()->end()),
      [](Operation &op) {
        return op.walk([](Op) { return WalkResult::interrupt(); })
            .wasInterrupted();
      });
}

/// if (every block in the rest of `block` is full) {unchecked} else {as it was}
void PeelMasks::versionBlock(Block &block) {
  SmallVector<Check *> open;
  Operation *first = nullptr;
  // Where bounds cost nothing, loops with dots are not copied for them.
  Operation *after = boundsAreFree() ? lastDotLoop(block) : nullptr;
  for (Check &check : checks) {
    Operation *top =
        check.open ? block.findAncestorOpInBlock(*check.access) : nullptr;
    if (!top || !isAvailable(check, top) ||
        (after && !after->isBeforeInBlock(top))) {
      continue;
    }
    open.push_back(&check);
    if (!first || top->isBeforeInBlock(first)) {
      first = top;
    }
  }
  llvm::erase_if(open, [&](Check *c) { return !isAvailable(*c, first); });
  if (open.empty()) {
    return;
  }
  // What runs once keeps its checks; but masks beside what a loop of dots
  // leaves take registers from the loop, and masks of operands beside loops
  // from the dots.
  auto isChecked = [&](Operation *op) {
    return llvm::any_of(open,
                        [&](Check *check) { return check->access == op; });
  };
  if (has(optimizer::Feature::PredicatedAccesses) &&
      !loopsAskFrom(first, isChecked) && !lastDotLoop(block) &&
      !(contains<DotOp>(first) && contains<LoopLikeOpInterface>(first))) {
    return;
  }
  if (isAskedWithIterations(open, first)) {
    for (Check *check : open) {
      check->withIterations = true;
    }
    return;
  }
  Rest rest(first);
  if (rest.yieldsTile()) {
    for (Check *check : open) {
      if (check->why.empty()) {
        check->why = "a tile leaves the part of the kernel that it is in, and "
                     "would have to be moved from either copy; compute the "
                     "offset and the bound before that part";
      }
    }
    return;
  }
  if (!hasRoom(first->getLoc(), rest.size(), "this part of the kernel", open)) {
    return;
  }

  OpBuilder builder(first);
  scf::IfOp branch = rest.version(emitNonNegative(
      builder, first->getLoc(), openConditions(open), forms->scalars()));
  for (Check *check : open) {
    clear(*check);
  }
  foldMasks(branch.getThenRegion(), open);
  // Masks that only the checked copy still reads are made there.
  DominanceInfo dominance(getOperation());
  controlFlowSink(
      branch->getRegions().take_back(1), dominance,
      [&](Operation *op, Region *) {
        return op->getBlock() == &block && isMemoryEffectFree(op);
      },
      [&](Operation *op, Region *into) {
        op->moveBefore(&into->front(), into->front().begin());
      });
  ++versionedBlocks;
}

/// Splits `loop` at the first iteration in which one of its checks may fail,
/// and where masks in it begin or cease to hold.
void PeelMasks::peelLoop(scf::ForOp loop) {
  SmallVector<Check *> mine, always;
  for (Check &check : checks) {
    if (!check.open || !loop->isProperAncestor(check.access)) {
      continue;
    }
    if (!loops->dependsOnIteration(check, loop)) {
      if (check.withIterations) {
        always.push_back(&check);
      }
      continue;
    }
    check.why = loops->whyNotSplit(loop, check);
    if (check.why.empty()) {
      mine.push_back(&check);
    }
  }
  std::vector<IterationMask> falling = loops->costlyMasks(loop), rising;
  for (IterationMask &mask : falling) {
    if (mask.slope > 0) {
      rising.push_back(mask);
    }
  }
  llvm::erase_if(falling,
                 [](const IterationMask &mask) { return mask.slope > 0; });
  size_t size = 0;
  loop->walk([&](Operation *) { ++size; });
  if (cloned + 2 * size > limit) {
    rising.clear();
  }
  SmallVector<Polynomial> slacks;
  for (Check *check : mine) {
    slacks.push_back(check->slack);
  }
  for (const IterationMask &mask : falling) {
    slacks.push_back(mask.slack);
  }
  const bool hasTail = !slacks.empty();
  if ((!hasTail && rising.empty()) ||
      !hasRoom(loop.getLoc(), size * (hasTail + !rising.empty()), "this loop",
               mine)) {
    return;
  }

  // As a loop, the last iteration would keep in registers what only it needs.
  const bool once = hasTail && boundsAreFree() && always.empty() &&
                    loops->leavesOneIteration(loop, slacks);
  const int64_t step = *forms->of(loop.getStep())->start.constant();
  if (!rising.empty()) {
    OpBuilder builder(loop);
    optimizer::splitHead(
        loop, fullFrom(builder, loop, rising, forms->scalars()), step);
    assume(loop, rising); // and so behind it
    ++peeledLoops;
  }
  if (!hasTail) {
    return;
  }
  OpBuilder builder(loop);
  Value bound = iterationIf(builder, conditionsOf(falling),
                            fullUntil(builder, loop, slacks, forms->scalars()),
                            loop.getLowerBound(), forms->scalars());
  bound = iterationIf(builder, openConditions(always), bound,
                      loop.getLowerBound(), forms->scalars());
  llvm::append_range(mine, always);
  scf::ForOp tail = optimizer::splitTail(loop, bound, step);
  if (once) {
    optimizer::runOnce(tail);
  }
  for (Check *check : mine) {
    clear(*check);
  }
  foldMasks(loop.getRegion(), mine);
  assume(loop, falling);
  ++peeledLoops;
}

/// One remark for each check that stays or is asked in every iteration of a
/// loop.
void PeelMasks::explain() {
  for (const Check &check : checks) {
    if (check.reported || check.why.empty()) {
      continue;
    }
    declined += check.open;
    emitRemark(check.access->getLoc())
        << "the bound of dimension " << check.dim << " of this "
        << (isa<LoadViewOp>(check.access) ? "load" : "store")
        << (check.open ? " is checked in every block: "
                       : " is asked in every iteration of the loop, not once: ")
        << check.why;
  }
}

void PeelMasks::processNested(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block) {
    if (op.getNumRegions() != 0) {
      ops.push_back(&op);
    }
  }
  for (Operation *op : ops) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      peelLoop(loop);
    }
    for (Region &region : op->getRegions()) {
      for (Block &nested : region) {
        process(nested);
      }
    }
  }
}

void PeelMasks::process(Block &block) {
  versionBlock(block);
  processNested(block);
}

/// In a loop with dots, on a target whose loads check bounds for nothing, if no
/// other mask would be folded.
bool PeelMasks::isFree(Operation *access) {
  auto loop = access->getParentOfType<scf::ForOp>();
  if (!loop || !isa<LoadViewOp>(access) || !boundsAreFree()) {
    return false;
  }
  const bool predicatesAreFree =
      has(optimizer::Feature::PredicatedAccesses) && computesOperands(loop);
  bool hasDot = false, hasMask = false;
  loop.walk([&](Operation *op) {
    hasDot |= isa<DotOp>(op);
    // What was loaded is no mask: bounds say nothing of it.
    auto compare = dyn_cast<arith::CmpIOp>(op);
    hasMask |= compare && isa<RankedTensorType>(compare.getType()) &&
               forms->of(compare.getLhs()) && forms->of(compare.getRhs()) &&
               !(predicatesAreFree && isPredicate(compare, loop));
  });
  return hasDot && !hasMask;
}

/// Whether copies would hold more instructions than asking costs.
bool PeelMasks::isTooWide() {
  if (!has(optimizer::Feature::PredicatedAccesses) || hasDots(getOperation())) {
    return false;
  }
  auto warps = getOperation()->getAttrOfType<IntegerAttr>("tile.num_warps");
  const int64_t most = WidestTile * (warps ? warps.getInt() : 4);
  auto wide = llvm::find_if(checks, [&](const Check &check) {
    auto load = dyn_cast<LoadViewOp>(check.access);
    Value view =
        load ? load.getView() : cast<StoreViewOp>(check.access).getView();
    ArrayRef<int64_t> shape = cast<ViewType>(view.getType()).getShape();
    return check.open && llvm::product_of(shape) > most;
  });
  if (wide == checks.end()) {
    return false;
  }
  ++declined;
  emitRemark(wide->access->getLoc())
      << "bounds are checked in every block: an access has more than " << most
      << " elements, and copies of code for so many would be long; smaller "
         "blocks, or more warps, are copied";
  return true;
}

void PeelMasks::runOnOperation() {
  SmallVector<Operation *> accesses;
  getOperation().walk([&](Operation *op) {
    if (isa<LoadViewOp, StoreViewOp>(op) &&
        llvm::is_contained(checkedOf(op), true)) {
      accesses.push_back(op);
    }
  });
  if (accesses.empty()) {
    return markAllAnalysesPreserved();
  }
  hints.emplace(getOperation());
  forms.emplace(getOperation());
  masks.emplace(getOperation(), *forms, *hints);
  loops.emplace(*hints, *forms, *masks, boundsAreFree());
  checks.clear();
  cloned = 0;
  for (Operation *op : accesses) {
    collect(op);
  }
  for (Check &check : checks) {
    if (isNonNegative(check.slack) && isNonNegative(check.offset)) {
      clear(check);
    } else if (isFree(check.access)) {
      check.open = false;
    }
  }
  knownMasks += masks->fold(getOperation().getBody(), {});
  if (!isTooWide()) {
    process(getOperation().getBody().front());
    explain();
  }
  loops.reset();
  masks.reset();
  forms.reset();
  hints.reset();
}
