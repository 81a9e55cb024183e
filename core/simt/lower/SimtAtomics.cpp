//===- SimtAtomics.cpp - atomic operations --------------------------------===//
//
// What   One atomic per element, in the thread that owns it; a scalar's in the
//        first thread of the block. Who holds a copy is told the old value.
// Why    An atomic acts once per active lane of the tile, however many threads
//        hold the lane.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Vectors.h"
#include "core/simt/lower/KernelLowering.h"

#include "terrazzo/lowering/Atomics.h"
#include "terrazzo/plugin/Error.h"

using namespace llvm;

namespace tz::simt {

/// LLVM's atomics have no predicate.
Registers KernelLowering::guarded(Value *predicate,
                                  function_ref<Value *()> one) {
  if (!predicate) {
    return {one()};
  }
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *then = block("atomic.lane"), *after = block("atomic.after");
  b.CreateCondBr(predicate, then, after);
  b.SetInsertPoint(then);
  Value *old = one();
  BasicBlock *end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  PHINode *seen = b.CreatePHI(old->getType(), 2);
  seen->addIncoming(old, end);
  seen->addIncoming(Constant::getNullValue(old->getType()), before);
  return {seen};
}

/// One atomic in the first thread; all are told what was there before.
void KernelLowering::atomicScalar(mlir::Value result, mlir::Value mask,
                                  AtomicStep step) {
  mlir::Type element = result.getType();
  Value *first = b.CreateICmpEQ(thread, b.getInt32(0));
  Value *predicate = mask ? b.CreateAnd(first, scalar(mask)) : first;
  Value *old = step(0, predicate)[0];
  if (result.use_empty()) {
    define(result, old);
    return;
  }
  Region region = allocate(16);
  Value *at = b.getInt32(0);
  willWrite(region);
  emitIf(first, [&] { scratchStore(region, at, old, element); });
  willRead(region);
  define(result, scratchLoad(region, at, element));
  scratch.release(region);
}

static bool releases(tile::MemSem sem) {
  return sem == tile::MemSem::release || sem == tile::MemSem::acq_rel;
}
static bool acquires(tile::MemSem sem) {
  return sem == tile::MemSem::acquire || sem == tile::MemSem::acq_rel;
}

/// Behind an atomic, by all threads: what it acquired counts for bulk copies
/// that one of them begins.
static void publishAcquired(SimtHooks &hooks, IRBuilderBase &b,
                            tile::KernelOp kernel, tile::MemSem sem) {
  auto copies = [&] {
    return kernel
        ->walk([](BulkCopyOp) { return mlir::WalkResult::interrupt(); })
        .wasInterrupted();
  };
  if (acquires(sem) && copies()) {
    hooks.publishAccesses(b);
  }
}

/// Does this thread act for the element of a register? Null: yes.
Value *KernelLowering::activeIn(LayoutAttr attribute, mlir::Value mask,
                                unsigned reg) {
  if (isCopy(attribute.getValue(), reg)) {
    return b.getFalse();
  }
  Value *owner = coordinatesOf(attribute).isOwner;
  Value *own = mask ? tile(mask)[reg] : nullptr;
  return !owner ? own : own ? b.CreateAnd(own, owner) : owner;
}

/// `width` elements at a time. Order is a matter of the tile, not of each
/// element: barriers (Accesses::of) stand around all of them, and a fence on
/// each side that the order speaks of. Threads without an element need none: a
/// barrier is between them and those that have one.
void KernelLowering::atomicTile(mlir::Value result, mlir::Value mask,
                                unsigned width, tile::MemSem sem,
                                tile::MemScope scope, AtomicStep step) {
  LayoutAttr attribute = layoutAttr(result.getType());
  const Layout &layout = attribute.getValue();
  Value *owner = coordinatesOf(attribute).isOwner;
  const bool isOne = layout.size(Axis::Register) == 1;
  Value *active = isOne ? activeIn(attribute, mask, 0) : owner;
  auto fence = [&] {
    if (active) {
      emitIf(active, [&] { hooks.fence(b, scope); });
    } else {
      hooks.fence(b, scope);
    }
  };
  if (releases(sem)) {
    fence();
  }
  Registers registers;
  for (unsigned reg = 0; reg < layout.size(Axis::Register); reg += width) {
    llvm::append_range(registers, step(reg, activeIn(attribute, mask, reg)));
  }
  if (acquires(sem)) {
    fence();
  }
  if (owner && !result.use_empty()) {
    registers = fromOwners(attribute, tile::elementType(result.getType()),
                           tile::shapeOf(result.getType()), registers);
  }
  define(result, std::move(registers));
}

/// Elements of 16 bits that may lie beside each other in a word of memory: in
/// two registers of a thread, or in two lanes.
KernelLowering::Neighbours
KernelLowering::neighboursOf(mlir::Value tile) const {
  const Layout &layout = layoutAttr(tile.getType()).getValue();
  auto isStep = [&](Axis axis) {
    const auto bases = layout.bases(axis);
    return !bases.empty() && llvm::count(bases[0], 1) == 1 &&
           llvm::count(bases[0], 0) == int64_t(bases[0].size()) - 1;
  };
  return isStep(Axis::Register) ? Neighbours::Registers
         : isStep(Axis::Lane)   ? Neighbours::Lanes
                                : Neighbours::None;
}

/// An instruction that updates one element of 16 bits of a word has to try
/// until nobody else does; one that updates the whole word does not. Where two
/// elements turn out to be one word, they are updated together.
void KernelLowering::atomicPair(const AtomicUpdate &update, AtomicLane one,
                                AtomicLane two, bool isLane) {
  auto *i32 = b.getInt32Ty();
  Value *address = b.CreatePtrToInt(one.pointer, b.getInt64Ty());
  Value *other = b.CreatePtrToInt(two.pointer, b.getInt64Ty());
  // The halves of one word differ in this bit alone.
  Value *areOne = b.CreateICmpEQ(b.CreateXor(address, other), b.getInt64(2));
  for (Value *predicate : {one.predicate, two.predicate}) {
    areOne = predicate ? b.CreateAnd(areOne, predicate) : areOne;
  }
  Value *isLow = b.CreateICmpEQ(b.CreateAnd(b.CreateTrunc(address, i32), 2),
                                b.getInt32(0));
  Value *low = b.CreateSelect(isLow, one.value, two.value);
  Value *high = b.CreateSelect(isLow, two.value, one.value);
  Value *pointer = b.CreateSelect(isLow, one.pointer, two.pointer);
  // Of two lanes the first does it.
  Value *does = isLane ? b.CreateAnd(areOne, isLow) : areOne;
  hooks.atomic(b, update, pointer, {low, high}, does);
  Value *areTwo = b.CreateNot(areOne);
  SmallVector<AtomicLane, 2> mine = {one};
  if (!isLane) {
    mine.push_back(two);
  }
  for (const AtomicLane &each : mine) {
    hooks.atomic(b, update, each.pointer, {each.value},
                 each.predicate ? b.CreateAnd(areTwo, each.predicate) : areTwo);
  }
}

/// The same of the lane beside this one.
KernelLowering::AtomicLane
KernelLowering::besideInWarp(const AtomicLane &mine) {
  auto *i32 = b.getInt32Ty();
  auto of = [&](Value *word) { return hooks.shuffleXor(b, word, 1); };
  Value *address = b.CreatePtrToInt(mine.pointer, b.getInt64Ty());
  Value *low = b.CreateTrunc(address, i32);
  if (mine.predicate) { // an odd address is no half of a word
    low = b.CreateSelect(mine.predicate, low, b.getInt32(1));
  }
  Value *high = of(b.CreateTrunc(b.CreateLShr(address, 32), i32));
  low = of(low);
  Type *type = mine.value->getType();
  Value *bits = b.CreateZExt(b.CreateBitCast(mine.value, b.getInt16Ty()), i32);
  Value *value = b.CreateBitCast(b.CreateTrunc(of(bits), b.getInt16Ty()), type);
  address = b.CreateOr(b.CreateZExt(low, b.getInt64Ty()),
                       b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32));
  return {b.CreateIntToPtr(address, mine.pointer->getType()), value, nullptr};
}

