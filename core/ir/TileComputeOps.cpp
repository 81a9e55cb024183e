//===- TileComputeOps.cpp - arithmetic beyond arith, dot, reduce ----------===//
//
// What   Numbered constraints of TileComputeOps.td.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/ir/Tile.h"

using namespace mlir;
using namespace tz::tile;

/// A constant, or a tile of equal ones, as integers: cut off, at the ends of
/// the range beyond it, NaN as 0 (P15).
static OpFoldResult foldToInteger(Attribute source, Type result,
                                  bool isSigned) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(source);
  auto number = dyn_cast_or_null<FloatAttr>(
      splat ? splat.getSplatValue<Attribute>() : source);
  Type element = elementType(result);
  if (!number || element.isInteger(1)) {
    return {};
  }
  llvm::APSInt integer(element.getIntOrFloatBitWidth(), !isSigned);
  bool isExact = false;
  number.getValue().convertToInteger(integer, llvm::APFloat::rmTowardZero,
                                     &isExact);
  Attribute folded = IntegerAttr::get(element, integer);
  return splat ? Attribute(
                     DenseElementsAttr::get(cast<ShapedType>(result), folded))
               : folded;
}

/// A conversion to an integer leaves the fraction out itself.
static bool skipTruncation(OpOperand &source) {
  auto whole = source.get().getDefiningOp<MathOp>();
  if (!whole || whole.getFn() != MathFn::trunc) {
    return false;
  }
  source.set(whole->getOperand(0));
  return true;
}

OpFoldResult FPToSIOp::fold(FoldAdaptor adaptor) {
  if (skipTruncation(getSourceMutable())) {
    return getResult();
  }
  return foldToInteger(adaptor.getSource(), getType(), true);
}

OpFoldResult FPToUIOp::fold(FoldAdaptor adaptor) {
  if (skipTruncation(getSourceMutable())) {
    return getResult();
  }
  return foldToInteger(adaptor.getSource(), getType(), false);
}

LogicalResult TruncFOp::verify() {
  Type from = elementType(getSource().getType());
  Type to = elementType(getResult().getType());
  if (from == to || to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth()) {
    return emitOpError("C1: ") << from << " does not narrow to " << to;
  }
  return success();
}

LogicalResult BitcastOp::verify() {
  Type from = elementType(getSource().getType());
  Type to = elementType(getResult().getType());
  bool pointers = isa<PtrType>(from) && isa<PtrType>(to);
  bool mixed = isa<PtrType>(from) != isa<PtrType>(to);
  if (mixed || (!pointers &&
                from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())) {
    return emitOpError("C1: ")
           << from << " and " << to << " do not have one width";
  }
  return success();
}

LogicalResult PtrToIntOp::verify() {
  if (!elementType(getResult().getType()).isInteger(64)) {
    return emitOpError("C1: an address is an i64");
  }
  return success();
}

LogicalResult IntToPtrOp::verify() {
  if (!elementType(getSource().getType()).isInteger(64)) {
    return emitOpError("C1: an address is an i64");
  }
  return success();
}

static bool isFloat8(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  int64_t rank = a.getRank();
  bool shapes =
      (rank == 2 || rank == 3) && b.getRank() == rank && acc.getRank() == rank;
  if (shapes) {
    int64_t m = rank - 2, n = rank - 1;
    shapes = a.getDimSize(m) == acc.getDimSize(m) &&
             a.getDimSize(n) == b.getDimSize(m) &&
             b.getDimSize(n) == acc.getDimSize(n) &&
             (rank == 2 || (a.getDimSize(0) == b.getDimSize(0) &&
                            a.getDimSize(0) == acc.getDimSize(0)));
  }
  if (!shapes) {
    return emitOpError("C1: ") << a << " x " << b << " does not give " << acc;
  }
  Type in = a.getElementType(), out = acc.getElementType();
  bool same = in == b.getElementType();
  if (!same && !(isFloat8(in) && isFloat8(b.getElementType()))) {
    return emitOpError("C2: operands are ")
           << in << " and " << b.getElementType();
  }
  bool fits = (in.isInteger(8) && out.isInteger(32)) ||
              (in.isF64() && out.isF64()) ||
              ((in.isF32() || in.isBF16()) && out.isF32()) ||
              ((in.isF16() || isFloat8(in)) && (out.isF32() || out.isF16()));
  if (!fits) {
    return emitOpError("C3: a dot of ")
           << in << " cannot accumulate in " << out;
  }
  return success();
}

