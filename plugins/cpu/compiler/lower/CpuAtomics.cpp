//===- CpuAtomics.cpp - Atomic operations ---------------------------------===//
//
// What   tile.atomic_rmw and tile.atomic_cas, lane after lane; sums of floats
//        also 16 bytes at a time; and plain code for when nobody else is there.
// Why    One element is the shared lowering's (terrazzo/lowering/Atomics.h). A
//        sum of floats is a loop of compare-exchange, whose cost is that of the
//        locked instruction: one for 16 bytes is hardly dearer than for 4. If
//        one thread runs the launch, and no other one has atomics, the device
//        half says so (tz_cpu_run.alone): then nothing needs a lock.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"

#include "terrazzo/lowering/Atomics.h"

using namespace llvm;

namespace tz::cpu {

/// The innermost dimension of more than one element; -1: none.
static int lastDimension(mlir::RankedTensorType tile) {
  int dim = -1;
  for (int64_t d = 0; tile && d < tile.getRank(); ++d) {
    dim = tile.getDimSize(static_cast<unsigned>(d)) > 1 ? int(d) : dim;
  }
  return dim;
}

/// May 16 bytes of this sum's neighbours along `dim` be one?
static bool mayBePacked(tile::AtomicRMWOp op, mlir::RankedTensorType tile,
                        int dim) {
  const int64_t count = 16 / tile::storageBytes(tile.getElementType());
  return op.getKind() == tile::AtomicKind::fadd &&
         tile.getDimSize(static_cast<unsigned>(dim)) % count == 0;
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

/// Calls `body` for all elements, in vectors of `lanes` along `dim`.
static void forEach(Nest &nest, int dim, unsigned lanes,
                    function_ref<void(const Index &)> body) {
  auto rest = [&](auto &self, const Index &outer, unsigned d) -> void {
    if (d == nest.shape.size()) {
      body(outer);
      return;
    }
    Index index = outer;
    const bool along = static_cast<int>(d) == dim;
    nest.loop(index, d, 0, nest.shape[d], along ? lanes : 0,
              [&](const Index &inner) { self(self, inner, d + 1); });
  };
  rest(rest, nest.origin(), 0);
}

/// A sum of floats along `dim`: together where 16 bytes are aligned and no lane
/// is masked off, one by one elsewhere.
void CpuLowering::lockedSums(tile::AtomicRMWOp op, Nest &nest, int dim) {
  mlir::Type element = tile::elementType(op.getResult().getType());
  const uint64_t bytes = tile::storageBytes(element);
  const auto count = static_cast<unsigned>(16 / bytes);
  forEach(nest, dim, count, [&](const Index &index) {
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
  });
}

/// One element after the other. `result`: null, or of the old values.
void CpuLowering::lockedUpdates(tile::AtomicRMWOp op, Nest &nest,
                                const Buffer *result) {
  mlir::Type element = tile::elementType(op.getResult().getType());
  forEach(nest, -1, 0, [&](const Index &index) {
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
    if (result) {
      nest.storeTo(*result, index, b.CreateLoad(type(element), old));
    } else if (!op.getResult().use_empty()) {
      scalars[op.getResult()] = b.CreateLoad(type(element), old);
    }
  });
}

/// The same where no other thread has atomics, with plain instructions.
void CpuLowering::plainUpdates(tile::AtomicRMWOp op, Nest &nest,
                               const Buffer *result) {
  mlir::Type element = tile::elementType(op.getResult().getType());
  const Align align(tile::storageBytes(element));
  auto some = [&](const Index &index) {
    // Vectors are neighbours, which begin at the first lane's address.
    Value *pointer = nest.eval(op.getPointer(), index.scalar());
    Value *value = nest.eval(op.getValue(), index);
    Value *mask = op.getMask() ? nest.eval(op.getMask(), index) : nullptr;
    Value *lanesMask = index.lanes ? mask : nullptr;
    Type *memory = memoryType(element);
    memory = index.lanes ? FixedVectorType::get(memory, index.lanes) : memory;
    AllocaInst *old = result ? slot(type(element)) : nullptr;
    auto update = [&] {
      checkAccess(op, op.getPointer(), pointer, lanesMask, element,
                  index.lanes);
      Value *now = lanesMask ? static_cast<Value *>(b.CreateMaskedLoad(
                                   memory, pointer, align, lanesMask,
                                   Constant::getNullValue(memory)))
                             : b.CreateAlignedLoad(memory, pointer, align);
      now = fromMemory(now, element);
      Value *next = toMemory(
          lowering::updated(b, arithmetic, op.getKind(), now, value, element),
          element);
      if (lanesMask) {
        b.CreateMaskedStore(next, pointer, align, lanesMask);
      } else {
        b.CreateAlignedStore(next, pointer, align);
      }
      if (old) {
        b.CreateStore(now, old);
      }
    };
    if (old) {
      b.CreateStore(Constant::getNullValue(type(element)), old);
    }
    if (mask && !lanesMask) {
      emitIf(mask, update);
    } else {
      update();
    }
    if (old) {
      nest.storeTo(*result, index, b.CreateLoad(type(element), old));
    }
  };
  auto rest = [&](auto &self, const Index &outer, unsigned d) -> void {
    if (d == nest.shape.size()) {
      some(outer);
      return;
    }
    Index index = outer;
    nest.whole(index, d, [&](const Index &inner) { self(self, inner, d + 1); });
  };
  rest(rest, nest.origin(), 0);
}

void CpuLowering::atomicRmwOp(tile::AtomicRMWOp op) {
  auto tile = dyn_cast<mlir::RankedTensorType>(op.getResult().getType());
  const bool isWanted = !op.getResult().use_empty();
  const int dim = lastDimension(tile);
  const bool areNeighbours =
      dim >= 0 && !isWanted &&
      Nest::strideOf(*this, op.getPointer(), dim) == std::optional<int64_t>(1);
  const bool isPacked = areNeighbours && mayBePacked(op, tile, dim);
  // One update a program is not worth a second version.
  const bool mayBePlain =
      alone && tile && op.getScope() != tile::MemScope::system;
  Nest nest(*this, tile::shapeOf(op.getResult().getType()),
            {op.getPointer(), op.getValue(), op.getMask()},
            /*vectors=*/isPacked || (areNeighbours && mayBePlain));
  std::optional<Buffer> result;
  if (tile && isWanted) {
    result = allocateFor(op.getResult());
  }
  const Buffer *to = result ? &*result : nullptr;
  nest.split(mayBePlain ? alone : nullptr);
  nest.versions([&] {
    if (nest.isSplit()) {
      plainUpdates(op, nest, to);
    } else if (isPacked) {
      lockedSums(op, nest, dim);
    } else {
      lockedUpdates(op, nest, to);
    }
  });
  if (result) {
    define(op.getResult(), *result);
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