void KernelLowering::atomicRmw(tile::AtomicRMWOp op) {
  const bool isTile = isa<mlir::RankedTensorType>(op.getResult().getType());
  mlir::Type element = tile::elementType(op.getResult().getType());
  const tile::MemSem sem = isTile ? tile::MemSem::relaxed : op.getSem();
  const AtomicUpdate update{op.getKind(), element, sem, op.getScope(),
                            !op.getResult().use_empty()};
  unsigned width = hooks.atomicWidth(update);
  if (width > 1) {
    width = isTile
                ? std::min(width,
                           unsigned(vectorOfPointers(runs, op.getPointer(),
                                                     op.getMask(),
                                                     layoutOf(op.getResult()),
                                                     hooks.vectorBytes())
                                        .count))
                : 1;
  }
  Neighbours neighbours = Neighbours::None;
  if (isTile && width == 1 && tile::storageBytes(element) == 2 &&
      hooks.atomicWidth(update) > 1) {
    neighbours = neighboursOf(op.getResult());
    width = neighbours == Neighbours::Registers ? 2 : 1;
  }
  auto get = [&](mlir::Value value, unsigned reg) {
    return isTile ? tile(value)[reg] : scalar(value);
  };
  auto lane = [&](unsigned reg, Value *predicate) -> AtomicLane {
    return {get(op.getPointer(), reg), get(op.getValue(), reg), predicate};
  };
  auto step = [&](unsigned reg, Value *predicate) -> Registers {
    Value *pointer = get(op.getPointer(), reg);
    if (neighbours == Neighbours::Lanes) {
      const AtomicLane mine = lane(reg, predicate);
      atomicPair(update, mine, besideInWarp(mine), /*isLane=*/true);
      return {Constant::getNullValue(mine.value->getType())};
    }
    if (neighbours == Neighbours::Registers) {
      mlir::Value result = op.getResult();
      atomicPair(update, lane(reg, predicate),
                 lane(reg + 1, activeIn(layoutAttr(result.getType()),
                                        op.getMask(), reg + 1)),
                 /*isLane=*/false);
      return Registers(
          2, Constant::getNullValue(get(op.getValue(), reg)->getType()));
    }
    if (width != 0) {
      Registers values;
      for (unsigned i = 0; i < width; ++i) {
        values.push_back(get(op.getValue(), reg + i));
      }
      return hooks.atomic(b, update, pointer, values, predicate);
    }
    return guarded(predicate, [&] {
      return lowering::emitAtomicUpdate(
          b, *arithmetic, op.getKind(), pointer, get(op.getValue(), reg),
          element, {sem, hooks.syncScope(op.getScope()), true});
    });
  };
  if (isTile) {
    atomicTile(op.getResult(), op.getMask(), std::max(width, 1u), op.getSem(),
               op.getScope(), step);
  } else {
    atomicScalar(op.getResult(), op.getMask(), step);
  }
  publishAcquired(hooks, b, kernel, op.getSem());
}

