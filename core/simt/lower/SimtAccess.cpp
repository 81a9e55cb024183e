//===- SimtAccess.cpp - loads and stores of device memory -----------------===//
//
// What   Accesses through tiles of pointers, and the loads and stores of every
//        access, in vectors as wide as layout, alignment and mask allow.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/Vectors.h"
#include "core/simt/lower/KernelLowering.h"

using namespace llvm;

namespace tz::simt {

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

/// Of each register of a thread, the first one that reads the same place under
/// the same mask: an operand that is broadcast, or indexed by a quotient, has
/// runs of equal pointers. Without `mayShare` each reads for itself.
static SmallVector<unsigned>
firstsOfPlaces(const Contiguity &runs, mlir::Value pointer, mlir::Value mask,
               const Layout &layout, bool mayShare) {
  Runs equal = runs.of(pointer);
  for (unsigned dim = 0; mask && dim < layout.rank(); ++dim) {
    equal[dim].constancy =
        std::min(equal[dim].constancy, runs.of(mask)[dim].constancy);
  }
  SmallVector<unsigned> firsts;
  std::map<Coordinates, unsigned> firstOf;
  for (unsigned reg = 0; reg < layout.size(Axis::Register); ++reg) {
    Coordinates at = layout.apply(Place{{reg, 0, 0, 0}});
    // Runs are aligned, and a thread's bits are not a register's.
    for (unsigned dim = 0; layout.isLinear() && dim < at.size(); ++dim) {
      at[dim] &= -equal[dim].constancy;
    }
    firsts.push_back(mayShare ? firstOf.try_emplace(at, reg).first->second
                              : reg);
  }
  return firsts;
}

/// What a load can give where it is off: a number, or null.
static Constant *numberOf(Value *other) {
  auto *constant = dyn_cast<Constant>(other);
  return constant && (constant->isNullValue() ||
                      isa<ConstantInt, ConstantFP>(other))
             ? constant
             : nullptr;
}

/// What a load is told to give where it is off: it gives zero unasked.
static Constant *insteadOf(Constant *number) {
  return number && !number->isNullValue() ? number : nullptr;
}

void KernelLowering::load(tile::LoadOp op) {
  mlir::Type element = tile::elementType(op.getResult().getType());
  Type *memory = arithmetic->memoryType(element);
  MemoryHints hints = hintsOf(op);
  hints.isVolatile = op.getIsVolatile();
  hints.isUniform = uniform && !isAlone && uniform->isUniformLoad(op);
  // A load gives zero where it is off, or another number.
  auto withOther = [&](Value *loaded, Value *mask, Value *other,
                       Constant *instead) {
    Value *value = arithmetic->fromMemory(loaded, element);
    return other && !instead ? b.CreateSelect(mask, value, other) : value;
  };
  if (!isa<mlir::RankedTensorType>(op.getResult().getType())) {
    Value *mask = op.getMask() ? scalar(op.getMask()) : nullptr;
    mask = mask && onlyIf ? b.CreateAnd(mask, onlyIf) : onlyIf ? onlyIf : mask;
    Value *other = op.getOther() ? scalar(op.getOther()) : nullptr;
    Constant *instead =
        other ? numberOf(arithmetic->toMemory(other, element)) : nullptr;
    // One thread looks at what may change under the others' eyes.
    if (hints.isVolatile) {
      Value *first = b.CreateICmpEQ(thread, b.getInt32(0));
      Value *chosen = mask ? b.CreateAnd(first, mask) : first;
      Value *loaded = hooks.load(b, memory, scalar(op.getPointer()), chosen,
                                 insteadOf(instead), hints);
      Region region = allocate(16);
      willWrite(region);
      Value *at = b.getInt32(0);
      emitIf(first,
             [&] { b.CreateStore(loaded, scratchAt(region, at, memory)); });
      willRead(region);
      loaded = b.CreateLoad(memory, scratchAt(region, at, memory));
      scratch.release(region);
      define(op, withOther(loaded, mask, other, instead));
      return;
    }
    Value *loaded = hooks.load(b, memory, scalar(op.getPointer()), mask,
                               insteadOf(instead), hints);
    define(op, withOther(loaded, mask, other, instead));
    return;
  }
  Vectors vectors = onlyThen(
      ofPointers(op.getPointer(), op.getMask(), layoutOf(op.getResult())));
  std::function<Value *(unsigned)> other;
  if (op.getOther()) {
    other = [&](unsigned reg) {
      return arithmetic->toMemory(tile(op.getOther())[reg], element);
    };
  }
  // What registers have in common is read once.
  const bool mayShare =
      vectors.width == 1 && !op.getIsVolatile() &&
      (!op.getOther() || llvm::all_equal(tile(op.getOther())));
  const SmallVector<unsigned> first = firstsOfPlaces(
      runs, op.getPointer(), op.getMask(), layoutOf(op.getResult()), mayShare);
  SmallVector<unsigned> read; // registers
  for (auto [reg, from] : llvm::enumerate(first)) {
    if (from == reg) {
      read.push_back(from);
    }
  }
  const Vectors all = vectors;
  vectors.registers = unsigned(read.size());
  vectors.address = [&](unsigned i) { return all.address(read[i]); };
  for (auto part : {&Vectors::inside, &Vectors::whole, &Vectors::some}) {
    if (all.*part) {
      vectors.*part = [&, part](unsigned i) { return (all.*part)(read[i]); };
    }
  }
  std::function<Value *(unsigned)> otherOfRead;
  if (other) {
    otherOfRead = [&](unsigned i) { return other(read[i]); };
  }
  Registers values = loadVectors(vectors, memory, otherOfRead, hints);
  for (Value *&value : values) {
    value = arithmetic->fromMemory(value, element);
  }
  Registers registers;
  for (unsigned from : first) {
    registers.push_back(values[llvm::lower_bound(read, from) - read.begin()]);
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
  const VectorAccess whole =
      vectorOfPointers(runs, pointer, nullptr, layout, hooks.vectorBytes());
  vectors.uncut = unsigned(
      vectorOfPointers(runs, pointer, mask, layout, hooks.vectorBytes()).count);
  // Elements that the mask cuts from most vectors are accessed alone at once.
  vectors.width = mask && vectors.uncut < whole.count &&
                          cutsMostVectors(runs, mask, whole.dim, whole.count)
                      ? vectors.uncut
                      : unsigned(whole.count);
  vectors.root = rootOf(pointer);
  vectors.address = [this, pointer](unsigned reg) {
    return tile(pointer)[reg];
  };
  if (!mask) {
    return vectors;
  }
  SmallVector<int64_t, 4> equal;
  for (const DimRuns &run : runs.of(mask)) {
    equal.push_back(run.constancy);
  }
  vectors.inside = [this, mask, equal, &layout](unsigned reg) {
    return tile(mask)[firstOfRun(layout, reg, equal)];
  };
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

MemoryHints KernelLowering::placed(MemoryHints hints, const Vectors &vectors,
                                   unsigned reg, Value *address) {
  if (vectors.near) {
    hints.near = vectors.near(reg);
  }
  return withPlace(hints, vectors.root, address);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// A mask that may cut vectors may be known not to cut smaller ones: an access
/// of a single vector is those at once. Of more vectors few are cut, as a rule.
unsigned KernelLowering::Vectors::widthAtOnce() const {
  return !hasEnd && !keep && inside && uncut > 1 && registers == width ? uncut
                                                                       : width;
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
    some.only = condition;
  }
  return some;
}

/// What the access of a vector is told; null: nothing turns it off.
Value *KernelLowering::Vectors::maskOf(unsigned reg, bool isCut) const {
  return hasEnd   ? only
         : keep   ? some(reg)
         : isCut  ? whole(reg)
         : inside ? inside(reg)
                  : nullptr;
}

Registers
KernelLowering::loadVectors(const Vectors &vectors, Type *memory,
                            const std::function<Value *(unsigned)> &other,
                            const MemoryHints &hints) {
  const unsigned width = vectors.widthAtOnce();
  const bool isCut = vectors.inside && vectors.uncut < width &&
                     !vectors.hasEnd && !vectors.keep,
             masksElements = vectors.hasEnd || vectors.keep;
  auto typeOf = [&](unsigned elements) -> Type * {
    return elements == 1 ? memory : FixedVectorType::get(memory, elements);
  };
  // A load gives zero where it is off, or another number.
  auto *number = other ? dyn_cast<Constant>(other(0)) : nullptr;
  for (unsigned reg = 1; number && reg < vectors.registers; ++reg) {
    number = other(reg) == number ? number : nullptr;
  }
  const bool isZero = number && number->isNullValue();
  Constant *instead = number ? insteadOf(numberOf(number)) : nullptr;
  auto orElse = [&](Value *mask, Value *value, unsigned reg) {
    return !mask || !other || isZero || instead
               ? value
               : b.CreateSelect(mask, value, other(reg));
  };
  // A load knows a predicate's number, but none behind an end or in a vector.
  auto orElseAt = [&](Value *value, unsigned reg) {
    return isZero || !other || !vectors.inside
               ? value
               : b.CreateSelect(vectors.inside(reg), value, other(reg));
  };
  Registers values;
  SmallVector<Value *> vectorsRead, cuts; // by vector: some elements are
                                          // inside, others not
  Value *anyCut = nullptr;
  for (unsigned reg = 0; reg < vectors.registers; reg += width) {
    Value *mask = vectors.maskOf(reg, isCut), *address = vectors.address(reg);
    Value *loaded = hooks.load(b, typeOf(width), address, mask,
                               masksElements ? nullptr : instead,
                               placed(hints, vectors, reg, address));
    if (vectors.keep && (!other || isZero)) {
      values.append(vectors.keep(loaded, reg));
      continue;
    }
    Registers elements;
    for (unsigned i = 0; i < width; ++i) {
      Value *one = width == 1 ? loaded : b.CreateExtractElement(loaded, i);
      elements.push_back(masksElements ? orElseAt(one, reg + i)
                                       : orElse(mask, one, reg + i));
    }
    if (isCut) {
      vectorsRead.push_back(!other || number ? loaded : gather(elements));
      cuts.push_back(b.CreateAnd(vectors.some(reg), b.CreateNot(mask)));
      anyCut = anyCut ? b.CreateOr(anyCut, cuts.back()) : cuts.back();
    }
    values.append(elements);
  }
  return isCut ? mendCuts(vectors, vectorsRead, cuts, anyCut, hints) : values;
}

/// Elements of vectors that a mask cuts are loaded one by one, rarely. Vectors
/// stay whole up to where the two ways meet: an element that comes from either
/// way has a register of its own.
Registers KernelLowering::mendCuts(const Vectors &vectors,
                                   ArrayRef<Value *> whole,
                                   ArrayRef<Value *> cuts, Value *anyCut,
                                   const MemoryHints &hints) {
  auto *type = cast<FixedVectorType>(whole.front()->getType());
  Type *memory = type->getElementType();
  const unsigned width = type->getNumElements(), step = vectors.uncut;
  // Of narrow numbers several are in one register.
  const unsigned bits = width * memory->getPrimitiveSizeInBits();
  Type *words =
      bits != 0 && bits % 32 == 0 && memory->getScalarSizeInBits() < 32
          ? FixedVectorType::get(b.getInt32Ty(), bits / 32)
          : type;
  Registers before;
  for (Value *vector : whole) {
    before.push_back(b.CreateBitCast(vector, words));
  }
  BasicBlock *start = b.GetInsertBlock();
  BasicBlock *apart = block("cut"), *after = block("cut.after");
  b.CreateCondBr(anyCut, apart, after);
  b.SetInsertPoint(apart);
  Registers mended;
  for (auto [i, vector] : llvm::enumerate(whole)) {
    Registers elements;
    for (unsigned reg = unsigned(i) * width; reg < (i + 1) * width;
         reg += step) {
      Value *inside = b.CreateAnd(cuts[i], vectors.inside(reg));
      Value *address = vectors.address(reg);
      MemoryHints ofSome = placed(hints, vectors, reg, address);
      ofSome.isUniform = false; // other lanes are elsewhere
      Value *loaded =
          hooks.load(b, step == 1 ? memory : FixedVectorType::get(memory, step),
                     address, inside, nullptr, ofSome);
      for (unsigned k = 0; k < step; ++k) {
        Value *one = step == 1 ? loaded : b.CreateExtractElement(loaded, k);
        elements.push_back(b.CreateSelect(
            inside, one,
            b.CreateExtractElement(vector, uint64_t(reg % width + k))));
      }
    }
    mended.push_back(b.CreateBitCast(gather(elements), words));
  }
  BasicBlock *end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  Registers merged;
  for (auto [vector, instead] : llvm::zip_equal(before, mended)) {
    PHINode *either = b.CreatePHI(words, 2);
    either->addIncoming(vector, start);
    either->addIncoming(instead, end);
    merged.push_back(either);
  }
  Registers values;
  for (Value *either : merged) {
    Value *vector = b.CreateBitCast(either, type);
    for (unsigned i = 0; i < width; ++i) {
      values.push_back(b.CreateExtractElement(vector, i));
    }
  }
  return values;
}

void KernelLowering::storeVectors(const Vectors &vectors,
                                  ArrayRef<Value *> values, LayoutAttr layout,
                                  const MemoryHints &hints) {
  const unsigned width = vectors.widthAtOnce();
  const bool isCut = vectors.inside && vectors.uncut < width && !vectors.hasEnd;
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
    Value *mask = vectors.maskOf(reg, isCut);
    Value *value = gather(values.slice(reg, width)),
          *address = vectors.address(reg), *inside = both(mask, owner);
    hooks.store(b, value, address, inside,
                placed(hints, vectors, reg, address));
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
                    placed(hints, vectors, reg, address));
      }
    }
  });
}

Accesses KernelLowering::accessesOf(mlir::Operation *op) {
  Accesses accesses = Accesses::of(op);
  auto load = dyn_cast<tile::LoadViewOp>(op);
  auto store = dyn_cast<tile::StoreViewOp>(op);
  if (hooks.bytesReadFirst() == 0 || computesMuch || (!load && !store)) {
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

} // namespace tz::simt
