//===- Shapes.cpp - making and rearranging tiles --------------------------===//
//
// What   Program ids, ranges, splats, broadcasting, and everything that moves
//        elements without computing on them.
// Why    Shapes are known at compile time: each mistake is found here, with
//        both shapes in its text, and nothing later has to look again.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tz::frontend {

/// The language's bound on the elements of one tile.
static constexpr int64_t MaxElements = int64_t(1) << 20;
/// And on its dimensions: those of the portable form.
static constexpr size_t MaxRank = 32;

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    text += (i ? ", " : "") + std::to_string(shape[i]);
  }
  return text + "]";
}

bool OpEmitter::checkShape(ArrayRef<int64_t> shape, SourceLoc loc) {
  if (shape.size() > MaxRank) {
    error(loc, "a tile has at most " + llvm::Twine(MaxRank) +
                   " dimensions, this one would have " +
                   llvm::Twine(shape.size()));
    return false;
  }
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent <= 0 || !llvm::isPowerOf2_64(uint64_t(extent))) {
      error(loc, "dimensions of a tile must be powers of two, found shape " +
                     shapeText(shape));
      return false;
    }
    if (extent > MaxElements / count) {
      error(loc, "a tile of shape " + shapeText(shape) +
                     " has more than 1048576 elements (limit of tile size)");
      return false;
    }
    count *= extent;
  }
  return true;
}

/// The numbers that an axis of so many dimensions may have.
static std::string axesOf(int64_t rank) {
  return rank == 0   ? "; a scalar has no axes"
         : rank == 1 ? "; its only axis is 0"
                     : "; its axes are 0 to " + std::to_string(rank - 1);
}

std::optional<int64_t> OpEmitter::dimension(int64_t axis, int64_t rank,
                                            SourceLoc loc) {
  if (axis < -rank || axis >= rank) {
    return error(loc, "axis " + llvm::Twine(axis) +
                          " is outside of a tile of " + llvm::Twine(rank) +
                          " dimension" + (rank == 1 ? "" : "s") + axesOf(rank));
  }
  return axis < 0 ? axis + rank : axis;
}

Value OpEmitter::splat(Value scalar, ArrayRef<int64_t> shape) {
  if (shape.empty()) {
    return scalar;
  }
  return tile::SplatOp::create(
      b, at, RankedTensorType::get(shape, scalar.getType()), scalar);
}

std::optional<Shape> OpEmitter::broadcastShape(ArrayRef<int64_t> a,
                                               ArrayRef<int64_t> b,
                                               SourceLoc loc) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < result.size(); ++i) {
    // Aligned at the last dimension, missing ones are 1.
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      return error(loc,
                   "shapes " + shapeText(a) + " and " + shapeText(b) +
                       " cannot be broadcast to one shape: " + llvm::Twine(x) +
                       " and " + llvm::Twine(y) + " at dimension " +
                       llvm::Twine(int64_t(result.size() - 1 - i)));
    }
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return checkShape(result, loc) ? std::optional<Shape>(result) : std::nullopt;
}

TileValue OpEmitter::stretch(const TileValue &x, ArrayRef<int64_t> shape) {
  if (ArrayRef<int64_t>(x.type.shape) == shape) {
    return x;
  }
  TileType type = x.type.withShape(shape);
  if (x.type.isScalar()) {
    return {splat(x.value, shape), type};
  }
  Value value = x.value;
  if (x.type.shape.size() < shape.size()) {
    Shape padded(shape.size() - x.type.shape.size(), 1);
    padded.append(x.type.shape.begin(), x.type.shape.end());
    value =
        tile::ReshapeOp::create(b, at, irType(x.type.withShape(padded)), value);
  }
  if (value.getType() != irType(type)) {
    value = tile::BroadcastOp::create(b, at, irType(type), value);
  }
  return {value, type};
}

OptionalTile OpEmitter::programId(int64_t axis, SourceLoc loc) {
  if (axis < 0 || axis > 2) {
    return error(loc, "program_id axis must be 0, 1 or 2, found " +
                          llvm::Twine(axis));
  }
  TileType type;
  type.elem = DType::I32;
  return TileValue{
      tile::ProgramIdOp::create(b, at, b.getI32Type(), uint32_t(axis))
          .getResult(),
      type};
}

