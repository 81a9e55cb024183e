//===- Access.cpp - loads and stores of device memory ---------------------===//
//
// What   Accesses through tiles of pointers and through views, in vectors as
//        wide as layout, alignment and mask allow.
// Why    See terrazzo/simt/Lowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Vectors.h"
#include "core/simt/lower/Lowering.h"

using namespace llvm;

namespace tz::simt {

namespace {

template <typename Op>
MemoryHints hintsOf(Op op) {
  return {op.getCache(), op.getEvict(), false};
}

} // namespace

Value *Lowering::gather(ArrayRef<Value *> values) {
  if (values.size() == 1) {
    return values[0];
  }
  Value *vector = PoisonValue::get(
      FixedVectorType::get(values[0]->getType(), values.size()));
  for (auto [i, value] : llvm::enumerate(values)) {
    vector = b.CreateInsertElement(vector, value, uint64_t(i));
  }
  return vector;
}

//===----------------------------------------------------------------------===//
// Tiles of pointers
//===----------------------------------------------------------------------===//

void Lowering::load(tile::LoadOp op) {
  mlir::Type element = tile::elementType(op.getResult().getType());
  Type *memory = arithmetic->memoryType(element);
  MemoryHints hints = hintsOf(op);
  hints.isVolatile = op.getIsVolatile();
  auto withOther = [&](Value *loaded, Value *mask, Value *other) {
    Value *value = arithmetic->fromMemory(loaded, element);
    return other ? b.CreateSelect(mask, value, other) : value;
  };
  if (!isa<mlir::RankedTensorType>(op.getResult().getType())) {
    Value *mask = op.getMask() ? scalar(op.getMask()) : nullptr;
    Value *other = op.getOther() ? scalar(op.getOther()) : nullptr;
    // One thread looks at what may change under the others' eyes.
    if (hints.isVolatile) {
      Value *first = b.CreateICmpEQ(thread, b.getInt32(0));
      Value *chosen = mask ? b.CreateAnd(first, mask) : first;
      Value *loaded =
          hooks.load(b, memory, scalar(op.getPointer()), chosen, hints);
      Region region = allocate(16);
      willWrite(region);
      Value *at = b.getInt32(0);
      emitIf(first,
             [&] { b.CreateStore(loaded, scratchAt(region, at, memory)); });
      willRead(region);
      loaded = b.CreateLoad(memory, scratchAt(region, at, memory));
      scratch.release(region);
      define(op, withOther(loaded, mask, other));
      return;
    }
    Value *loaded = hooks.load(b, memory, scalar(op.getPointer()), mask, hints);
    define(op, withOther(loaded, mask, other));
    return;
  }
  const Layout &layout = layoutOf(op.getResult());
  const auto vector = unsigned(
      vectorOfPointers(runs, op.getPointer(), op.getMask(), layout).count);
  const Registers pointers = tile(op.getPointer());
  Registers registers(pointers.size());
  Type *type = vector == 1 ? memory : FixedVectorType::get(memory, vector);
  for (unsigned reg = 0; reg < pointers.size(); reg += vector) {
    Value *mask = op.getMask() ? tile(op.getMask())[reg] : nullptr;
    Value *loaded = hooks.load(b, type, pointers[reg], mask, hints);
    for (unsigned i = 0; i < vector; ++i) {
      Value *one = vector == 1 ? loaded : b.CreateExtractElement(loaded, i);
      registers[reg + i] = withOther(
          one, mask, op.getOther() ? tile(op.getOther())[reg + i] : nullptr);
    }
  }
  define(op.getResult(), std::move(registers));
}

void Lowering::store(tile::StoreOp op) {
  mlir::Type element = tile::elementType(op.getValue().getType());
  const MemoryHints hints = hintsOf(op);
  if (!isa<mlir::RankedTensorType>(op.getValue().getType())) {
    Value *first = b.CreateICmpEQ(thread, b.getInt32(0));
    Value *mask =
        op.getMask() ? b.CreateAnd(scalar(op.getMask()), first) : first;
    hooks.store(b, arithmetic->toMemory(scalar(op.getValue()), element),
                scalar(op.getPointer()), mask, hints);
    return;
  }
  LayoutAttr attribute = layoutAttr(op.getValue().getType());
  const Layout &layout = attribute.getValue();
  const auto vector = unsigned(
      vectorOfPointers(runs, op.getPointer(), op.getMask(), layout).count);
  Value *owner = coordinatesOf(attribute).isOwner;
  const Registers &pointers = tile(op.getPointer()),
                  &values = tile(op.getValue());
  for (unsigned reg = 0; reg < pointers.size(); reg += vector) {
    if (isCopy(layout, reg)) {
      continue;
    }
    Value *mask = op.getMask() ? tile(op.getMask())[reg] : nullptr;
    mask = !owner ? mask : mask ? b.CreateAnd(mask, owner) : owner;
    SmallVector<Value *> parts;
    for (unsigned i = 0; i < vector; ++i) {
      parts.push_back(arithmetic->toMemory(values[reg + i], element));
    }
    hooks.store(b, gather(parts), pointers[reg], mask, hints);
  }
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

void Lowering::makeView(tile::MakeViewOp op) {
  ViewParts parts;
  parts.base = scalar(op.getBase());
  for (auto [extent, stride] :
       llvm::zip_equal(op.getShape(), op.getStrides())) {
    parts.shape.push_back(scalar(extent));
    parts.strides.push_back(scalar(stride));
    parts.position.push_back(b.getInt64(0));
  }
  views[op.getResult()] = std::move(parts);
}

Lowering::ViewAccess Lowering::viewAccess(mlir::Value viewValue,
                                          mlir::ValueRange offsets,
                                          ArrayRef<bool> checked,
                                          mlir::Type tileType) {
  ViewAccess access;
  access.layout = layoutAttr(tileType);
  access.element = tile::elementType(tileType);
  const Layout &layout = access.layout.getValue();
  const ThreadCoordinates &mine = coordinatesOf(access.layout);
  const ViewParts &parts = view(viewValue);
  const unsigned rank = layout.rank();
  const int64_t bytes = tile::storageBytes(access.element);

  SmallVector<Value *, 4> at; // the block's corner
  for (unsigned dim = 0; dim < rank; ++dim) {
    at.push_back(b.CreateAdd(parts.position[dim], scalar(offsets[dim])));
    access.strides.push_back(
        b.CreateMul(parts.strides[dim], b.getInt64(uint64_t(bytes))));
  }
  // Coordinates are sums where no bit is set by thread and register both.
  access.isExact = true;
  for (const Coordinates &basis : layout.bases(Axis::Register)) {
    for (unsigned dim = 0; dim < rank; ++dim) {
      access.isExact &= (basis[dim] & mine.threadBits[dim]) == 0;
    }
  }
  Value *base = parts.base;
  for (unsigned dim = 0; dim < rank; ++dim) {
    base = b.CreateGEP(b.getInt8Ty(), base,
                       b.CreateMul(at[dim], access.strides[dim]));
  }
  if (access.isExact) {
    Value *offset = b.getInt64(0);
    for (unsigned dim = 0; dim < rank; ++dim) {
      offset = b.CreateAdd(
          offset, b.CreateMul(b.CreateZExt(mine.start[dim], b.getInt64Ty()),
                              access.strides[dim]));
    }
    base = b.CreateGEP(b.getInt8Ty(), base, offset);
  }
  access.base = base;

  // Bounds in 32 bits: coordinates of a tile are small.
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (!checked[dim]) {
      access.low.push_back(nullptr);
      access.count.push_back(nullptr);
      continue;
    }
    Value *most = b.getInt64(uint64_t{1} << 30), *zero = b.getInt64(0);
    auto clamp = [&](Value *v) {
      v = b.CreateBinaryIntrinsic(Intrinsic::smax, v, zero);
      v = b.CreateBinaryIntrinsic(Intrinsic::smin, v, most);
      return b.CreateTrunc(v, b.getInt32Ty());
    };
    Value *low = clamp(b.CreateNeg(at[dim]));
    // An open end less a negative corner saturates.
    Value *high = clamp(b.CreateBinaryIntrinsic(Intrinsic::ssub_sat,
                                                parts.shape[dim], at[dim]));
    Value *count =
        b.CreateSub(b.CreateBinaryIntrinsic(Intrinsic::umax, high, low), low);
    access.low.push_back(low);
    access.count.push_back(count);
  }

  access.vector =
      unsigned(vectorOfView(runs, viewValue, offsets, checked, layout).count);
  return access;
}

Value *Lowering::addressOf(const ViewAccess &access, unsigned reg) {
  const Layout &layout = access.layout.getValue();
  Coordinates at = layout.apply(Place{{reg, 0, 0, 0}});
  Value *offset = b.getInt64(0);
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    Value *c =
        access.isExact
            ? b.getInt64(uint64_t(at[dim]))
            : b.CreateZExt(coordinate(access.layout, reg, dim), b.getInt64Ty());
    offset = b.CreateAdd(offset, b.CreateMul(c, access.strides[dim]));
  }
  return b.CreateGEP(b.getInt8Ty(), access.base, offset);
}

