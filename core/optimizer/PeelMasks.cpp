//===- PeelMasks.cpp - tile-peel-masks ------------------------------------===//
//
// What   Full blocks run without bounds checks: a loop is split where its
// checks
//        begin to matter, and what does not depend on a loop is decided once,
//        by an scf.if around the rest of its block.
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
#include "core/optimizer/Passes.h"
#include "core/optimizer/analysis/LaneForms.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tz;
using namespace tz::analysis;
using namespace tz::tile;

namespace tz::optimizer {
#define GEN_PASS_DEF_PEELMASKS
#include "core/optimizer/Passes.h.inc"
} // namespace tz::optimizer

namespace {
/// One checked dimension of one access. The block is inside if both are >= 0.
struct Check {
  Operation *access;
  unsigned dim;
  Polynomial slack; // extent - offset - block
  Polynomial offset;
  bool open = true;
};

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
  bool hasRoom(Location loc, size_t ops, StringRef what);
  bool isNonNegative(const Polynomial &p) {
    return forms->scalars().range(p, *hints).nonNegative();
  }
  /// Whether every scalar of the check is there just before `point`.
  bool isAvailable(const Check &check, Operation *point);
  std::optional<Value> fullUntil(OpBuilder &builder, scf::ForOp loop,
                                 ArrayRef<Check *> all);

  std::optional<Hints> hints;
  std::optional<LaneForms> forms;
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
    if (slack) {
      checks.push_back({op, static_cast<unsigned>(d), *slack, *offset});
    }
  }
}

bool PeelMasks::isAvailable(const Check &check, Operation *point) {
  auto isBefore = [&](unsigned scalar) {
    Value value = forms->scalars().value(scalar);
    Block *block = value.getParentBlock();
    Operation *ancestor = block->findAncestorOpInBlock(*point);
    if (!ancestor) {
      return false; // defined in a region that point is not in
    }
    Operation *def = value.getDefiningOp();
    return !def || def->isBeforeInBlock(ancestor);
  };
  for (const Polynomial *p : {&check.slack, &check.offset}) {
    for (const Term &term : p->getTerms()) {
      if (!llvm::all_of(term.scalars, isBefore)) {
        return false;
      }
    }
  }
  return true;
}

/// Ops from `from` to the end of its block, with all that is in them.
static size_t countOps(Block::iterator from, Block::iterator to) {
  size_t count = 0;
  for (; from != to; ++from) {
    from->walk([&](Operation *) { ++count; });
  }
  return count;
}

bool PeelMasks::hasRoom(Location loc, size_t ops, StringRef what) {
  if (cloned + ops <= limit) {
    cloned += ops;
    return true;
  }
  ++declined;
  emitRemark(loc) << what << " keeps its bounds checks: an unchecked copy has "
                  << ops << " ops, and " << (limit - cloned)
                  << " more are allowed; a smaller kernel, or sizes that are "
                     "constexpr, need no copy";
  return false;
}