OptionalTile OpEmitter::numPrograms(int64_t axis, SourceLoc loc) {
  if (axis < 0 || axis > 2) {
    return error(loc, "num_programs axis must be 0, 1 or 2, found " +
                          llvm::Twine(axis));
  }
  TileType type;
  type.elem = DType::I32;
  return TileValue{
      tile::NumProgramsOp::create(b, at, b.getI32Type(), uint32_t(axis))
          .getResult(),
      type};
}

OptionalTile OpEmitter::arange(int64_t start, int64_t end, SourceLoc loc) {
  if (!llvm::isInt<32>(start) || !llvm::isInt<32>(end)) {
    return error(loc, "arange bounds must fit int32, found " +
                          llvm::Twine(start) + " and " + llvm::Twine(end));
  }
  if (end <= start) {
    return error(loc, "arange end must be greater than start, found " +
                          llvm::Twine(start) + " and " + llvm::Twine(end));
  }
  int64_t length = end - start;
  if (!llvm::isPowerOf2_64(uint64_t(length))) {
    return error(loc, "arange length must be a power of two, found " +
                          llvm::Twine(length));
  }
  if (!checkShape({length}, loc)) {
    return std::nullopt;
  }
  TileType type;
  type.elem = DType::I32;
  type.shape = {length};
  return TileValue{
      tile::RangeOp::create(b, at, irType(type), uint32_t(start), uint32_t(end))
          .getResult(),
      type};
}

OptionalTile OpEmitter::full(ArrayRef<int64_t> shape, const Operand &value,
                             std::optional<TileType> dtype, SourceLoc loc) {
  if (!checkShape(shape, loc)) {
    return std::nullopt;
  }
  OptionalTile scalar;
  auto *number = std::get_if<Literal>(&value);
  if (number && dtype && !dtype->isPtr) {
    scalar = constant(*number, dtype->elem, loc);
  } else {
    scalar = materialise(value, loc);
    if (scalar && !scalar->type.isScalar() && scalar->type.numElements() == 1 &&
        !scalar->type.isView()) {
      scalar = item(*scalar, loc);
    }
    if (scalar && (!scalar->type.isScalar() || scalar->type.isView())) {
      return error(loc, "a tile is filled with a scalar, found " +
                            scalar->type.str());
    }
    if (scalar && dtype) {
      scalar = cast(*scalar, *dtype, "", false, loc);
    }
  }
  if (!scalar) {
    return std::nullopt;
  }
  return TileValue{splat(scalar->value, shape), scalar->type.withShape(shape)};
}

OptionalTile OpEmitter::broadcastTo(const Operand &operand,
                                    ArrayRef<int64_t> shape, SourceLoc loc,
                                    StringRef what, StringRef whose) {
  OptionalTile x = materialise(operand, loc);
  if (x->type.isView()) {
    return error(loc, x->type.str() + " cannot be broadcast");
  }
  if (!checkShape(shape, loc)) {
    return std::nullopt;
  }
  ArrayRef<int64_t> from = x->type.shape;
  bool fits = from.size() <= shape.size();
  for (size_t i = 0; fits && i < from.size(); ++i) {
    int64_t extent = from[from.size() - 1 - i];
    fits = extent == 1 || extent == shape[shape.size() - 1 - i];
  }
  if (!fits) {
    return error(loc,
                 what + " of shape " + shapeText(from) +
                     " cannot be broadcast to " + shapeText(shape) +
                     (whose.empty() ? "" : (", the shape of " + whose).str()));
  }
  return stretch(*x, shape);
}

std::optional<std::pair<TileValue, TileValue>>
OpEmitter::broadcast(const Operand &a, const Operand &c, SourceLoc loc) {
  OptionalTile x = materialise(a, loc), y = materialise(c, loc);
  if (x->type.isView() || y->type.isView()) {
    return error(loc, (x->type.isView() ? x : y)->type.str() +
                          " cannot be broadcast");
  }
  std::optional<Shape> shape =
      broadcastShape(x->type.shape, y->type.shape, loc);
  if (!shape) {
    return std::nullopt;
  }
  return std::make_pair(stretch(*x, *shape), stretch(*y, *shape));
}

