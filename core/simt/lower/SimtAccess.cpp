//===- SimtAccess.cpp - loads and stores of device memory -----------------===//
//
// What   Accesses through tiles of pointers and through views, in vectors as
//        wide as layout, alignment and mask allow.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/OwnedLoads.h"
#include "core/simt/analysis/Vectors.h"
#include "core/simt/lower/KernelLowering.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tz::simt {

namespace {

template <typename Op>
MemoryHints hintsOf(Op op) {
  return {op.getCache(), op.getEvict()};
}

} // namespace

Value *KernelLowering::gather(ArrayRef<Value *> values) {
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

void KernelLowering::load(tile::LoadOp op) {
  mlir::Type element = tile::elementType(op.getResult().getType());
  Type *memory = arithmetic->memoryType(element);
  MemoryHints hints = hintsOf(op);
  hints.isVolatile = op.getIsVolatile();
  hints.isUniform = uniform && !isAlone && uniform->isUniformLoad(op);
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
      Value *loaded = hooks.load(b, memory, scalar(op.getPointer()), chosen,
                                 nullptr, hints);
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
    Value *loaded =
        hooks.load(b, memory, scalar(op.getPointer()), mask, nullptr, hints);
    define(op, withOther(loaded, mask, other));
    return;
  }
  Vectors vectors =
      ofPointers(op.getPointer(), op.getMask(), layoutOf(op.getResult()));
  std::function<Value *(unsigned)> other;
  if (op.getOther()) {
    other = [&](unsigned reg) {
      return arithmetic->toMemory(tile(op.getOther())[reg], element);
    };
  }
  Registers registers = loadVectors(vectors, memory, other, hints);
  for (Value *&value : registers) {
    value = arithmetic->fromMemory(value, element);
  }
  define(op.getResult(), std::move(registers));
}

void KernelLowering::store(tile::StoreOp op) {
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
  Registers values;
  for (Value *value : tile(op.getValue())) {
    values.push_back(arithmetic->toMemory(value, element));
  }
  storeVectors(ofPointers(op.getPointer(), op.getMask(), attribute.getValue()),
               values, attribute, hints);
}

KernelLowering::Vectors KernelLowering::ofPointers(mlir::Value pointer,
                                                   mlir::Value mask,
                                                   const Layout &layout) {
  Vectors vectors;
  vectors.registers = unsigned(layout.size(Axis::Register));
  vectors.width = unsigned(
      vectorOfPointers(runs, pointer, nullptr, layout, hooks.vectorBytes())
          .count);
  vectors.uncut = unsigned(
      vectorOfPointers(runs, pointer, mask, layout, hooks.vectorBytes()).count);
  vectors.root = rootOf(pointer);
  vectors.address = [this, pointer](unsigned reg) {
    return tile(pointer)[reg];
  };
  if (!mask) {
    return vectors;
  }
  vectors.inside = [this, mask](unsigned reg) { return tile(mask)[reg]; };
  auto over = [this, mask, step = vectors.uncut,
               width = vectors.width](unsigned reg, Instruction::BinaryOps op) {
    Value *all = tile(mask)[reg];
    for (unsigned i = step; i < width; i += step) {
      all = b.CreateBinOp(op, all, tile(mask)[reg + i]);
    }
    return all;
  };
  vectors.whole = [over](unsigned reg) { return over(reg, Instruction::And); };
  vectors.some = [over](unsigned reg) { return over(reg, Instruction::Or); };
  return vectors;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The scalar pointer that a pointer, or those of a tile, are computed from by
/// adding offsets: an argument of the kernel, or what is nobody's sum. Null: it
/// is not one.
static mlir::Value pointerRoot(mlir::Value pointer) {
  constexpr unsigned mostSteps = 64;
  for (unsigned step = 0; step < mostSteps; ++step) {
    if (auto argument = dyn_cast<mlir::BlockArgument>(pointer)) {
      auto loop =
          dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop) {
        return isa<tile::KernelOp>(argument.getOwner()->getParentOp())
                   ? pointer
                   : mlir::Value();
      }
      pointer = loop.getTiedLoopInit(argument)->get();
      continue;
    }
    mlir::Operation *op = pointer.getDefiningOp();
    if (!isa<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp, tile::ReshapeOp,
             tile::TransposeOp, tile::HintOp, ConvertOp>(op)) {
      return isa<mlir::RankedTensorType>(pointer.getType()) ? mlir::Value()
                                                            : pointer;
    }
    pointer = op->getOperand(0);
  }
  return nullptr;
}

