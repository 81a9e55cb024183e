//===- Gather.cpp - gather and histogram ----------------------------------===//
//
// What   Elements that the values of another thread choose: through shared
//        memory, or through registers and lanes where they are known partners.
// Why    See terrazzo/simt/SimtLowering.h.
//===----------------------------------------------------------------------===//
#include "core/simt/lower/KernelLowering.h"

#include "mlir/IR/Matchers.h"

using namespace llvm;

namespace tz::simt {

/// Is the value an element's own coordinate along `dim`?
static bool isCoordinate(mlir::Value value, unsigned dim) {
  mlir::Operation *op = value.getDefiningOp();
  if (auto range = dyn_cast_or_null<tile::RangeOp>(op)) {
    return range.getStart() == 0;
  }
  if (auto broadcast = dyn_cast_or_null<tile::BroadcastOp>(op)) {
    mlir::Value source = broadcast.getSource();
    return tile::shapeOf(source.getType())[dim] ==
               tile::shapeOf(broadcast.getType())[dim] &&
           isCoordinate(source, dim);
  }
  if (auto reshape =
          dyn_cast_or_null<tile::ReshapeOp>(op)) { // a line along dim
    mlir::Value source = reshape.getSource();
    ArrayRef<int64_t> shape = tile::shapeOf(reshape.getType());
    return tile::shapeOf(source.getType()).size() == 1 &&
           tile::shapeOf(source.getType())[0] == shape[dim] &&
           isCoordinate(source, 0);
  }
  if (auto convert = dyn_cast_or_null<ConvertOp>(op)) {
    return isCoordinate(convert.getSource(), dim);
  }
  return false;
}

/// The number that all elements are; none: they differ, or are not known.
static std::optional<int64_t> splatOf(mlir::Value value) {
  mlir::DenseElementsAttr elements;
  if (!mlir::matchPattern(value, mlir::m_Constant(&elements)) ||
      !elements.isSplat()) {
    return std::nullopt;
  }
  return elements.getSplatValue<APInt>().getSExtValue();
}

/// Indices that are the element's own but for some bits: these, else 0. Along
/// a power of two, the indices of a reversed tile are all bits flipped.
static int64_t flippedBits(tile::GatherOp op) {
  mlir::Operation *flip = op.getIndices().getDefiningOp();
  const int64_t extent = tile::shapeOf(op.getSource().getType())[op.getAxis()];
  if (!isPowerOf2_64(uint64_t(extent))) {
    return 0;
  }
  if (auto reversed = dyn_cast_or_null<mlir::arith::SubIOp>(flip)) {
    return splatOf(reversed.getLhs()) == extent - 1 &&
                   isCoordinate(reversed.getRhs(), op.getAxis())
               ? extent - 1
               : 0;
  }
  if (!isa_and_nonnull<mlir::arith::XOrIOp>(flip)) {
    return 0;
  }
  mlir::Value index = flip->getOperand(0), mask = flip->getOperand(1);
  std::optional<int64_t> bits = splatOf(mask);
  if (!bits) {
    bits = splatOf(index);
    std::swap(index, mask);
  }
  return bits && isCoordinate(index, op.getAxis()) && *bits > 0 &&
                 *bits < extent
             ? *bits
             : 0;
}

/// The other element of each pair, as sorting networks and reversed tiles want
/// it: in another register of the thread, of the same or of another lane.
std::optional<Registers> KernelLowering::partners(tile::GatherOp op) {
  const Layout &layout = layoutOf(op.getSource());
  const auto bits = uint64_t(flippedBits(op));
  if (bits == 0 || layout != layoutOf(op.getResult()) || !layout.isLinear()) {
    return std::nullopt;
  }
  unsigned registersFlipped = 0, lanesFlipped = 0;
  for (unsigned i = 0; i < Log2_64(bits) + 1; ++i) {
    if ((bits >> i & 1) == 0) {
      continue;
    }
    Coordinates step(layout.rank(), 0);
    step[op.getAxis()] = int64_t{1} << i;
    auto bitOf = [&](Axis axis) {
      ArrayRef<Coordinates> bases = layout.bases(axis);
      const auto *found = llvm::find(bases, step);
      return found == bases.end() ? 0u : 1u << (found - bases.begin());
    };
    const unsigned inRegister = bitOf(Axis::Register);
    const unsigned inLane = inRegister == 0 ? bitOf(Axis::Lane) : 0;
    if (inRegister == 0 && inLane == 0) {
      return std::nullopt;
    }
    registersFlipped |= inRegister;
    lanesFlipped |= inLane;
  }
  const Registers &values = tile(op.getSource());
  Registers result;
  for (unsigned reg = 0; reg < values.size(); ++reg) {
    Value *value = values[reg ^ registersFlipped];
    result.push_back(lanesFlipped == 0 ? value
                                       : shuffleXorAny(value, lanesFlipped));
  }
  return result;
}

void KernelLowering::gatherOp(tile::GatherOp op) {
  if (auto registers = partners(op)) {
    define(op.getResult(), std::move(*registers));
    return;
  }
  ArrayRef<int64_t> shape = tile::shapeOf(op.getSource().getType());
  mlir::Type element = tile::elementType(op.getType());
  LayoutAttr source = layoutAttr(op.getSource().getType()),
             target = layoutAttr(op.getType());
  int64_t count =
      cast<mlir::RankedTensorType>(op.getSource().getType()).getNumElements();
  Region region = allocate(uint64_t(count * tile::storageBytes(element)));
  willWrite(region);
  const Registers &values = tile(op.getSource());
  for (unsigned reg = 0; reg < values.size(); ++reg) {
    scratchStore(region, linearIndex(source, reg, shape), values[reg], element);
  }
  willRead(region);
  const Registers &indices = tile(op.getIndices());
  Registers registers;
  for (unsigned reg = 0; reg < indices.size(); ++reg) {
    Value *at = b.getInt32(0);
    Value *wide = b.CreateSExtOrTrunc(indices[reg], b.getInt64Ty());
    const auto extent = uint64_t(shape[op.getAxis()]);
    Value *isInside = b.CreateICmpULT(wide, b.getInt64(extent));
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      Value *c =
          dim == op.getAxis()
              ? b.CreateTrunc(b.CreateSelect(isInside, wide, b.getInt64(0)),
                              b.getInt32Ty())
              : coordinate(target, reg, dim);
      at = b.CreateAdd(b.CreateMul(at, b.getInt32(uint32_t(shape[dim]))), c);
    }
    Value *got = scratchLoad(region, at, element);
    registers.push_back(
        b.CreateSelect(isInside, got, Constant::getNullValue(got->getType())));
  }
  scratch.release(region);
  define(op.getResult(), std::move(registers));
}

