//===- CpuAtomics.cpp - Atomic operations ---------------------------------===//
//
// What   tile.atomic_rmw and tile.atomic_cas, lane after lane; sums of floats
//        also 16 bytes at a time.
// Why    One element is the shared lowering's (terrazzo/lowering/Atomics.h). A
//        sum of floats is a loop of compare-exchange, whose cost is that of the
//        locked instruction: one for 16 bytes is hardly dearer than for 4.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"

#include "terrazzo/lowering/Atomics.h"

using namespace llvm;

namespace tz::cpu {

/// The dimension along which this sum of floats has neighbours at neighbouring
/// addresses, so that 16 bytes of them may be one. -1: none.
static int dimensionOfSums(const CpuLowering &l, tile::AtomicRMWOp op) {
  auto type = dyn_cast<mlir::RankedTensorType>(op.getResult().getType());
  if (!type || !op.getResult().use_empty() ||
      op.getKind() != tile::AtomicKind::fadd) {
    return -1;
  }
  int dim = -1;
  for (auto [d, extent] : llvm::enumerate(type.getShape())) {
    dim = extent > 1 ? static_cast<int>(d) : dim;
  }
  const int64_t count = 16 / tile::storageBytes(type.getElementType());
  return dim >= 0 && type.getDimSize(static_cast<unsigned>(dim)) % count == 0 &&
                 Nest::strideOf(l, op.getPointer(), dim) ==
                     std::optional<int64_t>(1)
             ? dim
             : -1;
}

/// Adds `amount`, a vector of 16 bytes in memory, to what lies at `pointer`.
void CpuLowering::addTogether(tile::AtomicRMWOp op, Value *pointer,
                              Value *amount, mlir::Type element) {
  const AtomicOrdering order = lowering::orderOf(op.getSem());
  const auto lanes = cast<FixedVectorType>(amount->getType())->getNumElements();
  auto *memory = FixedVectorType::get(memoryType(element), lanes);
  Type *i64 = b.getInt64Ty(), *i128 = b.getInt128Ty();
  mlir::Type f32 = mlir::Float32Type::get(element.getContext());
  mlir::Type wide = tile::storageBytes(element) < 4 ? f32 : element;
  amount = convertFloat(amount, element, wide);
  // Two halves may be of two moments: the exchange tells.
  Value *start = Constant::getNullValue(FixedVectorType::get(i64, 2));
  for (uint64_t part : {0, 1}) {
    LoadInst *half = b.CreateAlignedLoad(
        i64, b.CreateConstGEP1_64(i64, pointer, part), Align(8));
    half->setAtomic(AtomicOrdering::Monotonic);
    start = b.CreateInsertElement(start, half, part);
  }
  start = b.CreateBitCast(start, i128);
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *loop = block("sums"), *done = block("sums.done");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *old = b.CreatePHI(i128, 2);
  old->addIncoming(start, before);
  Value *now = fromMemory(b.CreateBitCast(old, memory), element);
  Value *next = b.CreateFAdd(convertFloat(now, element, wide), amount);
  next = toMemory(convertFloat(next, wide, element), element);
  AtomicCmpXchgInst *swap = b.CreateAtomicCmpXchg(
      pointer, old, b.CreateBitCast(next, i128), Align(16), order,
      AtomicCmpXchgInst::getStrongestFailureOrdering(order));
  old->addIncoming(b.CreateExtractValue(swap, 0), b.GetInsertBlock());
  b.CreateCondBr(b.CreateExtractValue(swap, 1), done, loop);
  b.SetInsertPoint(done);
}

/// A sum of floats along `dim`: together where 16 bytes are aligned and no lane
/// is masked off, one by one elsewhere.
void CpuLowering::atomicSums(tile::AtomicRMWOp op, int dim) {
  auto type = cast<mlir::RankedTensorType>(op.getResult().getType());
  mlir::Type element = type.getElementType();
  const uint64_t bytes = tile::storageBytes(element);
  const auto count = static_cast<unsigned>(16 / bytes);
  Nest nest(*this, type.getShape(),
            {op.getPointer(), op.getValue(), op.getMask()});
  auto some = [&](const Index &index) {
    Value *pointer = nest.eval(op.getPointer(), index.scalar());
    Value *value = nest.eval(op.getValue(), index);
    Value *mask = op.getMask() ? nest.eval(op.getMask(), index) : nullptr;
    Value *together = b.CreateICmpEQ(
        b.CreateAnd(b.CreatePtrToInt(pointer, b.getInt64Ty()), b.getInt64(15)),
        b.getInt64(0));
    if (mask) {
      together = b.CreateAnd(together, b.CreateAndReduce(mask));
    }
    auto one = [&](unsigned lane) {
      Value *at = b.CreateConstGEP1_64(memoryType(element), pointer, lane);
      checkAccess(op, op.getPointer(), at, nullptr, element, 0);
      lowering::emitAtomicUpdate(b, arithmetic, op.getKind(), at,
                                 b.CreateExtractElement(value, lane), element,
                                 {op.getSem()});
    };
    emitIf(
        together,
        [&] {
          checkAccess(op, op.getPointer(), pointer, nullptr, element, count);
          addTogether(op, pointer, value, element);
        },
        [&] {
          for (unsigned lane = 0; lane < count; ++lane) {
            if (mask) {
              emitIf(b.CreateExtractElement(mask, lane), [&] { one(lane); });
            } else {
              one(lane);
            }
          }
        });
  };
  auto rest = [&](auto &self, const Index &outer, unsigned d) -> void {
    if (d == nest.shape.size()) {
      some(outer);
      return;
    }
    Index index = outer;
    const bool along = static_cast<int>(d) == dim;
    nest.loop(index, d, 0, nest.shape[d], along ? count : 0,
              [&](const Index &inner) { self(self, inner, d + 1); });
  };
  nest.versions([&] { rest(rest, nest.origin(), 0); });
}

void CpuLowering::atomicRmwOp(tile::AtomicRMWOp op) {
  if (int dim = dimensionOfSums(*this, op); dim >= 0) {
    atomicSums(op, dim);
    return;
  }
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
