//===- CpuAccess.cpp - Loads and stores of the user's memory --------------===//
//
// What   Addresses and masks of pointer tiles and views, and the loads and
//        stores made of them.
// Why    Neighbouring lanes at neighbouring addresses are one vector access;
//        all else is a gather or scatter, which LLVM takes apart where the
//        target has none.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/lower/Nest.h"

#include <numeric>

using namespace llvm;

namespace tz::cpu {

//===--- Halves -----------------------------------------------------------===//

bool Nest::tooWideToScatter(const Index &index) const {
  return index.lanes > 4 * l.machine.lanes(64);
}

Index Nest::half(const Index &index, bool high) {
  Index part = index;
  part.lanes = index.lanes / 2;
  if (high) {
    Value *&at = part.at[static_cast<size_t>(index.dim)];
    const bool isCounted = isAlongCounter(index);
    at = shifted(at, part.lanes);
    if (isCounted) {
      parts->halves.push_back(at);
    }
  }
  return part;
}

Value *Nest::inHalves(const Index &index,
                      function_ref<Value *(const Index &)> access) {
  Value *low = access(half(index, false)), *high = access(half(index, true));
  return emitAt({low, high}, [&] {
    SmallVector<int> all(index.lanes);
    std::iota(all.begin(), all.end(), 0);
    return b.CreateShuffleVector(low, high, all);
  });
}

void Nest::storeInParts(Value *value, const Index &index, bool contiguous,
                        function_ref<void(Value *, const Index &)> store) {
  if (contiguous || !tooWideToScatter(index)) {
    store(value, index);
    return;
  }
  for (bool high : {false, true}) {
    Index part = half(index, high);
    SmallVector<int> picks(part.lanes);
    std::iota(picks.begin(), picks.end(),
              high ? static_cast<int>(part.lanes) : 0);
    store(b.CreateShuffleVector(value, picks), part);
  }
}

bool Nest::isContiguous(mlir::Value pointer, const Index &index) {
  return strideHere(pointer, index.dim) == std::optional<int64_t>(1);
}

bool Nest::isContiguous(const ViewParts &parts, const Index &index) const {
  auto *unit = index.dim < 0
                   ? nullptr
                   : dyn_cast<ConstantInt>(
                         parts.strides[static_cast<size_t>(index.dim)]);
  return unit && unit->isOne();
}

//===--- Addresses --------------------------------------------------------===//

Nest::Access Nest::pointerAccess(mlir::Value pointer, mlir::Value mask,
                                 const Index &index) {
  Access access;
  std::optional<int64_t> stride = strideHere(pointer, index.dim);
  if (mask && stride && *stride == 0 && index.lanes && parts) {
    // The part may answer for the mask.
    auto *all = dyn_cast<Constant>(eval(mask, index));
    mask = all && all->isAllOnesValue() ? mlir::Value() : mask;
  }
  if (!index.lanes || (stride && *stride == 1)) {
    access.pointer = eval(pointer, index.scalar());
  } else if (stride && *stride == 0 &&
             strideHere(mask ? mask : pointer, index.dim) == 0) {
    access.pointer = eval(pointer, index.scalar());
    access.same = true;
  } else {
    access.pointer = eval(pointer, index);
    access.vectorOfPointers = true;
  }
  if (mask) {
    access.mask = eval(mask, access.same ? index.scalar() : index);
  }
  return access;
}

Value *Nest::lanesInside(Value *at, Value *size, unsigned lanes) {
  // The lanes in [low, high), as numbers below 2^31. Saturating: a view that is
  // open above has the largest size, and `at` may be negative.
  auto minus = [&](Value *x, Value *y) {
    return b.CreateBinaryIntrinsic(Intrinsic::ssub_sat, x, y);
  };
  Value *last = b.getInt64(lanes), *none = b.getInt64(0);
  auto clamp = [&](Value *v) {
    v = b.CreateBinaryIntrinsic(Intrinsic::smax, v, none);
    v = b.CreateBinaryIntrinsic(Intrinsic::smin, v, last);
    return b.CreateTrunc(v, b.getInt32Ty());
  };
  Value *low = clamp(minus(none, at));
  Value *high = clamp(minus(size, at));
  high = b.CreateBinaryIntrinsic(Intrinsic::smax, low, high);
  SmallVector<uint32_t> numbers(lanes);
  std::iota(numbers.begin(), numbers.end(), 0u);
  Value *lane = ConstantDataVector::get(l.context, numbers);
  return b.CreateICmpULT(b.CreateSub(lane, l.splat(low, lanes)),
                         l.splat(b.CreateSub(high, low), lanes));
}

Nest::Access Nest::viewAccess(mlir::Value from, mlir::OperandRange offsets,
                              ArrayRef<bool> checked, const Index &index) {
  const ViewParts &view = l.view(from);
  mlir::Type element = cast<tile::ViewType>(from.getType()).getElementType();
  Type *type = l.memoryType(element);
  Access access;
  Value *address = view.base;
  SmallVector<size_t, 4> order(view.shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  llvm::sort(order, [&](size_t x, size_t y) {
    return std::pair(levelOf(index.at[x]), x) <
           std::pair(levelOf(index.at[y]), y);
  });
  Value *laneStride = nullptr;
  KnownEdge known;
  for (size_t d : order) {
    // Whole rows are left out together: what is outside is never an address
    // that is used, so wrapping arithmetic is what is wanted.
    Value *first = emitAt({}, [&] {
      return b.CreateAdd(view.position[d], l.scalar(offsets[d]));
    });
    address = emitAt({address}, [&] {
      return b.CreateGEP(type, address, b.CreateMul(first, view.strides[d]));
    });
    address = emitAt({address, index.at[d]}, [&] {
      return b.CreateGEP(type, address,
                         b.CreateMul(index.at[d], view.strides[d]));
    });
    const bool lanesHere = index.lanes && index.dim == static_cast<int>(d);
    if (lanesHere) {
      laneStride = view.strides[d];
    }
    if (!checked[d] || unchecked) {
      continue;
    }
    Value *size = emitAt({}, [&] {
      return b.CreateBinaryIntrinsic(Intrinsic::smax, view.shape[d],
                                     b.getInt64(0));
    });
    if (isKnownBefore(d, index)) {
      known.add(*this, first, size, lanesHere ? nullptr : index.at[d]);
      continue;
    }
    Value *at = emitAt({first, index.at[d]},
                       [&] { return b.CreateAdd(first, index.at[d]); });
    Value *inside;
    if (lanesHere) {
      inside = emitAt({at, size},
                      [&] { return lanesInside(at, size, index.lanes); });
    } else {
      inside = emitAt({at, size}, [&] { return b.CreateICmpULT(at, size); });
      if (index.lanes) {
        inside = emitAt({inside}, [&] { return l.splat(inside, index.lanes); });
      }
    }
    access.mask = access.mask
                      ? emitAt({access.mask, inside},
                               [&] { return b.CreateAnd(access.mask, inside); })
                      : inside;
  }
  if (known.any) {
    Value *mask = maskOfPart(known, index);
    access.mask = mask ? mask : access.mask;
  }
  access.pointer = address;
  if (index.lanes) {
    auto *unit = dyn_cast<ConstantInt>(laneStride);
    if (!unit || !unit->isOne()) {
      access.pointer = emitAt({address, laneStride}, [&] {
        SmallVector<uint64_t> numbers(index.lanes);
        std::iota(numbers.begin(), numbers.end(), uint64_t{0});
        return b.CreateGEP(
            type, address,
            b.CreateMul(ConstantDataVector::get(l.context, numbers),
                        l.splat(laneStride, index.lanes)));
      });
      access.vectorOfPointers = true;
    }
  }
  return access;
}

Value *Nest::isInside(CpuLowering &l, mlir::Value view,
                      mlir::OperandRange offsets, ArrayRef<bool> checked) {
  const ViewParts &parts = l.view(view);
  ArrayRef<int64_t> block = cast<tile::ViewType>(view.getType()).getShape();
  Value *all = nullptr;
  for (size_t d = 0; d < checked.size(); ++d) {
    if (!checked[d]) {
      continue;
    }
    Value *first = l.b.CreateAdd(parts.position[d], l.scalar(offsets[d]));
    Value *room = l.b.CreateSub(parts.shape[d],
                                l.b.getInt64(static_cast<uint64_t>(block[d])));
    Value *inside = l.b.CreateAnd(l.b.CreateICmpSGE(first, l.b.getInt64(0)),
                                  l.b.CreateICmpSLE(first, room));
    all = all ? l.b.CreateAnd(all, inside) : inside;
  }
  return all;
}

void Nest::mayStream(mlir::Value view, mlir::OperandRange offsets,
                     Value *large) {
  const ViewParts &parts = l.view(view);
  auto type = cast<tile::ViewType>(view.getType());
  Type *memory = l.memoryType(type.getElementType());
  const uint64_t bytes = tile::storageBytes(type.getElementType());
  const size_t rank = type.getShape().size();
  auto *unit = dyn_cast<ConstantInt>(parts.strides[rank - 1]);
  if (!unit || !unit->isOne() || dim != static_cast<int>(rank) - 1 ||
      lanes * bytes % 64 != 0 ||
      type.getShape()[rank - 1] % int64_t{lanes} != 0) {
    return;
  }
  // Every row begins at a multiple of 64 bytes.
  Value *address = parts.base, *pitches = b.getInt64(0);
  for (size_t d = 0; d < rank; ++d) {
    Value *first = b.CreateAdd(parts.position[d], l.scalar(offsets[d]));
    address =
        b.CreateGEP(memory, address, b.CreateMul(first, parts.strides[d]));
    if (d + 1 < rank) {
      pitches =
          b.CreateOr(pitches, b.CreateMul(parts.strides[d], b.getInt64(bytes)));
    }
  }
  Value *low = b.CreateAnd(
      b.CreateOr(b.CreatePtrToInt(address, b.getInt64Ty()), pitches),
      b.getInt64(63));
  streamTo = address;
  streams = b.CreateAnd(large, b.CreateICmpEQ(low, b.getInt64(0)));
}

//===--- Accesses ---------------------------------------------------------===//

Value *Nest::load(mlir::Operation *op, mlir::Value from, const Access &access,
                  mlir::Type element, Value *other, const Index &index,
                  bool isVolatile) {
  Type *memory = l.memoryType(element);
  Align align(tile::storageBytes(element));
  SmallVector<Value *, 3> uses{access.pointer};
  if (access.mask) {
    uses.push_back(access.mask);
  }
  if (other) {
    uses.push_back(other);
  }
  return emitAt(uses, [&]() -> Value * {
    const unsigned lanes = access.same ? 0 : index.lanes;
    l.checkAccess(op, from, access.pointer, access.mask, element, lanes);
    auto *type = FixedVectorType::get(memory, std::max(lanes, 1u));
    Value *value;
    if (!access.mask && !access.vectorOfPointers) {
      value = b.CreateAlignedLoad(lanes ? static_cast<Type *>(type) : memory,
                                  access.pointer, align, isVolatile);
    } else {
      Value *rest = Constant::getNullValue(type);
      if (other) {
        rest = l.toMemory(other, element);
        if (!lanes && rest->getType()->isVectorTy()) {
          rest = b.CreateExtractElement(rest, uint64_t{0});
        }
        rest = lanes ? rest : b.CreateVectorSplat(1, rest);
      }
      Value *mask = access.mask;
      if (mask && !mask->getType()->isVectorTy()) {
        mask = b.CreateVectorSplat(std::max(lanes, 1u), mask);
      }
      value =
          access.vectorOfPointers
              ? b.CreateMaskedGather(type, access.pointer, align, mask, rest)
              : b.CreateMaskedLoad(type, access.pointer, align, mask, rest);
      if (!lanes) {
        value = b.CreateExtractElement(value, uint64_t{0});
      }
    }
    value = l.fromMemory(value, element);
    return access.same ? l.splat(value, index.lanes) : value;
  });
}

void Nest::store(mlir::Operation *op, mlir::Value from, const Access &access,
                 mlir::Type element, Value *value, const Index &index) {
  l.checkAccess(op, from, access.pointer, access.mask, element, index.lanes);
  Align align(tile::storageBytes(element));
  value = l.toMemory(value, element);
  if (!access.mask && !access.vectorOfPointers) {
    const bool whole = streaming && index.lanes == lanes;
    StoreInst *stored =
        b.CreateAlignedStore(value, access.pointer, whole ? Align(64) : align);
    if (whole) {
      stored->setMetadata(
          LLVMContext::MD_nontemporal,
          MDNode::get(l.context, ConstantAsMetadata::get(b.getInt32(1))));
    }
    return;
  }
  if (!index.lanes) {
    value = b.CreateVectorSplat(1, value);
  }
  Value *mask = access.mask;
  if (mask && !mask->getType()->isVectorTy()) {
    mask = b.CreateVectorSplat(std::max(index.lanes, 1u), mask);
  }
  if (access.vectorOfPointers) {
    b.CreateMaskedScatter(value, access.pointer, align, mask);
  } else {
    b.CreateMaskedStore(value, access.pointer, align, mask);
  }
}

Value *Nest::evalLoad(tile::LoadOp op, const Index &index) {
  mlir::Type element = tile::elementType(op.getResult().getType());
  if (tooWideToScatter(index) && !isContiguous(op.getPointer(), index)) {
    return inHalves(index,
                    [&](const Index &part) { return evalLoad(op, part); });
  }
  Access access = pointerAccess(op.getPointer(), op.getMask(), index);
  Value *other = op.getOther()
                     ? eval(op.getOther(), access.same ? index.scalar() : index)
                     : nullptr;
  return load(op, op.getPointer(), access, element, other, index,
              op.getIsVolatile());
}

Value *Nest::evalLoadView(tile::LoadViewOp op, const Index &index) {
  mlir::Type element = op.getResult().getType().getElementType();
  if (tooWideToScatter(index) && !isContiguous(l.view(op.getView()), index)) {
    return inHalves(index,
                    [&](const Index &part) { return evalLoadView(op, part); });
  }
  fetchAhead(op, index);
  Access access =
      viewAccess(op.getView(), op.getOffsets(), op.getChecked(), index);
  fetchFar(op, access, index);
  Value *other = op.getOther() ? eval(op.getOther(), index) : nullptr;
  return load(op, op.getView(), access, element, other, index);
}

//===--- Ops --------------------------------------------------------------===//

void CpuLowering::scalarLoad(tile::LoadOp op) {
  Nest nest(*this, {}, {});
  Index index = nest.origin();
  Nest::Access access =
      nest.pointerAccess(op.getPointer(), op.getMask(), index);
  scalars[op.getResult()] =
      nest.load(op, op.getPointer(), access, op.getResult().getType(),
                op.getOther() ? scalar(op.getOther()) : nullptr, index,
                op.getIsVolatile());
}

void CpuLowering::storeOp(tile::StoreOp op) {
  mlir::Type element = tile::elementType(op.getValue().getType());
  copyLoadsInPlace(op);
  Nest nest(*this, tile::shapeOf(op.getValue().getType()),
            {op.getPointer(), op.getValue(), op.getMask()});
  nest.mayHaveRuns();
  nest.run([&](const Index &index) {
    // The value first: in place, the load comes before the store.
    Value *value = nest.eval(op.getValue(), index);
    auto put = [&](Value *part, const Index &at) {
      Nest::Access access =
          nest.pointerAccess(op.getPointer(), op.getMask(), at);
      if (access.same) {
        // All lanes at one address: the last one stays.
        access.vectorOfPointers = true;
        access.pointer = nest.eval(op.getPointer(), at);
        access.mask = op.getMask() ? nest.eval(op.getMask(), at) : nullptr;
      }
      nest.store(op, op.getPointer(), access, element, part, at);
    };
    nest.storeInParts(value, index, nest.isContiguous(op.getPointer(), index),
                      put);
  });
}

void CpuLowering::storeViewOp(tile::StoreViewOp op) {
  mlir::Type element = tile::elementType(op.getValue().getType());
  Nest nest(*this, tile::shapeOf(op.getValue().getType()), {op.getValue()});
  nest.alsoChecks(
      Nest::isInside(*this, op.getView(), op.getOffsets(), op.getChecked()));
  nest.copyLoadsInPlace(op);
  if (Value *large = writesLargeOutput(op)) {
    nest.mayStream(op.getView(), op.getOffsets(), large);
    if (std::optional<Buffer> buffer = bufferBehind(op)) {
      nest.mayLeaveBehind(*buffer);
    }
  }
  nest.mayHaveRuns();
  nest.run([&](const Index &index) {
    Value *value = nest.eval(op.getValue(), index);
    auto put = [&](Value *part, const Index &at) {
      if (const Buffer *buffer = nest.leavesBehind()) {
        nest.storeTo(*buffer, at, part);
        return;
      }
      nest.store(
          op, op.getView(),
          nest.viewAccess(op.getView(), op.getOffsets(), op.getChecked(), at),
          element, part, at);
    };
    nest.storeInParts(value, index,
                      nest.isContiguous(view(op.getView()), index), put);
  });
  emittedStores.insert(op);
}

} // namespace tz::cpu
