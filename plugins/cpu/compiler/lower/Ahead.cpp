//===- Ahead.cpp - Fetching what will be read soon ------------------------===//
//
// What   Where a nest reads a row again that an earlier nest of the program has
//        fetched, it asks for the same elements of the next program, or for
//        those that this one will write. Where each element is read once, a nest
//        asks for those that lie 2 KiB further.
// Why    Kernels that take a row a program (softmax, normalisations) go over it
//        several times; from the second time on it is in the caches and memory
//        would idle until the next program begins. The prefetcher of a
//        processor alone keeps too few lines on their way: a sum of two large
//        arrays takes a third more time.
//
// A prefetch never faults and changes nothing, so the address of a program that
// this thread will not run, or that does not exist, is as good as any.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/CpuUnroll.h"
#include "plugins/cpu/compiler/lower/Nest.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace tz::cpu {

namespace {

constexpr unsigned Line = 64;
/// Rows that are larger would push each other out of the second-level cache.
constexpr int64_t LargestRow = int64_t{256} << 10;
/// Rows that a nest asks for to write them. More would push each other out of
/// the cache before they are written, and every load would ask for all stores.
constexpr size_t MostOutputs = 4;
/// Uses of a view, or stores after a load, that are looked at for one load: the
/// work for a kernel is linear in its loads.
constexpr size_t MostUses = 64;
/// How far a nest asks ahead in what it reads once, in bytes. Neighbours in the
/// grid are neighbours in memory, so this reaches the next program's elements.
/// A whole page ahead costs a sum of two large arrays a sixth on Zen 4; half of
/// one is a tenth better there than nothing.
constexpr uint64_t FarAhead = 2048;

/// One-dimensional, with its elements side by side.
bool isRow(tile::LoadViewOp load) {
  mlir::RankedTensorType type = load.getResult().getType();
  return type.getRank() == 1 &&
         type.getNumElements() * tile::storageBytes(type.getElementType()) <=
             LargestRow;
}

} // namespace

Value *CpuLowering::idOfNextProgram(unsigned axis) {
  if (!nextId[axis]) {
    // In the block that begins this program.
    auto *here = cast<Instruction>(program[2]);
    IRBuilder<> at(here->getParent(), here->getParent()->getFirstNonPHIIt());
    at.SetCurrentDebugLocation(here->getDebugLoc());
    nextId = idsOfNextProgram(at);
  }
  return nextId[axis];
}

/// What `value` is in this program or will be in the next, also where it is not
/// computed yet. Null: it cannot be said without running the program.
Value *CpuLowering::foretell(mlir::Value value, bool ofNext, unsigned depth) {
  mlir::Operation *op = value.getDefiningOp();
  auto known = scalars.find(value);
  if (ofNext && foretold && value == foretold.getInductionVar()) {
    return b.CreateAdd(known->second, scalar(foretold.getStep()));
  }
  if (!op || (!ofNext && known != scalars.end())) {
    const bool argument =
        op || isa<tile::KernelOp>(value.getParentBlock()->getParentOp());
    return argument && known != scalars.end() ? known->second : nullptr;
  }
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
    return ofNext && !foretold ? idOfNextProgram(id.getAxis())
                               : program[id.getAxis()];
  }
  if (auto number = dyn_cast<arith::ConstantOp>(op)) {
    return constant(number.getValue());
  }
  if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
    return grid[count.getAxis()];
  }
  if (op->getNumResults() != 1 || !hasElementwise(op) || depth > 16) {
    return nullptr;
  }
  SmallVector<Value *> operands;
  for (mlir::Value operand : op->getOperands()) {
    Value *then = isa<mlir::RankedTensorType, tile::ViewType>(operand.getType())
                      ? nullptr
                      : foretell(operand, ofNext, depth + 1);
    if (!then) {
      return nullptr;
    }
    operands.push_back(then);
  }
  const bool same =
      known != scalars.end() &&
      llvm::all_of(llvm::zip(op->getOperands(), operands), [&](auto pair) {
        auto was = scalars.find(std::get<0>(pair));
        return was != scalars.end() && was->second == std::get<1>(pair);
      });
  return same ? known->second : elementwise(op, operands);
}

/// Where the view begins in the next iteration of the innermost loop that moves
/// it, or in the next program.
Value *CpuLowering::baseOfNext(mlir::Value view) {
  auto made = view.getDefiningOp<tile::MakeViewOp>();
  for (mlir::Operation *around = made->getParentOp();
       !isa<tile::KernelOp>(around); around = around->getParentOp()) {
    if (auto loop = dyn_cast<mlir::scf::ForOp>(around)) {
      foretold = loop;
      Value *base = foretell(made.getBase(), true);
      foretold = {};
      if (!base || base != foretell(made.getBase(), false)) {
        return base;
      }
    }
  }
  return foretell(made.getBase(), true);
}

