//===- Atomics.cpp - Atomic operations ------------------------------------===//
//
// What   tile.atomic_rmw and tile.atomic_cas, lane after lane.
// Why    Integers have instructions of their own; floats and P11 (a NaN changes
//        nothing in fmax and fmin) are loops of compare-exchange.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"
#include "plugins/cpu/compiler/math/Math.h"

using namespace llvm;

namespace tz::cpu {

namespace {

AtomicOrdering orderOf(tile::MemSem sem) {
  switch (sem) {
  case tile::MemSem::relaxed:
    return AtomicOrdering::Monotonic;
  case tile::MemSem::acquire:
    return AtomicOrdering::Acquire;
  case tile::MemSem::release:
    return AtomicOrdering::Release;
  case tile::MemSem::acq_rel:
    return AtomicOrdering::AcquireRelease;
  }
  return AtomicOrdering::AcquireRelease;
}

AtomicOrdering failureOf(AtomicOrdering order) {
  return AtomicCmpXchgInst::getStrongestFailureOrdering(order);
}

std::optional<AtomicRMWInst::BinOp> integerOp(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::add:
    return AtomicRMWInst::Add;
  case tile::AtomicKind::max:
    return AtomicRMWInst::Max;
  case tile::AtomicKind::min:
    return AtomicRMWInst::Min;
  case tile::AtomicKind::umax:
    return AtomicRMWInst::UMax;
  case tile::AtomicKind::umin:
    return AtomicRMWInst::UMin;
  case tile::AtomicKind::and_:
    return AtomicRMWInst::And;
  case tile::AtomicKind::or_:
    return AtomicRMWInst::Or;
  case tile::AtomicKind::xor_:
    return AtomicRMWInst::Xor;
  case tile::AtomicKind::xchg:
    return AtomicRMWInst::Xchg;
  default:
    return std::nullopt;
  }
}

/// What an operation on i1 is on the byte that holds it; true is -1 where
/// numbers are signed.
tile::AtomicKind onBits(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::add:
    return tile::AtomicKind::xor_;
  case tile::AtomicKind::max:
  case tile::AtomicKind::umin:
    return tile::AtomicKind::and_;
  case tile::AtomicKind::min:
  case tile::AtomicKind::umax:
    return tile::AtomicKind::or_;
  default:
    return kind;
  }
}

} // namespace

/// The old value. Ends in another block than it began.
Value *Lowering::atomicUpdate(tile::AtomicKind kind, Value *pointer,
                              Value *value, mlir::Type element,
                              AtomicOrdering order) {
  Type *memory = memoryType(element);
  const unsigned bytes = tile::storageBytes(element);
  Type *bits = b.getIntNTy(bytes * 8);
  auto toBits = [&](Value *v) -> Value * {
    v = toMemory(v, element);
    return v->getType()->isPointerTy() ? b.CreatePtrToInt(v, bits)
                                       : b.CreateBitCast(v, bits);
  };
  auto fromBits = [&](Value *v) -> Value * {
    v = memory->isPointerTy() ? b.CreateIntToPtr(v, memory)
                              : b.CreateBitCast(v, memory);
    return fromMemory(v, element);
  };
  if (element.isInteger(1)) {
    kind = onBits(kind);
  }
  if (auto op = integerOp(kind)) {
    return fromBits(b.CreateAtomicRMW(*op, pointer, toBits(value),
                                      MaybeAlign(bytes), order));
  }
  mlir::Type f32 = mlir::Float32Type::get(element.getContext());
  mlir::Type wide = bytes < 4 ? f32 : element;
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *loop = block("atomic"), *done = block("atomic.done");
  Value *start = b.CreateAlignedLoad(bits, pointer, Align(bytes));
  cast<LoadInst>(start)->setAtomic(AtomicOrdering::Monotonic);
  Value *amount = convertFloat(value, element, wide);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *old = b.CreatePHI(bits, 2);
  old->addIncoming(start, before);
  Value *now = convertFloat(fromBits(old), element, wide);
  Value *next =
      kind == tile::AtomicKind::fadd
          ? b.CreateFAdd(now, amount)
          : lowering::emitMinMax(b, now, amount, kind == tile::AtomicKind::fmax,
                                 false);
  next = toBits(convertFloat(next, wide, element));
  AtomicCmpXchgInst *swap = b.CreateAtomicCmpXchg(
      pointer, old, next, MaybeAlign(bytes), order, failureOf(order));
  old->addIncoming(b.CreateExtractValue(swap, 0), loop);
  b.CreateCondBr(b.CreateExtractValue(swap, 1), done, loop);
  b.SetInsertPoint(done);
  return fromBits(old);
}

