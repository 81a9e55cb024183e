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

/// `width` elements at a time. Order is a matter of the tile, not of each
/// element: barriers (Accesses::of) stand around all of them, and a fence on
/// each side that the order speaks of.
void KernelLowering::atomicTile(mlir::Value result, mlir::Value mask,
                                unsigned width, tile::MemSem sem,
                                tile::MemScope scope, AtomicStep step) {
  LayoutAttr attribute = layoutAttr(result.getType());
  const Layout &layout = attribute.getValue();
  Value *owner = coordinatesOf(attribute).isOwner;
  if (releases(sem)) {
    hooks.fence(b, scope);
  }
  Registers registers;
  for (unsigned reg = 0; reg < layout.size(Axis::Register); reg += width) {
    Value *predicate = mask ? tile(mask)[reg] : nullptr;
    predicate = !owner      ? predicate
                : predicate ? b.CreateAnd(predicate, owner)
                            : owner;
    if (isCopy(layout, reg)) {
      predicate = b.getFalse();
    }
    llvm::append_range(registers, step(reg, predicate));
  }
  if (acquires(sem)) {
    hooks.fence(b, scope);
  }
  if (owner && !result.use_empty()) {
    registers = fromOwners(attribute, tile::elementType(result.getType()),
                           tile::shapeOf(result.getType()), registers);
  }
  define(result, std::move(registers));
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
  auto get = [&](mlir::Value value, unsigned reg) {
    return isTile ? tile(value)[reg] : scalar(value);
  };
  auto step = [&](unsigned reg, Value *predicate) -> Registers {
    Value *pointer = get(op.getPointer(), reg);
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