KernelLowering::Root KernelLowering::rootOf(mlir::Value pointer) {
  if (!hooks.takesPlaces()) {
    return {};
  }
  mlir::Value root = pointerRoot(pointer);
  auto known = root ? scalars.find(root) : scalars.end();
  return known == scalars.end() ? Root() : Root{known->second, nullptr};
}

/// Rows may lie in any order and overlap. None lies before the base where no
/// stride is negative.
KernelLowering::Root KernelLowering::rootOfView(mlir::Value value,
                                                ArrayRef<bool> checked) {
  if (!hooks.takesPlaces()) {
    return {};
  }
  const ViewParts &parts = view(value);
  Root root{parts.base, nullptr};
  while (auto advance = value.getDefiningOp<tile::AdvanceViewOp>()) {
    value = advance.getView();
  }
  auto made = value.getDefiningOp<tile::MakeViewOp>();
  // Where nothing is checked the view may end anywhere.
  if (!made || !llvm::all_of(checked, [](bool one) { return one; })) {
    return root;
  }
  // A dimension without an end, which a program may choose while it runs, has
  // the largest number of rows.
  auto product = [&](Value *one, Value *other) {
    Value *both =
        b.CreateBinaryIntrinsic(Intrinsic::smul_with_overflow, one, other);
    return b.CreateSelect(b.CreateExtractValue(both, 1), b.getInt64(INT64_MAX),
                          b.CreateExtractValue(both, 0));
  };
  auto sum = [&](Value *one, Value *other) {
    return b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, one, other);
  };
  Value *last = b.getInt64(0);
  for (unsigned dim = 0; dim < parts.shape.size(); ++dim) {
    auto *extent = dyn_cast<ConstantInt>(parts.shape[dim]);
    if ((extent && extent->isMaxValue(/*IsSigned=*/true)) ||
        runs.hints().range(made.getStrides()[dim]).low < 0) {
      return root;
    }
    Value *rows = b.CreateBinaryIntrinsic(Intrinsic::smax, parts.shape[dim],
                                          b.getInt64(1));
    last = sum(last,
               product(b.CreateSub(rows, b.getInt64(1)), parts.strides[dim]));
  }
  const int64_t bytes =
      tile::storageBytes(made.getResult().getType().getElementType());
  root.extent = product(sum(last, b.getInt64(1)), b.getInt64(uint64_t(bytes)));
  return root;
}