void KernelLowering::histogram(tile::HistogramOp op) {
  const auto bins = uint32_t(tile::shapeOf(op.getType())[0]);
  const unsigned threads = hooks.lanes() * warps;
  Region region = allocate(uint64_t{bins} * 4);
  willWrite(region);
  for (uint32_t first = 0; first < bins; first += threads) {
    Value *at = b.CreateAdd(thread, b.getInt32(first));
    auto clear = [&] {
      b.CreateStore(b.getInt32(0), scratchAt(region, at, b.getInt32Ty()));
    };
    if (first + threads <= bins) {
      clear();
    } else {
      emitIf(b.CreateICmpULT(at, b.getInt32(bins)), clear);
    }
  }
  synchronize(Memories::shared);
  LayoutAttr layout = layoutAttr(op.getSource().getType());
  Value *owner = coordinatesOf(layout).isOwner;
  const Registers &values = tile(op.getSource());
  for (unsigned reg = 0; reg < values.size(); ++reg) {
    if (isCopy(layout.getValue(), reg)) {
      continue;
    }
    // As wide as the value: what does not fit in 32 bits is in no bin.
    Value *isCounted = b.CreateICmpULT(
        values[reg]->getType()->getScalarSizeInBits() < 32
            ? b.CreateSExt(values[reg], b.getInt32Ty())
            : values[reg],
        ConstantInt::get(values[reg]->getType()->getScalarSizeInBits() < 32
                             ? b.getInt32Ty()
                             : values[reg]->getType(),
                         bins));
    if (op.getMask()) {
      isCounted = b.CreateAnd(isCounted, tile(op.getMask())[reg]);
    }
    if (owner) {
      isCounted = b.CreateAnd(isCounted, owner);
    }
    Value *bin = b.CreateSExtOrTrunc(values[reg], b.getInt32Ty());
    emitIf(isCounted, [&] {
      b.CreateAtomicRMW(AtomicRMWInst::Add,
                        scratchAt(region, bin, b.getInt32Ty()), b.getInt32(1),
                        Align(4), AtomicOrdering::Monotonic,
                        context.getOrInsertSyncScopeID(
                            hooks.syncScope(tile::MemScope::program)));
    });
  }
  synchronize(Memories::shared);
  LayoutAttr target = layoutAttr(op.getType());
  mlir::Type count = tile::elementType(op.getType());
  Registers registers;
  hazards.note(Accesses::read(region));
  for (unsigned reg = 0; reg < target.getValue().size(Axis::Register); ++reg) {
    registers.push_back(scratchLoad(region, coordinate(target, reg, 0), count));
  }
  scratch.release(region);
  define(op.getResult(), std::move(registers));
}

} // namespace tz::simt