void KernelLowering::atomicCas(tile::AtomicCASOp op) {
  const bool isTile = isa<mlir::RankedTensorType>(op.getResult().getType());
  mlir::Type element = tile::elementType(op.getResult().getType());
  const tile::MemSem sem = isTile ? tile::MemSem::relaxed : op.getSem();
  auto step = [&](unsigned reg, Value *predicate) -> Registers {
    auto get = [&](mlir::Value value) {
      return isTile ? tile(value)[reg] : scalar(value);
    };
    return guarded(predicate, [&] {
      return lowering::emitCompareExchange(
          b, *arithmetic, get(op.getPointer()), get(op.getCompare()),
          get(op.getValue()), element, {sem, hooks.syncScope(op.getScope())});
    });
  };
  if (isTile) {
    atomicTile(op.getResult(), {}, 1, op.getSem(), op.getScope(), step);
  } else {
    atomicScalar(op.getResult(), {}, step);
  }
  publishAcquired(hooks, b, kernel, op.getSem());
}

//===----------------------------------------------------------------------===//
// What a target may do better
//===----------------------------------------------------------------------===//

void SimtHooks::fence(IRBuilderBase &b, tile::MemScope scope) {
  b.CreateFence(AtomicOrdering::AcquireRelease,
                b.getContext().getOrInsertSyncScopeID(syncScope(scope)));
}

SmallVector<Value *> SimtHooks::atomic(IRBuilderBase &, const AtomicUpdate &,
                                       Value *, ArrayRef<Value *>, Value *) {
  throw plugin::Failure(TZ_E_INTERNAL, "atomicWidth() promised an instruction");
}

} // namespace tz::simt