OptionalTile OpEmitter::expandDims(const TileValue &x, ArrayRef<int64_t> axes,
                                   SourceLoc loc) {
  if (x.type.isView()) {
    return error(loc, x.type.str() + " has no dimensions to expand");
  }
  int64_t rank = x.type.shape.size() + axes.size();
  SmallVector<bool> isNew(rank, false);
  for (int64_t axis : axes) {
    std::optional<int64_t> at = dimension(axis, rank, loc);
    if (!at) {
      return std::nullopt;
    }
    if (isNew[*at]) {
      return error(loc,
                   "expand_dims names axis " + llvm::Twine(*at) + " twice");
    }
    isNew[*at] = true;
  }
  Shape shape;
  size_t next = 0;
  for (bool added : isNew) {
    shape.push_back(added ? 1 : x.type.shape[next++]);
  }
  return axes.empty() ? x : reshape(x, shape, loc);
}

OptionalTile OpEmitter::squeeze(const TileValue &x, int64_t axis,
                                SourceLoc loc) {
  std::optional<int64_t> dim = dimension(axis, x.type.shape.size(), loc);
  if (!dim) {
    return std::nullopt;
  }
  if (x.type.shape[*dim] != 1) {
    return error(loc, "squeeze needs a dimension of size 1, found shape " +
                          shapeText(x.type.shape) + " at axis " +
                          llvm::Twine(*dim));
  }
  Shape shape = x.type.shape;
  shape.erase(shape.begin() + *dim);
  return reshape(x, shape, loc);
}

OptionalTile OpEmitter::reshape(const TileValue &x, ArrayRef<int64_t> shape,
                                SourceLoc loc) {
  if (x.type.isView()) {
    return error(loc, x.type.str() + " cannot be reshaped");
  }
  if (!checkShape(shape, loc)) {
    return std::nullopt;
  }
  TileType type = x.type.withShape(shape);
  if (type.numElements() != x.type.numElements()) {
    return error(loc, "a tile of shape " + shapeText(x.type.shape) + " (" +
                          llvm::Twine(x.type.numElements()) +
                          " elements) cannot be reshaped to " +
                          shapeText(shape) + " (" +
                          llvm::Twine(type.numElements()) + ")");
  }
  if (type == x.type) {
    return x;
  }
  if (shape.empty()) {
    return item(x, loc);
  }
  if (x.type.isScalar()) {
    return TileValue{splat(x.value, shape), type};
  }
  return TileValue{
      tile::ReshapeOp::create(b, at, irType(type), x.value).getResult(), type};
}

OptionalTile OpEmitter::permute(const TileValue &x, ArrayRef<int64_t> dims,
                                SourceLoc loc) {
  int64_t rank = x.type.shape.size();
  if (x.type.isView()) {
    return error(loc, x.type.str() + " cannot be transposed");
  }
  SmallVector<int64_t> order;
  if (dims.empty()) {
    if (rank < 2) {
      return error(loc, "transposition needs two dimensions, found shape " +
                            shapeText(x.type.shape) +
                            "; x[:, None] is a column");
    }
    for (int64_t i = 0; i < rank; ++i) {
      order.push_back(i);
    }
    std::swap(order[rank - 1], order[rank - 2]);
  } else {
    SmallVector<bool> seen(rank, false);
    bool valid = int64_t(dims.size()) == rank;
    for (int64_t dim : dims) {
      int64_t wrapped = dim < 0 ? dim + rank : dim;
      valid = valid && wrapped >= 0 && wrapped < rank && !seen[wrapped];
      if (!valid) {
        break;
      }
      seen[wrapped] = true;
      order.push_back(wrapped);
    }
    if (!valid) {
      return error(loc, shapeText(dims) +
                            " is not a permutation of the dimensions of " +
                            x.type.str());
    }
  }
  Shape shape;
  for (int64_t dim : order) {
    shape.push_back(x.type.shape[dim]);
  }
  TileType type = x.type.withShape(shape);
  return TileValue{
      tile::TransposeOp::create(b, at, irType(type), x.value, order)
          .getResult(),
      type};
}

