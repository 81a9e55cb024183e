//===- CpuAtomics.cpp - Atomic operations ---------------------------------===//
//
// What   tile.atomic_rmw and tile.atomic_cas, lane after lane.
// Why    One element is the shared lowering's (terrazzo/lowering/Atomics.h).
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"

#include "terrazzo/lowering/Atomics.h"

using namespace llvm;

namespace tz::cpu {

void CpuLowering::atomicRmwOp(tile::AtomicRMWOp op) {
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
      checkAccess(op, op.getPointer(), pointer, nullptr, element, 0);
      b.CreateStore(lowering::emitAtomicUpdate(b, arithmetic, op.getKind(),
                                               pointer, value, element,
                                               {op.getSem()}),
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

void CpuLowering::atomicCasOp(tile::AtomicCASOp op) {
  mlir::Type tileType = op.getResult().getType();
  mlir::Type element = tile::elementType(tileType);
  const bool isTile = isa<mlir::RankedTensorType>(tileType);
  Buffer result;
  Nest nest(*this, tile::shapeOf(tileType),
            {op.getPointer(), op.getCompare(), op.getValue()},
            /*vectors=*/false);
  if (isTile) {
    result = allocateFor(op.getResult());
  }
  nest.run([&](const Index &index) {
    Value *pointer = nest.eval(op.getPointer(), index);
    checkAccess(op, op.getPointer(), pointer, nullptr, element, 0);
    Value *old = lowering::emitCompareExchange(
        b, arithmetic, pointer, nest.eval(op.getCompare(), index),
        nest.eval(op.getValue(), index), element, {op.getSem()});
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