Value *CpuLowering::distance(mlir::Value from, mlir::Value to, bool ofNext) {
  auto there = to.getDefiningOp<tile::MakeViewOp>();
  Value *end = !there   ? nullptr
               : ofNext ? baseOfNext(to)
                        : foretell(there.getBase(), false);
  if (!end || end == view(from).base) {
    return nullptr;
  }
  Type *i64 = b.getInt64Ty();
  return b.CreateSub(b.CreatePtrToInt(end, i64),
                     b.CreatePtrToInt(view(from).base, i64));
}

CpuLowering::Reading CpuLowering::readingOf(tile::LoadViewOp load,
                                            unsigned nest) {
  Reading reading;
  SmallVector<tile::LoadViewOp> seen;
  size_t uses = 0;
  for (mlir::Operation *user : load.getView().getUsers()) {
    if (++uses > MostUses) {
      return {}; // as if it were the first to read it
    }
    auto other = dyn_cast<tile::LoadViewOp>(user);
    // The versions that mask peeling makes of one load stand side by side.
    if (!other || other.getChecked() != load.getChecked()) {
      continue;
    }
    // What CpuUnroll.cpp made of one load counts once.
    if (llvm::any_of(seen, [&](tile::LoadViewOp one) {
          return areOneLoad(one, other);
        })) {
      continue;
    }
    seen.push_back(other);
    reading.iteration +=
        !areOneLoad(other, load) && plan.order(other) < plan.order(load);
  }
  reading.loads = static_cast<unsigned>(seen.size());
  auto &nestsOf = readers[load];
  auto *found = llvm::find(nestsOf, nest);
  reading.iteration += static_cast<unsigned>(found - nestsOf.begin());
  if (found == nestsOf.end()) {
    nestsOf.push_back(nest);
  }
  return reading;
}

/// Does `op` stand on the other side of a branch that is being emitted? Its
/// operands have no values here, and it will not run.
bool CpuLowering::isOnOtherSide(mlir::Operation *op) const {
  mlir::Block *inner = nullptr;
  for (mlir::Block *open : llvm::reverse(openBlocks)) {
    if (mlir::Operation *around = open->findAncestorOpInBlock(*op)) {
      return inner && inner->getParentOp() == around;
    }
    inner = open;
  }
  return false;
}

/// Where the view's base is computed. A loop that carries a view moves it along
/// its row.
static mlir::Block *blockOfRow(mlir::Value view) {
  while (auto argument = dyn_cast<mlir::BlockArgument>(view)) {
    auto loop = dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop) {
      break;
    }
    view = loop.getTiedLoopInit(argument)->get();
  }
  return view.getParentBlock();
}

SmallVector<tile::StoreViewOp>
CpuLowering::rowsWrittenAfter(tile::LoadViewOp load) {
  if (!rowStores) {
    rowStores.emplace();
    kernel.walk([&](tile::StoreViewOp store) { rowStores->push_back(store); });
  }
  SmallVector<tile::StoreViewOp> stores;
  SmallVector<mlir::Value> views;
  mlir::Block *blockOfBase = blockOfRow(load.getView());
  auto type = load.getResult().getType();
  ArrayRef<tile::StoreViewOp> after = *rowStores;
  after = after.drop_front(size_t(
      llvm::partition_point(after,
                            [&](tile::StoreViewOp store) {
                              return plan.order(store) < plan.order(load);
                            }) -
      after.begin()));
  for (tile::StoreViewOp store : after.take_front(MostUses)) {
    mlir::Value view = store.getView();
    if (cast<tile::ViewType>(view.getType()).getTileType() != type ||
        llvm::is_contained(views, view) || isOnOtherSide(store) ||
        // Behind the loop that goes from row to row there is one row in all.
        !blockOfBase->findAncestorOpInBlock(*store)) {
      continue;
    }
    // In a block around both, the load comes first.
    mlir::Block *block = load->getBlock();
    mlir::Operation *later = nullptr;
    while (!(later = block->findAncestorOpInBlock(*store))) {
      block = block->getParentOp()->getBlock();
    }
    mlir::Operation *here = block->findAncestorOpInBlock(*load);
    auto made = view.getDefiningOp<tile::MakeViewOp>();
    if (made && here->isBeforeInBlock(later) &&
        mlir::isConstantIntValue(made.getStrides()[0], 1)) {
      views.push_back(view);
      if (!emittedStores.contains(store)) {
        stores.push_back(store);
      }
      if (views.size() == MostOutputs) {
        break;
      }
    }
  }
  return stores;
}

/// Does the next program read other memory through `load` than this one, and
/// this one only here? An answer of false costs time, not rightness.
bool CpuLowering::readsOnce(tile::LoadViewOp load, unsigned nest) {
  if (readingOf(load, nest).loads != 1 ||
      plan.of(load.getResult()).roots.size() != 1) {
    return false;
  }
  if (distance(load.getView(), load.getView(), true)) {
    return true;
  }
  return llvm::any_of(load.getOffsets(), [&](mlir::Value offset) {
    if (auto wide = offset.getDefiningOp<arith::ExtSIOp>()) {
      offset = wide.getIn();
    }
    auto counter = dyn_cast<mlir::BlockArgument>(offset);
    auto loop =
        counter ? dyn_cast<mlir::scf::ForOp>(counter.getOwner()->getParentOp())
                : nullptr;
    if (loop && counter == loop.getInductionVar()) {
      offset = loop.getLowerBound();
    }
    Value *next = foretell(offset, true);
    return next && next != foretell(offset, false);
  });
}

