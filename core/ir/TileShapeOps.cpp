//===- TileShapeOps.cpp - making and rearranging tiles --------------------===//
//
// What   Numbered constraints and folders of TileShapeOps.td.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/ir/Tile.h"

using namespace mlir;
using namespace tz::tile;

LogicalResult RangeOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  int64_t start = static_cast<int32_t>(getStart());
  int64_t end = static_cast<int32_t>(getEnd());
  if (type.getRank() != 1 || end <= start ||
      type.getDimSize(0) != end - start) {
    return emitOpError("C1: ")
           << start << " to " << end << " does not give " << type;
  }
  return success();
}

LogicalResult SplatOp::verify() {
  if (elementType(getResult().getType()) != getSource().getType()) {
    return emitOpError("C1: element type of ")
           << getResult().getType() << " is not " << getSource().getType();
  }
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getSource())) {
    return DenseElementsAttr::get(cast<ShapedType>(getType()),
                                  adaptor.getSource());
  }
  return {};
}

LogicalResult BroadcastOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from.getRank() != to.getRank() ||
      from.getElementType() != to.getElementType()) {
    return emitOpError("C1: ranks or element types of ")
           << from << " and " << to << " differ";
  }
  for (auto [a, b] : llvm::zip(from.getShape(), to.getShape())) {
    if (a != b && a != 1) {
      return emitOpError("C2: ") << from << " cannot be broadcast to " << to;
    }
  }
  return success();
}

/// Identity, or another shape of a splat constant.
static OpFoldResult foldResize(Value source, Attribute constant, Type to) {
  if (source.getType() == to) {
    return source;
  }
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(constant)) {
    return SplatElementsAttr::get(cast<ShapedType>(to),
                                  splat.getSplatValue<Attribute>());
  }
  return {};
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  return foldResize(getSource(), adaptor.getSource(), getType());
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from.getElementType() != to.getElementType() ||
      from.getNumElements() != to.getNumElements()) {
    return emitOpError("C1: ") << from << " cannot be reshaped to " << to;
  }
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getSource().getDefiningOp<ReshapeOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return foldResize(getSource(), adaptor.getSource(), getType());
}

LogicalResult TransposeOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  ArrayRef<int64_t> order = getOrder();
  SmallVector<bool> seen(from.getRank(), false);
  bool valid = static_cast<int64_t>(order.size()) == from.getRank();
  for (int64_t dim : order) {
    valid = valid && dim >= 0 && dim < from.getRank() && !seen[dim];
    if (!valid) {
      break;
    }
    seen[dim] = true;
  }
  if (!valid) {
    return emitOpError("C1: order is not a permutation of the dimensions of ")
           << from;
  }
  valid = from.getElementType() == to.getElementType() &&
          to.getRank() == from.getRank();
  for (size_t i = 0; valid && i < order.size(); ++i) {
    valid = to.getDimSize(i) == from.getDimSize(order[i]);
  }
  if (!valid) {
    return emitOpError("C2: ") << to << " is not " << from << " permuted";
  }
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  bool identity = true;
  for (auto [i, dim] : llvm::enumerate(getOrder())) {
    identity = identity && static_cast<int64_t>(i) == dim;
  }
  if (identity) {
    return getSource();
  }
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource())) {
    return SplatElementsAttr::get(cast<ShapedType>(getType()),
                                  splat.getSplatValue<Attribute>());
  }
  return {};
}

static bool isPairOf(Type pair, Type one) {
  auto tensor = cast<RankedTensorType>(pair);
  return tensor.getElementType() == elementType(one) && tensor.getRank() > 0 &&
         tensor.getShape().back() == 2 &&
         tensor.getShape().drop_back() == shapeOf(one);
}

LogicalResult JoinOp::verify() {
  if (!isPairOf(getResult().getType(), getLhs().getType())) {
    return emitOpError("C1: ") << getResult().getType() << " is not a pair of "
                               << getLhs().getType();
  }
  return success();
}

LogicalResult SplitOp::verify() {
  if (!isPairOf(getSource().getType(), getLhs().getType())) {
    return emitOpError("C1: ") << getSource().getType() << " is not a pair of "
                               << getLhs().getType();
  }
  return success();
}

LogicalResult CatOp::verify() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  bool valid = lhs.getRank() == rhs.getRank() &&
               lhs.getRank() == to.getRank() &&
               getDim() < static_cast<uint32_t>(lhs.getRank()) &&
               lhs.getElementType() == rhs.getElementType() &&
               lhs.getElementType() == to.getElementType();
  for (int64_t i = 0; valid && i < lhs.getRank(); ++i) {
    int64_t a = lhs.getDimSize(i), b = rhs.getDimSize(i), c = to.getDimSize(i);
    valid = i == getDim() ? a + b == c : a == b && b == c;
  }
  if (!valid) {
    return emitOpError("C1: ") << lhs << " and " << rhs << " do not join to "
                               << to << " along dimension " << getDim();
  }
  return success();
}

LogicalResult GatherOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (indices.getShape() != to.getShape() ||
      source.getElementType() != to.getElementType()) {
    return emitOpError("C1: result ")
           << to << " needs the indices' shape and the source's element type";
  }
  bool valid = source.getRank() == indices.getRank() &&
               getAxis() < static_cast<uint32_t>(source.getRank());
  for (int64_t i = 0; valid && i < source.getRank(); ++i) {
    valid = i == getAxis() || source.getDimSize(i) == indices.getDimSize(i);
  }
  if (!valid) {
    return emitOpError("C2: indices ") << indices << " do not fit " << source
                                       << " along axis " << getAxis();
  }
  return success();
}

#define GET_OP_CLASSES
#include "terrazzo/ir/TileShapeOps.cpp.inc"