/// if (every block in the rest of `block` is full) {unchecked} else {as it was}
void PeelMasks::versionBlock(Block &block) {
  SmallVector<Check *> open;
  Operation *first = nullptr;
  for (Check &check : checks) {
    Operation *top =
        check.open ? block.findAncestorOpInBlock(*check.access) : nullptr;
    if (!top || !isAvailable(check, top)) {
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
  Operation *terminator = block.getTerminator();
  SmallVector<OpOperand *> results;
  SmallVector<Value> values;
  for (OpOperand &operand : terminator->getOpOperands()) {
    Operation *def = operand.get().getDefiningOp();
    if (def && def->getBlock() == &block && !def->isBeforeInBlock(first)) {
      results.push_back(&operand);
      values.push_back(operand.get());
    }
  }
  // A tile that leaves an scf.if has to live in one place for both branches.
  if (llvm::any_of(values,
                   [](Value v) { return isa<ShapedType>(v.getType()); })) {
    return;
  }
  size_t size = countOps(first->getIterator(), terminator->getIterator());
  if (!hasRoom(first->getLoc(), size, "this part of the kernel")) {
    return;
  }

  OpBuilder builder(first);
  Location loc = first->getLoc();
  SmallVector<Polynomial> conditions;
  for (Check *check : open) {
    for (const Polynomial *p : {&check->offset, &check->slack}) {
      if (!isNonNegative(*p) && !llvm::is_contained(conditions, *p)) {
        conditions.push_back(*p);
      }
    }
  }
  Value full, zero = forms->scalars().emit(builder, loc, {});
  for (const Polynomial &p : conditions) {
    Value one =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                              forms->scalars().emit(builder, loc, p), zero);
    full = full ? arith::AndIOp::create(builder, loc, full, one) : one;
  }

  auto branch = scf::IfOp::create(builder, loc, ValueRange(values).getTypes(),
                                  full, /*withElseRegion=*/true);
  IRMapping map;
  OpBuilder slow = OpBuilder::atBlockBegin(branch.elseBlock());
  for (auto it = first->getIterator(); it != terminator->getIterator(); ++it) {
    slow.clone(*it, map);
  }
  Block *fast = branch.thenBlock();
  fast->getOperations().splice(fast->begin(), block.getOperations(),
                               first->getIterator(), terminator->getIterator());
  auto yield = [&](Block *from, ValueRange operands) {
    if (!from->empty() && from->back().hasTrait<OpTrait::IsTerminator>()) {
      from->back().erase(); // the builder made one: there are no results
    }
    auto end = OpBuilder::atBlockEnd(from);
    scf::YieldOp::create(end, loc, operands);
  };
  SmallVector<Value> copies;
  for (Value value : values) {
    copies.push_back(map.lookupOrDefault(value));
  }
  yield(fast, values);
  yield(branch.elseBlock(), copies);
  for (auto [operand, result] : llvm::zip(results, branch.getResults())) {
    operand->set(result);
  }
  for (Check *check : open) {
    clear(*check);
  }
  ++versionedBlocks;
}

/// The bound up to which `loop` may run with all these checks open, as an i64;
/// none if one of them does not end at a turn of the loop.
std::optional<Value> PeelMasks::fullUntil(OpBuilder &builder, scf::ForOp loop,
                                          ArrayRef<Check *> all) {
  unsigned iv = forms->scalars().number(loop.getInductionVar());
  Location loc = loop.getLoc();
  Type i64 = builder.getI64Type();
  Value bound;
  SmallVector<Polynomial> seen;
  for (Check *check : all) {
    if (llvm::is_contained(seen, check->slack)) {
      continue;
    }
    seen.push_back(check->slack);
    // slack = rest - slope * iv >= 0 up to iv = floor(rest / slope)
    int64_t slope = -check->slack.coefficientOf({iv});
    auto rest = Polynomial::add(check->slack, Polynomial::of({{iv}, 1}), slope);
    auto above = Polynomial::add(*rest, Polynomial(slope));
    if (!above) {
      return std::nullopt;
    }
    auto constant = [&](int64_t v) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI64IntegerAttr(v));
    };
    Value end = forms->scalars().emit(builder, loc, *above);
    if (slope != 1) {
      end = MaxSIOp::create(builder, loc, i64, end, constant(0));
      end = DivSIOp::create(builder, loc, i64, end, constant(slope));
    }
    bound = bound ? MinSIOp::create(builder, loc, i64, bound, end) : end;
  }
  return bound;
}

