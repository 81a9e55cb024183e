//===- SimtViews.cpp - loads and stores of views --------------------------===//
//
// What   What a view is while a kernel runs, and accesses through it: where the
//        block of a tile lies, which of its elements are inside, and how many
//        of them one instruction takes.
// Why    See terrazzo/simt/SimtLowering.h. SimtAccess.cpp emits the loads and
//        stores, of views as of tiles of pointers.
//===----------------------------------------------------------------------===//
#include "core/simt/analysis/OwnedLoads.h"
#include "core/simt/analysis/Vectors.h"
#include "core/simt/lower/KernelLowering.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tz::simt {

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

/// The op that made a view, if only offsets were added to it since.
static tile::MakeViewOp madeBy(mlir::Value view) {
  while (auto advance = view.getDefiningOp<tile::AdvanceViewOp>()) {
    view = advance.getView();
  }
  return view.getDefiningOp<tile::MakeViewOp>();
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
  tile::MakeViewOp made = madeBy(value);
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

/// The same from a product at or above zero, of a 32-bit number and a constant,
/// as a program's first element is one; null: that is none. A factor so large
/// that the product leaves 31 bits stands for each larger one: nothing is that
/// far away.
static Value *distanceFromProduct(IRBuilderBase &b, Value *from, Value *to) {
  const DataLayout &layout = b.GetInsertBlock()->getDataLayout();
  const std::optional<WordProduct> product = wordProduct(from);
  if (!product || ComputeNumSignBits(to, layout) <= 32) {
    return nullptr;
  }
  Value *factor =
      b.CreateBinaryIntrinsic(Intrinsic::umin, product->word,
                              b.getInt32(INT32_MAX / product->constant + 1));
  Value *first = b.CreateMul(factor, b.getInt32(product->constant));
  Value *end = b.CreateBinaryIntrinsic(
      Intrinsic::smax, b.CreateTrunc(to, b.getInt32Ty()), b.getInt32(0));
  end = b.CreateBinaryIntrinsic(Intrinsic::umax, end, first);
  return b.CreateSub(end, first);
}

/// The same where a condition says whether there is an end: as far away as any
/// tile reaches, or nowhere; null: the end is something else.
static Value *distanceIf(IRBuilderBase &b, Value *to) {
  using namespace PatternMatch;
  Value *condition = nullptr;
  return match(to, m_Select(m_Value(condition), m_SpecificInt(INT64_MAX),
                            m_ZeroInt()))
             ? b.CreateSelect(condition, b.getInt32(1U << 30), b.getInt32(0))
             : nullptr;
}

/// Has the kernel a few accesses, each once? What stands before its first load
/// takes time then. In longer ones ptxas orders the loads otherwise for it.
bool KernelLowering::hasFewAccesses() {
  if (!knowsFewAccesses) {
    constexpr unsigned few = 6;
    unsigned accesses = 0;
    knowsFewAccesses =
        !kernel
             ->walk([&](mlir::Operation *op) {
               accesses += isa<tile::LoadOp, tile::StoreOp, tile::LoadViewOp,
                               tile::StoreViewOp, tile::AtomicRMWOp>(op);
               return accesses > few || isa<mlir::LoopLikeOpInterface>(op)
                          ? mlir::WalkResult::interrupt()
                          : mlir::WalkResult::advance();
             })
             .wasInterrupted();
  }
  return *knowsFewAccesses;
}

/// In 32 bits: coordinates of a tile are small. `at`: the block's corner.
void KernelLowering::addBounds(ViewAccess &access, const ViewParts &parts,
                               ArrayRef<Value *> at, mlir::ValueRange offsets,
                               ArrayRef<bool> checked) {
  const Coordinates extents = access.layout.getValue().shape();
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
    bool isRow = true; // the others have one element
    for (unsigned other = 0; other < at.size(); ++other) {
      isRow &= other == dim || extents[other] == 1;
    }
    Value *high = distanceIf(b, parts.shape[dim]);
    if (!high && fromZeroOn && isRow && hasFewAccesses()) {
      high = distanceFromProduct(b, at[dim], parts.shape[dim]);
    }
    high = high ? high : distance(b, at[dim], parts.shape[dim], fromZeroOn);
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
  addBounds(access, parts, at, offsets, checked);
  for (unsigned dim = 0; dim < rank; ++dim) {
    access.between.push_back(
        betweenBounds(runs, viewValue, offsets, dim, /*isChecked=*/true));
  }
  access.vector = unsigned(vectorOfView(runs, viewValue, offsets, checked,
                                        layout, hooks.vectorBytes())
                               .count);
  const SmallVector<bool> unchecked(rank, false);
  const VectorAccess dense = vectorOfView(runs, viewValue, offsets, unchecked,
                                          layout, hooks.vectorBytes());
  access.width = std::max(access.vector, unsigned(dense.count));
  access.dim = dense.dim;
  addIndices(access, parts, at, offsets, checked);
  access.corner = parts.base;
  for (unsigned dim = 0; dim < rank; ++dim) {
    access.corner = b.CreateGEP(b.getInt8Ty(), access.corner,
                                b.CreateMul(at[dim], access.strides[dim]));
  }
  access.base = access.isExact ? threadBase(access, parts, at) : access.corner;
  access.root = rootOfView(viewValue, checked);
  if (tile::MakeViewOp made = madeBy(viewValue)) {
    findNearPlaces(access, made);
  }
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
/// the vector that begins there? With c = coordinate - low, or the index and
/// `end` in place of `count`, and n elements: c < count; c < count - (n - 1);
/// c + (n - 1) < count + (n - 1).
Value *KernelLowering::insideOf(const ViewAccess &access, unsigned reg,
                                Part part) {
  Value *inside = nullptr;
  for (unsigned dim = 0; dim < access.count.size(); ++dim) {
    Value *count = access.count[dim];
    if (!count) {
      continue;
    }
    const std::optional<BlockIndex> &index = access.indices[dim];
    // Elements that no bound can divide ask once.
    SmallVector<int64_t, 4> same(access.count.size(), INT64_MAX);
    const bool isCut = dim == access.dim && part != Part::Element;
    same[dim] = isCut ? 1 : access.between[dim];
    const unsigned first = firstOfRun(access.layout.getValue(), reg, same);
    Value *c = index ? indexOf(access, first, dim)
                     : b.CreateSub(coordinate(access.layout, first, dim),
                                   access.low[dim]);
    count = index ? index->end : count;
    Value *more = b.getInt32(access.width - 1);
    if (dim == access.dim && part == Part::Whole) {
      count = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, count, more);
    } else if (dim == access.dim && part == Part::Some) {
      c = b.CreateAdd(c, more);
      count = b.CreateSelect(b.CreateICmpEQ(count, b.getInt32(0)), count,
                             b.CreateAdd(count, more));
    }
    Value *one = b.CreateICmpULT(c, count);
    one = index && index->fits ? b.CreateAnd(index->fits, one) : one;
    inside = inside ? b.CreateAnd(inside, one) : one;
  }
  return inside;
}

KernelLowering::Vectors KernelLowering::ofView(const ViewAccess &access) {
  Vectors vectors;
  vectors.registers = unsigned(access.layout.getValue().size(Axis::Register));
  vectors.uncut = access.vector;
  vectors.width = access.width;
  vectors.root = access.root;
  vectors.address = [&](unsigned reg) { return addressOf(access, reg); };
  if (access.near) {
    vectors.near = [&](unsigned reg) { return nearOf(access, reg); };
    vectors.hasEnd = access.end && !access.takesCut;
  }
  if (access.takesCut) {
    vectors.keep = [&](Value *vector, unsigned reg) {
      return keepInside(access, vector, reg);
    };
  }
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
  takeCutVectors(access, int64_t(op.getGroup()));
  std::function<Value *(unsigned)> other;
  if (op.getOther()) {
    other = [&](unsigned) {
      return arithmetic->toMemory(scalar(op.getOther()), access.element);
    };
  }
  Vectors vectors = onlyThen(ofView(access), access.end);
  MemoryHints hints = hintsOf(op);
  if (isLoadedByOwners(op)) {
    // What else turns it off gives a number to those who look.
    hints.isDeadWhereOff = !vectors.inside && !vectors.keep && !vectors.only;
    vectors = vectors.of(b, coordinatesOf(access.layout).isOwner);
  }
  Registers registers = loadVectors(
      vectors, arithmetic->memoryType(access.element), other, hints);
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