Value *Lowering::insideOf(const ViewAccess &access, unsigned reg) {
  Value *inside = nullptr;
  for (unsigned dim = 0; dim < access.count.size(); ++dim) {
    if (!access.count[dim]) {
      continue;
    }
    Value *c =
        b.CreateSub(coordinate(access.layout, reg, dim), access.low[dim]);
    Value *one = b.CreateICmpULT(c, access.count[dim]);
    inside = inside ? b.CreateAnd(inside, one) : one;
  }
  return inside;
}

void Lowering::loadView(tile::LoadViewOp op) {
  ViewAccess access = viewAccess(op.getView(), op.getOffsets(), op.getChecked(),
                                 op.getResult().getType());
  const MemoryHints hints = hintsOf(op);
  Type *memory = arithmetic->memoryType(access.element);
  Type *type =
      access.vector == 1 ? memory : FixedVectorType::get(memory, access.vector);
  Value *other = op.getOther() ? scalar(op.getOther()) : nullptr;
  Registers registers;
  const int64_t count = access.layout.getValue().size(Axis::Register);
  for (unsigned reg = 0; reg < count; reg += access.vector) {
    Value *inside = insideOf(access, reg);
    Value *loaded = hooks.load(b, type, addressOf(access, reg), inside, hints);
    for (unsigned i = 0; i < access.vector; ++i) {
      Value *one =
          access.vector == 1 ? loaded : b.CreateExtractElement(loaded, i);
      one = arithmetic->fromMemory(one, access.element);
      registers.push_back(inside && other ? b.CreateSelect(inside, one, other)
                                          : one);
    }
  }
  define(op.getResult(), std::move(registers));
}