MemoryHints KernelLowering::withPlace(MemoryHints hints, const Root &root,
                                      Value *address) {
  if (root.base) {
    hints.place = {root.base,
                   b.CreateSub(b.CreatePtrToInt(address, b.getInt64Ty()),
                               b.CreatePtrToInt(root.base, b.getInt64Ty())),
                   root.extent};
  }
  return hints;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// A mask that may cut vectors may be known not to cut smaller ones: an access
/// of a single vector is those at once. Of more vectors few are cut, as a rule.
unsigned KernelLowering::Vectors::widthAtOnce() const {
  return inside && uncut > 1 && registers == width ? uncut : width;
}

Registers
KernelLowering::loadVectors(const Vectors &vectors, Type *memory,
                            const std::function<Value *(unsigned)> &other,
                            const MemoryHints &hints) {
  const unsigned width = vectors.widthAtOnce();
  const bool isCut = vectors.inside && vectors.uncut < width;
  auto typeOf = [&](unsigned elements) -> Type * {
    return elements == 1 ? memory : FixedVectorType::get(memory, elements);
  };
  // A load gives zero where it is off, or another number.
  auto *number = other ? dyn_cast<Constant>(other(0)) : nullptr;
  for (unsigned reg = 1; number && reg < vectors.registers; ++reg) {
    number = other(reg) == number ? number : nullptr;
  }
  const bool isZero = number && number->isNullValue();
  Constant *instead =
      !isZero && isa_and_nonnull<ConstantInt, ConstantFP>(number) ? number
                                                                  : nullptr;
  auto orElse = [&](Value *mask, Value *value, unsigned reg) {
    return !mask || !other || isZero || instead
               ? value
               : b.CreateSelect(mask, value, other(reg));
  };
  Registers values;
  SmallVector<Value *> cuts; // by vector: some elements are inside, others not
  Value *anyCut = nullptr;
  for (unsigned reg = 0; reg < vectors.registers; reg += width) {
    Value *mask = isCut            ? vectors.whole(reg)
                  : vectors.inside ? vectors.inside(reg)
                                   : nullptr;
    Value *address = vectors.address(reg);
    Value *loaded = hooks.load(b, typeOf(width), address, mask, instead,
                               withPlace(hints, vectors.root, address));
    for (unsigned i = 0; i < width; ++i) {
      Value *one = width == 1 ? loaded : b.CreateExtractElement(loaded, i);
      values.push_back(orElse(mask, one, reg + i));
    }
    if (isCut) {
      cuts.push_back(b.CreateAnd(vectors.some(reg), b.CreateNot(mask)));
      anyCut = anyCut ? b.CreateOr(anyCut, cuts.back()) : cuts.back();
    }
  }
  if (!isCut) {
    return values;
  }
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *apart = block("cut"), *after = block("cut.after");
  b.CreateCondBr(anyCut, apart, after);
  b.SetInsertPoint(apart);
  Registers mended;
  const unsigned step = vectors.uncut;
  for (unsigned reg = 0; reg < vectors.registers; reg += step) {
    Value *inside = b.CreateAnd(cuts[reg / width], vectors.inside(reg));
    Value *address = vectors.address(reg);
    MemoryHints ofSome = withPlace(hints, vectors.root, address);
    ofSome.isUniform = false; // other lanes are elsewhere
    Value *loaded =
        hooks.load(b, typeOf(step), address, inside, nullptr, ofSome);
    for (unsigned i = 0; i < step; ++i) {
      Value *one = step == 1 ? loaded : b.CreateExtractElement(loaded, i);
      mended.push_back(b.CreateSelect(inside, one, values[reg + i]));
    }
  }
  BasicBlock *end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  for (auto [value, instead] : llvm::zip_equal(values, mended)) {
    PHINode *either = b.CreatePHI(memory, 2);
    either->addIncoming(value, before);
    either->addIncoming(instead, end);
    value = either;
  }
  return values;
}

void KernelLowering::storeVectors(const Vectors &vectors,
                                  ArrayRef<Value *> values, LayoutAttr layout,
                                  const MemoryHints &hints) {
  const unsigned width = vectors.widthAtOnce();
  const bool isCut = vectors.inside && vectors.uncut < width;
  Value *owner = coordinatesOf(layout).isOwner;
  auto both = [&](Value *a, Value *c) {
    return !a ? c : !c ? a : b.CreateAnd(a, c);
  };
  SmallVector<std::pair<unsigned, Value *>> cuts;
  Value *anyCut = nullptr;
  for (unsigned reg = 0; reg < vectors.registers; reg += width) {
    if (isCopy(layout.getValue(), reg)) {
      continue;
    }
    Value *mask = isCut            ? vectors.whole(reg)
                  : vectors.inside ? vectors.inside(reg)
                                   : nullptr;
    Value *value = gather(values.slice(reg, width)),
          *address = vectors.address(reg), *inside = both(mask, owner);
    hooks.store(b, value, address, inside,
                withPlace(hints, vectors.root, address));
    if (isCut) {
      Value *cut =
          both(b.CreateAnd(vectors.some(reg), b.CreateNot(mask)), owner);
      cuts.push_back({reg, cut});
      anyCut = anyCut ? b.CreateOr(anyCut, cut) : cut;
    }
  }
  if (!anyCut) {
    return;
  }
  emitIf(anyCut, [&] {
    for (auto [first, cut] : cuts) {
      const unsigned step = vectors.uncut;
      for (unsigned reg = first; reg < first + width; reg += step) {
        Value *value = gather(values.slice(reg, step)),
              *address = vectors.address(reg),
              *inside = b.CreateAnd(cut, vectors.inside(reg));
        hooks.store(b, value, address, inside,
                    withPlace(hints, vectors.root, address));
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

void KernelLowering::makeView(tile::MakeViewOp op) {
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

/// From one position up to another, at most 2^31 - 1, which is more than any
/// tile has; 0 if that is not above. A 32-bit word.
static Value *distance(IRBuilderBase &b, Value *from, Value *to,
                       bool fromZeroOn = false) {
  const DataLayout &layout = b.GetInsertBlock()->getDataLayout();
  auto isWord = [&](Value *v) { return ComputeNumSignBits(v, layout) > 32; };
  // In the narrower type if both fit: registers are what such kernels lack.
  const bool areWords = isWord(from) && isWord(to);
  if (areWords) {
    from = b.CreateTrunc(from, b.getInt32Ty());
    to = b.CreateTrunc(to, b.getInt32Ty());
  }
  // As an unsigned number the difference always fits.
  Type *type = from->getType();
  Value *count =
      b.CreateSelect(b.CreateICmpSLT(from, to), b.CreateSub(to, from),
                     ConstantInt::get(type, 0));
  if (areWords && fromZeroOn) {
    return count;
  }
  count = b.CreateBinaryIntrinsic(Intrinsic::umin, count,
                                  ConstantInt::get(type, uint64_t{1} << 30));
  return b.CreateTrunc(count, b.getInt32Ty());
}

/// In 32 bits: coordinates of a tile are small. `at`: the block's corner.
void KernelLowering::addBounds(ViewAccess &access, const ViewParts &parts,
                               ArrayRef<Value *> at, mlir::ValueRange offsets,
                               ArrayRef<bool> checked) {
  for (unsigned dim = 0; dim < at.size(); ++dim) {
    if (!checked[dim]) {
      access.low.push_back(nullptr);
      access.count.push_back(nullptr);
      continue;
    }
    // Most blocks are known to begin at 0 or above.
    const bool fromZeroOn =
        match(parts.position[dim], PatternMatch::m_ZeroInt()) &&
        runs.hints().range(offsets[dim]).nonNegative();
    Value *high = distance(b, at[dim], parts.shape[dim], fromZeroOn);
    if (fromZeroOn) {
      access.low.push_back(b.getInt32(0));
      access.count.push_back(high);
      continue;
    }
    Value *low = distance(b, at[dim], b.getInt64(0));
    access.low.push_back(low);
    access.count.push_back(
        b.CreateSub(b.CreateBinaryIntrinsic(Intrinsic::umax, high, low), low));
  }
}

KernelLowering::ViewAccess KernelLowering::viewAccess(mlir::Value viewValue,
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
    Value *offset = scalar(offsets[dim]);
    at.push_back(match(parts.position[dim], PatternMatch::m_ZeroInt())
                     ? offset
                     : b.CreateAdd(parts.position[dim], offset));
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
  access.root = rootOfView(viewValue, checked);

  addBounds(access, parts, at, offsets, checked);
  access.vector = unsigned(vectorOfView(runs, viewValue, offsets, checked,
                                        layout, hooks.vectorBytes())
                               .count);
  const SmallVector<bool> unchecked(rank, false);
  const VectorAccess dense = vectorOfView(runs, viewValue, offsets, unchecked,
                                          layout, hooks.vectorBytes());
  access.width = std::max(access.vector, unsigned(dense.count));
  access.dim = dense.dim;
  return access;
}

Value *KernelLowering::addressOf(const ViewAccess &access, unsigned reg) {
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

/// Is the element of a register inside of the bounds; or are all, or some, of
/// the vector that begins there? With c = coordinate - low and n elements:
/// c < count; c < count - (n - 1); c + (n - 1) < count + (n - 1).
Value *KernelLowering::insideOf(const ViewAccess &access, unsigned reg,
                                Part part) {
  Value *inside = nullptr;
  for (unsigned dim = 0; dim < access.count.size(); ++dim) {
    Value *count = access.count[dim];
    if (!count) {
      continue;
    }
    Value *c =
        b.CreateSub(coordinate(access.layout, reg, dim), access.low[dim]);
    Value *more = b.getInt32(access.width - 1);
    if (dim == access.dim && part == Part::Whole) {
      count = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, count, more);
    } else if (dim == access.dim && part == Part::Some) {
      c = b.CreateAdd(c, more);
      count = b.CreateSelect(b.CreateICmpEQ(count, b.getInt32(0)), count,
                             b.CreateAdd(count, more));
    }
    Value *one = b.CreateICmpULT(c, count);
    inside = inside ? b.CreateAnd(inside, one) : one;
  }
  return inside;
}

Accesses KernelLowering::accessesOf(mlir::Operation *op) {
  Accesses accesses = Accesses::of(op);
  auto load = dyn_cast<tile::LoadViewOp>(op);
  auto store = dyn_cast<tile::StoreViewOp>(op);
  if (hooks.bytesReadFirst() == 0 || (!load && !store)) {
    return accesses;
  }
  auto type = cast<mlir::RankedTensorType>(load ? load.getResult().getType()
                                                : store.getValue().getType());
  const int64_t bytes =
      type.getNumElements() * tile::storageBytes(type.getElementType());
  for (MemoryAccess &access : accesses.memory) {
    access.isReadFirst = bytes >= hooks.bytesReadFirst();
  }
  return accesses;
}

/// Only where `condition` holds, which is the same for all registers.
KernelLowering::Vectors KernelLowering::Vectors::of(IRBuilderBase &b,
                                                    Value *condition) const {
  auto both = [&b, condition](const std::function<Value *(unsigned)> &part) {
    return [&b, condition, part](unsigned reg) {
      return part ? b.CreateAnd(part(reg), condition) : condition;
    };
  };
  Vectors some = *this;
  if (condition) {
    some.inside = both(inside);
    some.whole = both(whole);
    some.some = both(this->some);
    some.uncut = inside ? uncut : width;
  }
  return some;
}

KernelLowering::Vectors KernelLowering::ofView(const ViewAccess &access) {
  Vectors vectors;
  vectors.registers = unsigned(access.layout.getValue().size(Axis::Register));
  vectors.uncut = access.vector;
  vectors.width = access.width;
  vectors.root = access.root;
  vectors.address = [&](unsigned reg) { return addressOf(access, reg); };
  if (llvm::any_of(access.count, [](Value *count) { return count; })) {
    vectors.inside = [&](unsigned reg) { return insideOf(access, reg); };
    vectors.whole = [&](unsigned reg) {
      return insideOf(access, reg, Part::Whole);
    };
    vectors.some = [&](unsigned reg) {
      return insideOf(access, reg, Part::Some);
    };
  }
  return vectors;
}

void KernelLowering::loadView(tile::LoadViewOp op) {
  ViewAccess access = viewAccess(op.getView(), op.getOffsets(), op.getChecked(),
                                 op.getResult().getType());
  std::function<Value *(unsigned)> other;
  if (op.getOther()) {
    other = [&](unsigned) {
      return arithmetic->toMemory(scalar(op.getOther()), access.element);
    };
  }
  Vectors vectors = ofView(access);
  if (isLoadedByOwners(op)) {
    vectors = vectors.of(b, coordinatesOf(access.layout).isOwner);
  }
  Registers registers = loadVectors(
      vectors, arithmetic->memoryType(access.element), other, hintsOf(op));
  for (Value *&value : registers) {
    value = arithmetic->fromMemory(value, access.element);
  }
  define(op.getResult(), std::move(registers));
}

void KernelLowering::storeView(tile::StoreViewOp op) {
  ViewAccess access = viewAccess(op.getView(), op.getOffsets(), op.getChecked(),
                                 op.getValue().getType());
  Registers values;
  for (Value *value : tile(op.getValue())) {
    values.push_back(arithmetic->toMemory(value, access.element));
  }
  storeVectors(ofView(access), values, access.layout, hintsOf(op));
}

} // namespace tz::simt