void Lowering::atomicRmwOp(tile::AtomicRMWOp op) {
  mlir::Type tileType = op.getResult().getType();
  mlir::Type element = tile::elementType(tileType);
  const bool isTile = isa<mlir::RankedTensorType>(tileType);
  Buffer result;
  const bool wanted = !op.getResult().use_empty();
  Nest nest(*this, tile::shapeOf(tileType),
            {op.getPointer(), op.getValue(), op.getMask()}, /*vectors=*/false);
  if (isTile && wanted) {
    result = allocateFor(op.getResult());
  }
  nest.run([&](const Index &index) {
    Value *pointer = nest.eval(op.getPointer(), index);
    Value *value = nest.eval(op.getValue(), index);
    Value *mask = op.getMask() ? nest.eval(op.getMask(), index) : nullptr;
    AllocaInst *old = slot(type(element));
    b.CreateStore(Constant::getNullValue(type(element)), old);
    auto update = [&] {
      b.CreateStore(atomicUpdate(op.getKind(), pointer, value, element,
                                 orderOf(op.getSem())),
                    old);
    };
    if (mask) {
      emitIf(mask, update);
    } else {
      update();
    }
    if (wanted) {
      Value *seen = b.CreateLoad(type(element), old);
      if (isTile) {
        nest.storeTo(result, index, seen);
      } else {
        scalars[op.getResult()] = seen;
      }
    }
  });
  if (isTile && wanted) {
    define(op.getResult(), result);
  }
}

void Lowering::atomicCasOp(tile::AtomicCASOp op) {
  mlir::Type tileType = op.getResult().getType();
  mlir::Type element = tile::elementType(tileType);
  const bool isTile = isa<mlir::RankedTensorType>(tileType);
  const unsigned bytes = tile::storageBytes(element);
  Type *bits = b.getIntNTy(bytes * 8);
  Type *memory = memoryType(element);
  Buffer result;
  Nest nest(*this, tile::shapeOf(tileType),
            {op.getPointer(), op.getCompare(), op.getValue()},
            /*vectors=*/false);
  if (isTile) {
    result = allocateFor(op.getResult());
  }
  auto toBits = [&](Value *v) -> Value * {
    v = toMemory(v, element);
    return v->getType()->isPointerTy() ? b.CreatePtrToInt(v, bits)
                                       : b.CreateBitCast(v, bits);
  };
  nest.run([&](const Index &index) {
    AtomicOrdering order = orderOf(op.getSem());
    Value *swap =
        b.CreateAtomicCmpXchg(nest.eval(op.getPointer(), index),
                              toBits(nest.eval(op.getCompare(), index)),
                              toBits(nest.eval(op.getValue(), index)),
                              MaybeAlign(bytes), order, failureOf(order));
    Value *old = b.CreateExtractValue(swap, 0);
    old = fromMemory(memory->isPointerTy() ? b.CreateIntToPtr(old, memory)
                                           : b.CreateBitCast(old, memory),
                     element);
    if (isTile) {
      nest.storeTo(result, index, old);
    } else {
      scalars[op.getResult()] = old;
    }
  });
  if (isTile) {
    define(op.getResult(), result);
  }
}

} // namespace tz::cpu