OptionalTile OpEmitter::join(const Operand &a, const Operand &c,
                             SourceLoc loc) {
  auto pair = broadcast(a, c, loc);
  if (!pair) {
    return std::nullopt;
  }
  auto &[x, y] = *pair;
  if (x.type != y.type) {
    return error(loc, "join needs operands of one type, found " + x.type.str() +
                          " and " + y.type.str());
  }
  Shape shape = x.type.shape;
  shape.push_back(2);
  if (!checkShape(shape, loc)) {
    return std::nullopt;
  }
  TileType type = x.type.withShape(shape);
  return TileValue{
      tile::JoinOp::create(b, at, irType(type), x.value, y.value).getResult(),
      type};
}

std::optional<std::pair<TileValue, TileValue>>
OpEmitter::split(const TileValue &x, SourceLoc loc) {
  if (x.type.isView() || x.type.isScalar() || x.type.shape.back() != 2) {
    return error(loc, "split needs a tile whose last dimension is 2, found " +
                          x.type.str());
  }
  TileType type = x.type.withShape(ArrayRef(x.type.shape).drop_back());
  Type half = irType(type);
  auto op = tile::SplitOp::create(b, at, half, half, x.value);
  return std::make_pair(TileValue{op.getLhs(), type},
                        TileValue{op.getRhs(), type});
}

OptionalTile OpEmitter::cat(const TileValue &x, const TileValue &y,
                            int64_t axis, SourceLoc loc) {
  if (x.type.isView() || x.type.isScalar() || x.type != y.type) {
    return error(loc, "cat needs two tiles of one type, found " + x.type.str() +
                          " and " + y.type.str());
  }
  std::optional<int64_t> dim = dimension(axis, x.type.shape.size(), loc);
  if (!dim) {
    return std::nullopt;
  }
  Shape shape = x.type.shape;
  shape[*dim] *= 2;
  if (!checkShape(shape, loc)) {
    return std::nullopt;
  }
  TileType type = x.type.withShape(shape);
  return TileValue{
      tile::CatOp::create(b, at, irType(type), x.value, y.value, uint32_t(*dim))
          .getResult(),
      type};
}

OptionalTile OpEmitter::gather(const TileValue &x, const TileValue &index,
                               int64_t axis, SourceLoc loc) {
  if (x.type.isView() || x.type.isScalar()) {
    return error(loc, "gather needs a tile, found " + x.type.str());
  }
  if (index.type.isPtr || index.type.isView() || !isInteger(index.type.elem) ||
      index.type.elem == DType::I1) {
    return error(loc, "indices of gather must be integers, found " +
                          index.type.str());
  }
  std::optional<int64_t> dim = dimension(axis, x.type.shape.size(), loc);
  if (!dim) {
    return std::nullopt;
  }
  bool fits = x.type.shape.size() == index.type.shape.size();
  for (size_t i = 0; fits && i < x.type.shape.size(); ++i) {
    fits = int64_t(i) == *dim || x.type.shape[i] == index.type.shape[i];
  }
  if (!fits) {
    return error(loc, "indices of gather must have the source's shape but at "
                      "the axis; shapes are " +
                          shapeText(x.type.shape) + " and " +
                          shapeText(index.type.shape) + ", axis " +
                          llvm::Twine(*dim));
  }
  TileType type = x.type.withShape(index.type.shape);
  return TileValue{tile::GatherOp::create(b, at, irType(type), x.value,
                                          index.value, uint32_t(*dim))
                       .getResult(),
                   type};
}

OptionalTile OpEmitter::item(const TileValue &x, SourceLoc loc) {
  if (x.type.isView() || x.type.numElements() != 1) {
    return error(loc, "a scalar is made of a tile with one element, found " +
                          x.type.str());
  }
  if (x.type.isScalar()) {
    return x;
  }
  // With one element there is nothing to combine: the region is never run.
  TileValue flat = x;
  if (x.type.shape.size() > 1) {
    flat.type = x.type.withShape({1});
    flat.value = tile::ReshapeOp::create(b, at, irType(flat.type), x.value);
  }
  auto first = [](ArrayRef<TileValue> a,
                  ArrayRef<TileValue>) -> std::optional<TileList> {
    return TileList(a.begin(), a.end());
  };
  auto result = reduce({flat}, 0, false, first, loc);
  return result ? OptionalTile(result->front()) : std::nullopt;
}

} // namespace tz::frontend