/// Constraints that reduce and scan share: sources (C1), region (C2), axis
/// (C3).
static LogicalResult verifyCombine(Operation *op, ValueRange sources,
                                   Region &region, uint32_t axis) {
  if (sources.empty()) {
    return op->emitOpError("C1: at least one source is needed");
  }
  ArrayRef<int64_t> shape = shapeOf(sources.front().getType());
  for (Value source : sources) {
    if (shapeOf(source.getType()) != shape) {
      return op->emitOpError("C1: sources differ in shape");
    }
  }
  size_t n = sources.size();
  Block &block = region.front();
  auto yield =
      dyn_cast_if_present<YieldOp>(block.empty() ? nullptr : &block.back());
  bool valid = block.getNumArguments() == 2 * n && yield &&
               yield.getValues().size() == n;
  for (size_t i = 0; valid && i < n; ++i) {
    Type element = elementType(sources[i].getType());
    valid = block.getArgument(i).getType() == element &&
            block.getArgument(n + i).getType() == element &&
            yield.getValues()[i].getType() == element;
  }
  if (!valid) {
    return op->emitOpError("C2: the region must combine two times ")
           << n << " scalars of the sources' element types into " << n;
  }
  if (axis >= shape.size()) {
    return op->emitOpError("C3: axis ")
           << axis << " is not a dimension of " << sources.front().getType();
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyCombine(*this, getSources(), getCombine(), getAxis()))) {
    return failure();
  }
  SmallVector<int64_t> shape(shapeOf(getSources().front().getType()));
  shape.erase(shape.begin() + getAxis());
  bool valid = getResults().size() == getSources().size();
  for (size_t i = 0; valid && i < getResults().size(); ++i) {
    Type result = getResults()[i].getType();
    valid = shapeOf(result) == ArrayRef<int64_t>(shape) &&
            isa<RankedTensorType>(result) == !shape.empty() &&
            elementType(result) == elementType(getSources()[i].getType());
  }
  if (!valid) {
    return emitOpError("C1: results must be the sources without axis ")
           << getAxis();
  }
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyCombine(*this, getSources(), getCombine(), getAxis()))) {
    return failure();
  }
  if (getResultTypes() != getSources().getTypes()) {
    return emitOpError("C1: results must have the sources' types");
  }
  return success();
}

LogicalResult MapOp::verify() {
  if (getSources().empty()) {
    return emitOpError("C1: at least one source is needed");
  }
  ArrayRef<int64_t> shape = shapeOf(getSources().front().getType());
  for (Type type : getOperation()->getOperandTypes()) {
    if (shapeOf(type) != shape) {
      return emitOpError("C1: sources differ in shape");
    }
  }
  for (Type type : getOperation()->getResultTypes()) {
    if (shapeOf(type) != shape) {
      return emitOpError("C1: results must have the sources' shape");
    }
  }
  return success();
}

LogicalResult MapOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield =
      dyn_cast_if_present<YieldOp>(block.empty() ? nullptr : &block.back());
  auto scalars = [](TypeRange tiles, auto &&values) {
    return tiles.size() == values.size() &&
           llvm::all_of(llvm::zip(tiles, values), [](auto pair) {
             return elementType(std::get<0>(pair)) ==
                    std::get<1>(pair).getType();
           });
  };
  if (!yield || !scalars(getSources().getTypes(), block.getArguments()) ||
      !scalars(getResults().getTypes(), yield.getValues())) {
    return emitOpError("C2: the region must take a scalar of each source and "
                       "yield one of each result");
  }
  WalkResult tiles = getBody().walk([](Operation *op) {
    return llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return tiles.wasInterrupted() ? emitOpError("C3: the region makes a tile")
                                : success();
}

LogicalResult HistogramOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (source.getRank() != 1 || to.getRank() != 1) {
    return emitOpError("C1: source and result must be 1-D");
  }
  if (getMask() && shapeOf(getMask().getType()) != source.getShape()) {
    return emitOpError("C2: the mask must have the source's shape");
  }
  return success();
}

#define GET_OP_CLASSES
#include "terrazzo/ir/TileComputeOps.cpp.inc"