void Lowering::storeView(tile::StoreViewOp op) {
  ViewAccess access = viewAccess(op.getView(), op.getOffsets(), op.getChecked(),
                                 op.getValue().getType());
  const MemoryHints hints = hintsOf(op);
  Value *owner = coordinatesOf(access.layout).isOwner;
  const Registers &values = tile(op.getValue());
  for (unsigned reg = 0; reg < values.size(); reg += access.vector) {
    if (isCopy(access.layout.getValue(), reg)) {
      continue;
    }
    Value *inside = insideOf(access, reg);
    inside = !owner ? inside : inside ? b.CreateAnd(inside, owner) : owner;
    SmallVector<Value *> parts;
    for (unsigned i = 0; i < access.vector; ++i) {
      parts.push_back(arithmetic->toMemory(values[reg + i], access.element));
    }
    hooks.store(b, gather(parts), addressOf(access, reg), inside, hints);
  }
}

//===----------------------------------------------------------------------===//
// What a target may do better
//===----------------------------------------------------------------------===//

static Align alignmentOf(Type *type) {
  return Align(
      PowerOf2Ceil(type->getPrimitiveSizeInBits().getFixedValue()
                       ? type->getPrimitiveSizeInBits().getFixedValue() / 8
                       : 8));
}

Value *Hooks::load(IRBuilderBase &b, Type *type, Value *pointer,
                   Value *predicate, const MemoryHints &hints) {
  auto access = [&] {
    return b.CreateAlignedLoad(type, pointer, alignmentOf(type),
                               hints.isVolatile);
  };
  if (!predicate) {
    return access();
  }
  BasicBlock *before = b.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *then = BasicBlock::Create(b.getContext(), "load", function);
  BasicBlock *after = BasicBlock::Create(b.getContext(), "loaded", function);
  b.CreateCondBr(predicate, then, after);
  b.SetInsertPoint(then);
  Value *loaded = access();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  PHINode *value = b.CreatePHI(type, 2);
  value->addIncoming(loaded, then);
  value->addIncoming(Constant::getNullValue(type), before);
  return value;
}

void Hooks::store(IRBuilderBase &b, Value *value, Value *pointer,
                  Value *predicate, const MemoryHints &) {
  if (!predicate) {
    b.CreateAlignedStore(value, pointer, alignmentOf(value->getType()));
    return;
  }
  Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *then = BasicBlock::Create(b.getContext(), "store", function);
  BasicBlock *after = BasicBlock::Create(b.getContext(), "stored", function);
  b.CreateCondBr(predicate, then, after);
  b.SetInsertPoint(then);
  b.CreateAlignedStore(value, pointer, alignmentOf(value->getType()));
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

SmallVector<Value *> Hooks::dot(IRBuilderBase &, DotOp op, const DotSource &,
                                const DotSource &, ArrayRef<Value *>) {
  throw Unsupported(op.getLoc(), "this target has no matrix instruction");
}

} // namespace tz::simt