void Nest::fetch(Value *from, uint64_t bytes, bool write) {
  for (uint64_t at = 0; at < bytes; at += Line) {
    // Into the second-level cache: the first holds this program's row.
    b.CreateIntrinsic(Intrinsic::prefetch, {b.getPtrTy()},
                      {b.CreateConstGEP1_64(b.getInt8Ty(), from, at),
                       b.getInt32(write), b.getInt32(2), b.getInt32(1)});
  }
}

void Nest::fetchFar(tile::LoadViewOp load, const Access &access,
                    const Index &index) {
  // Where the output stays in the caches, so may what is read.
  if (!(streaming || reduces) || load.getResult().getType().getRank() != 1 ||
      !index.lanes || index.lanes != lanes || access.mask || access.same ||
      access.vectorOfPointers || levelOf(index) + 1 != levels.size()) {
    return;
  }
  bool isOnce = false;
  emitAt({}, [&]() -> Value * {
    isOnce = l.readsOnce(load, number);
    return nullptr;
  });
  if (isOnce) {
    fetch(b.CreateConstGEP1_64(b.getInt8Ty(), access.pointer, FarAhead),
          index.lanes *
              tile::storageBytes(load.getResult().getType().getElementType()),
          false);
  }
}

void Nest::fetchAhead(tile::LoadViewOp load, const Index &index) {
  if (!isRow(load) || !index.lanes || index.lanes != lanes ||
      levelOf(index) + 1 != levels.size() || isOutside()) {
    return;
  }
  // In the first iteration memory gives this program's row. What will be
  // written is asked for in the second, the next row in the last, if that is
  // another.
  const auto [iteration, loads] = l.readingOf(load, number);
  const bool wantsOutput = iteration == 1;
  const bool wantsNext = iteration == std::max(loads, 2u) - 1;
  if (!wantsOutput && !wantsNext) {
    return;
  }
  mlir::Value view = load.getView();
  auto *unit = dyn_cast<ConstantInt>(l.view(view).strides[0]);
  if (!unit || !unit->isOne()) {
    return;
  }
  SmallVector<RowAhead> rows;
  Value *next = emitAt({}, [&] { return l.distance(view, view, true); });
  if (next && wantsNext) {
    rows.push_back({next, nullptr, false});
  }
  for (tile::StoreViewOp output : wantsOutput
                                      ? l.rowsWrittenAfter(load)
                                      : SmallVector<tile::StoreViewOp>()) {
    if (Value *out = emitAt(
            {}, [&] { return l.distance(view, output.getView(), false); })) {
      rows.push_back(outputAhead(view, output, out, next));
    }
  }
  if (rows.empty()) {
    return;
  }
  const bool checks = std::exchange(unchecked, true);
  Access access = viewAccess(view, load.getOffsets(), load.getChecked(), index);
  unchecked = checks;
  const uint64_t bytes =
      index.lanes *
      tile::storageBytes(load.getResult().getType().getElementType());
  for (const RowAhead &other : rows) {
    Value *row = b.CreateGEP(b.getInt8Ty(), access.pointer, other.away);
    if (other.isNone) {
      row = b.CreateSelect(other.isNone, l.arenaAddress(0), row);
    }
    fetch(row, bytes, other.write);
  }
}

/// Lines that will be written past the caches are left alone. While they are
/// written memory is busy, so the next row is asked for in their place, if it
/// is not this one, as it is for the programs of a second axis.
Nest::RowAhead Nest::outputAhead(mlir::Value view, tile::StoreViewOp output,
                                 Value *out, Value *next) {
  RowAhead row{out, nullptr, true};
  auto at = [&](function_ref<Value *()> emit) { return emitAt({}, emit); };
  Value *isLarge = at([&] { return l.writesLargeOutput(output); });
  if (!isLarge) {
    return row;
  }
  // As for the store: where a row begins with a whole line.
  Value *isStreamed = at([&] {
    Value *begin =
        b.CreateAdd(b.CreatePtrToInt(l.view(view).base, b.getInt64Ty()), out);
    Value *low = b.CreateAnd(begin, b.getInt64(Line - 1));
    return b.CreateAnd(isLarge, b.CreateICmpEQ(low, b.getInt64(0)));
  });
  if (!next) {
    row.isNone = isStreamed;
    return row;
  }
  row.away = at([&] { return b.CreateSelect(isStreamed, next, out); });
  row.isNone = at([&] { return b.CreateICmpEQ(row.away, b.getInt64(0)); });
  return row;
}

} // namespace tz::cpu
