//===- Atomics.cpp - atomic operations ------------------------------------===//
//
// What   One atomic per element, in the thread that owns it; a scalar's in the
//        first thread of the block. Who holds a copy is told the old value.
// Why    An atomic acts once per active lane of the tile, however many threads
//        hold the lane.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/Atomics.h"

#include "core/simt/lower/Lowering.h"

using namespace llvm;

namespace tz::simt {

/// `one(reg, pointer)` gives the old value; for a scalar reg is 0.
void Lowering::atomicAll(mlir::Operation *op, mlir::Value pointers,
                         mlir::Value mask,
                         function_ref<Value *(unsigned, Value *)> one) {
  mlir::Value wanted = op->getResult(0);
  mlir::Type element = tile::elementType(wanted.getType());
  Type *type = registerType(element);
  auto guarded = [&](Value *predicate, unsigned reg,
                     Value *pointer) -> Value * {
    if (!predicate) {
      return one(reg, pointer);
    }
    BasicBlock *before = b.GetInsertBlock();
    BasicBlock *then = block("atomic.lane"), *after = block("atomic.after");
    b.CreateCondBr(predicate, then, after);
    b.SetInsertPoint(then);
    Value *old = one(reg, pointer);
    BasicBlock *end = b.GetInsertBlock();
    b.CreateBr(after);
    b.SetInsertPoint(after);
    PHINode *seen = b.CreatePHI(type, 2);
    seen->addIncoming(old, end);
    seen->addIncoming(Constant::getNullValue(type), before);
    return seen;
  };
  if (!isa<mlir::RankedTensorType>(wanted.getType())) {
    Value *predicate = b.CreateICmpEQ(thread, b.getInt32(0));
    if (mask) {
      predicate = b.CreateAnd(predicate, scalar(mask));
    }
    // Orders what the block did before it, and after it (O1).
    synchronize();
    Value *old = guarded(predicate, 0, scalar(pointers));
    Region region = allocate(16);
    Value *at = b.getInt32(0);
    emitIf(b.CreateICmpEQ(thread, b.getInt32(0)),
           [&] { scratchStore(region, at, old, element); });
    synchronize();
    hazards.note(Accesses::read(region));
    define(wanted, scratchLoad(region, at, element));
    scratch.release(region);
    return;
  }
  LayoutAttr attribute = layoutAttr(wanted.getType());
  const Layout &layout = attribute.getValue();
  Value *owner = coordinatesOf(attribute).isOwner;
  const Registers addresses = tile(pointers);
  Registers registers;
  for (unsigned reg = 0; reg < addresses.size(); ++reg) {
    Value *predicate = mask ? tile(mask)[reg] : nullptr;
    predicate = !owner      ? predicate
                : predicate ? b.CreateAnd(predicate, owner)
                            : owner;
    if (isCopy(layout, reg)) {
      predicate = b.getFalse();
    }
    registers.push_back(guarded(predicate, reg, addresses[reg]));
  }
  if (owner && !wanted.use_empty()) {
    registers = fromOwners(attribute, element, tile::shapeOf(wanted.getType()),
                           registers);
  }
  define(wanted, std::move(registers));
}

void Lowering::atomicRmw(tile::AtomicRMWOp op) {
  const bool isTile = isa<mlir::RankedTensorType>(op.getResult().getType());
  mlir::Type element = tile::elementType(op.getResult().getType());
  atomicAll(op, op.getPointer(), op.getMask(),
            [&](unsigned reg, Value *pointer) {
              Value *value =
                  isTile ? tile(op.getValue())[reg] : scalar(op.getValue());
              return lowering::emitAtomicUpdate(
                  b, *arithmetic, op.getKind(), pointer, value, element,
                  {op.getSem(), hooks.syncScope(op.getScope())});
            });
}

void Lowering::atomicCas(tile::AtomicCASOp op) {
  const bool isTile = isa<mlir::RankedTensorType>(op.getResult().getType());
  mlir::Type element = tile::elementType(op.getResult().getType());
  atomicAll(op, op.getPointer(), {}, [&](unsigned reg, Value *pointer) {
    auto get = [&](mlir::Value value) {
      return isTile ? tile(value)[reg] : scalar(value);
    };
    return lowering::emitCompareExchange(
        b, *arithmetic, pointer, get(op.getCompare()), get(op.getValue()),
        element, {op.getSem(), hooks.syncScope(op.getScope())});
  });
}

} // namespace tz::simt