/// Splits `loop` at the first turn in which one of its checks may fail.
void PeelMasks::peelLoop(scf::ForOp loop) {
  Value ivValue = loop.getInductionVar();
  Type type = ivValue.getType();
  auto step = forms->of(loop.getStep());
  auto from = forms->of(loop.getLowerBound());
  if (!step || !from || !step->start.constant() ||
      *step->start.constant() <= 0 || !isNonNegative(from->start)) {
    return;
  }
  unsigned iv = forms->scalars().number(ivValue);
  SmallVector<Check *> mine;
  for (Check &check : checks) {
    if (!check.open || !loop->isProperAncestor(check.access)) {
      continue;
    }
    bool once = true, dependsOnIv = false;
    Check outside = check;
    for (const Term &term : check.slack.getTerms()) {
      bool has = llvm::is_contained(term.scalars, iv);
      once =
          once && (!has || (term.scalars.size() == 1 && term.coefficient < 0 &&
                            term.coefficient > -(int64_t(1) << 32)));
      dependsOnIv |= has;
    }
    if (!once || !dependsOnIv || !isNonNegative(check.offset)) {
      continue;
    }
    auto rest = Polynomial::add(check.slack, Polynomial::of({{iv}, 1}),
                                -check.slack.coefficientOf({iv}));
    outside.offset = {};
    outside.slack = rest.value_or(Polynomial());
    if (rest && isAvailable(outside, loop)) {
      mine.push_back(&check);
    }
  }
  if (mine.empty()) {
    return;
  }
  size_t size = countOps(loop->getIterator(), std::next(loop->getIterator()));
  if (!hasRoom(loop.getLoc(), size, "this loop")) {
    return;
  }

  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Type i64 = builder.getI64Type();
  auto bound = fullUntil(builder, loop, mine);
  if (!bound) {
    return;
  }
  auto wide = [&](Value v) -> Value {
    return type == i64 ? v : arith::ExtSIOp::create(builder, loc, i64, v);
  };
  auto narrow = [&](Value v) -> Value {
    return type == i64 ? v : arith::TruncIOp::create(builder, loc, type, v);
  };
  Value low = wide(loop.getLowerBound()), high = wide(loop.getUpperBound());
  Value end = MinSIOp::create(builder, loc, i64, *bound, high);
  end = MaxSIOp::create(builder, loc, i64, end, low);
  Value next = end; // where the remaining turns begin
  int64_t by = *step->start.constant();
  if (by != 1) {
    auto constant = [&](int64_t v) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI64IntegerAttr(v));
    };
    Value span = arith::SubIOp::create(builder, loc, end, low);
    span = arith::AddIOp::create(builder, loc, span, constant(by - 1));
    Value turns = DivSIOp::create(builder, loc, i64, span, constant(by));
    span = arith::MulIOp::create(builder, loc, turns, constant(by));
    next = arith::AddIOp::create(builder, loc, low, span);
    // No turns remain beyond the bound; stay inside the type.
    next = MinSIOp::create(builder, loc, i64, next,
                           MaxSIOp::create(builder, loc, i64, high, low));
  }

  builder.setInsertionPointAfter(loop);
  auto tail = cast<scf::ForOp>(builder.clone(*loop));
  loop.replaceAllUsesWith(tail.getResults());
  tail.getInitArgsMutable().assign(loop.getResults());
  builder.setInsertionPoint(loop);
  Value endValue = narrow(end);
  tail.setLowerBound(next == end ? endValue : narrow(next));
  loop.setUpperBound(endValue);
  for (Check *check : mine) {
    clear(*check);
  }
  ++peeledLoops;
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

void PeelMasks::runOnOperation() {
  SmallVector<Operation *> accesses;
  getOperation().walk([&](Operation *op) {
    if (isa<LoadViewOp, StoreViewOp>(op) &&
        llvm::is_contained(checkedOf(op), true)) {
      accesses.push_back(op);
    }
  });
  if (accesses.empty()) {
    return;
  }
  hints.emplace(getOperation());
  forms.emplace(getOperation());
  checks.clear();
  cloned = 0;
  for (Operation *op : accesses) {
    collect(op);
  }
  for (Check &check : checks) {
    if (isNonNegative(check.slack) && isNonNegative(check.offset)) {
      clear(check);
    }
  }
  process(getOperation().getBody().front());
  forms.reset();
  hints.reset();
}
