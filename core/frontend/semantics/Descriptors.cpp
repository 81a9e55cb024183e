//===- Descriptors.cpp - rows and atomics through tensor descriptors ------===//
//
// What   gather, scatter and atomics of a descriptor: accesses through pointers
//        to its elements, masked where they are outside.
// Why    They are no block of a view. The parts of the view come from where it
//        is made; from tile.view_parts if it went through control flow.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

#include <limits>

using namespace mlir;

namespace tz::frontend {

static TileValue scalarOf(Value value) {
  TileType type;
  type.elem = DType::I64;
  return {value, type};
}

DescriptorParts OpEmitter::descriptorParts(const TileValue &descriptor) {
  DescriptorParts parts;
  TileType pointer;
  pointer.elem = descriptor.type.elem;
  pointer.isPtr = true;
  pointer.isConstPtr = descriptor.type.isConstPtr;
  auto add = [](TileList &list, ValueRange values) {
    for (Value value : values) {
      list.push_back(scalarOf(value));
    }
  };
  if (auto make = descriptor.value.getDefiningOp<tile::MakeViewOp>()) {
    parts.base = {make.getBase(), pointer};
    add(parts.shape, make.getShape());
    add(parts.strides, make.getStrides());
    return parts;
  }
  size_t rank = descriptor.type.shape.size();
  SmallVector<Type> types{irType(pointer)};
  types.append(3 * rank, b.getI64Type());
  auto op = tile::ViewPartsOp::create(b, at, types, descriptor.value);
  parts.base = {op.getBase(), pointer};
  add(parts.shape, op.getShape());
  add(parts.strides, op.getStrides());
  return parts;
}

/// Pointers to the elements at `indices` (one int64 tile a dimension, of shapes
/// that broadcast), and which of them are inside.
std::optional<std::pair<TileValue, TileValue>>
OpEmitter::descriptorLanes(const TileValue &descriptor, const TileList &indices,
                           SourceLoc loc) {
  DescriptorParts parts = descriptorParts(descriptor);
  OptionalTile offset, inside;
  for (auto [d, index] : llvm::enumerate(indices)) {
    OptionalTile step = binary(BinaryFn::Mul, index, parts.strides[d], loc);
    OptionalTile low = compare(CompareFn::Ge, index, Literal(int64_t(0)), loc);
    OptionalTile high = compare(CompareFn::Lt, index, parts.shape[d], loc);
    OptionalTile both =
        low && high ? binary(BinaryFn::And, *low, *high, loc) : std::nullopt;
    if (!step || !both) {
      return std::nullopt;
    }
    offset = offset ? binary(BinaryFn::Add, *offset, *step, loc) : step;
    inside = inside ? binary(BinaryFn::And, *inside, *both, loc) : both;
  }
  OptionalTile pointer =
      offset ? addPointer(parts.base, *offset, false, loc) : std::nullopt;
  return pointer && inside ? std::optional(std::pair(*pointer, *inside))
                           : std::nullopt;
}

/// first + 0, 1 ... along `dim` of `rank`, in int64.
OptionalTile OpEmitter::indexLine(const TileValue &first, int64_t extent,
                                  size_t dim, size_t rank, SourceLoc loc) {
  OptionalTile line = arange(0, extent, loc);
  Shape shape(rank, 1);
  shape[dim] = extent;
  line = line ? reshape(convert(*line, DType::I64), shape, loc) : line;
  return line ? binary(BinaryFn::Add, *line, convert(first, DType::I64), loc)
              : line;
}

/// Row indices and the first column of gather and scatter; the indices of
/// their elements.
std::optional<TileList> OpEmitter::rowIndices(const TileValue &descriptor,
                                              const TileValue &rows,
                                              const Operand &column,
                                              StringRef what, SourceLoc loc) {
  const TileType &type = descriptor.type;
  if (!type.isDescriptor || type.shape.size() != 2 || type.shape[0] != 1) {
    return error(loc, what +
                          " needs a tensor descriptor of two dimensions "
                          "with blocks of one row, found " +
                          type.str());
  }
  bool wide = rows.type.elem == DType::I32 || rows.type.elem == DType::I16 ||
              rows.type.elem == DType::U16;
  if (rows.type.isPtr || rows.type.isView() || !wide ||
      rows.type.shape.size() != 1 || rows.type.shape[0] < 8) {
    return error(loc, "rows of " + what +
                          " must be a tile of one dimension with 8 or more "
                          "elements of int16 or int32, found " +
                          rows.type.str());
  }
  OptionalTile first = materialise(column, loc);
  if (!first->type.isScalar() || first->type.isPtr || first->type.isView() ||
      !isInteger(first->type.elem) || bitWidth(first->type.elem) > 32) {
    return error(loc, "the column of " + what +
                          " must be an integer scalar of up to 32 bits, "
                          "found " +
                          first->type.str());
  }
  OptionalTile down = expandDims(convert(rows, DType::I64), {1}, loc);
  OptionalTile across = indexLine(*first, type.shape[1], 1, 2, loc);
  if (!down || !across) {
    return std::nullopt;
  }
  return TileList{*down, *across};
}

OptionalTile OpEmitter::gatherRows(const TileValue &descriptor,
                                   const TileValue &rows, const Operand &column,
                                   SourceLoc loc) {
  auto indices =
      rowIndices(descriptor, rows, column, "a descriptor's gather", loc);
  auto lanes =
      indices ? descriptorLanes(descriptor, *indices, loc) : std::nullopt;
  if (!lanes) {
    return std::nullopt;
  }
  LoadOptions options;
  options.mask = lanes->second;
  if (descriptor.type.padsWithNaN) {
    options.other = Literal(std::numeric_limits<double>::quiet_NaN());
  }
  return load(lanes->first, options, loc);
}

bool OpEmitter::scatterRows(const TileValue &descriptor, const TileValue &value,
                            const TileValue &rows, const Operand &column,
                            SourceLoc loc) {
  auto indices =
      rowIndices(descriptor, rows, column, "a descriptor's scatter", loc);
  if (!indices) {
    return false;
  }
  Shape block{rows.type.shape[0], descriptor.type.shape[1]};
  if (value.type.shape != block || value.type.isView()) {
    error(loc, "a descriptor's scatter of " + llvm::Twine(block[0]) +
                   " rows takes a tile of shape " + shapeText(block) +
                   ", found " + value.type.str());
    return false;
  }
  auto lanes = descriptorLanes(descriptor, *indices, loc);
  StoreOptions options;
  if (lanes) {
    options.mask = lanes->second;
  }
  return lanes && store(lanes->first, value, options, loc);
}

bool OpEmitter::atomicDescriptor(StringRef kind, const TileValue &descriptor,
                                 ArrayRef<Operand> offsets,
                                 const TileValue &value, SourceLoc loc) {
  auto position = descriptorOffsets(descriptor, offsets, loc);
  if (!position) {
    return false;
  }
  const Shape block(descriptor.type.shape);
  if (value.type.shape != block || value.type.isView()) {
    error(loc, "a descriptor's atomic takes a tile of shape " +
                   shapeText(block) + ", found " + value.type.str());
    return false;
  }
  TileList indices;
  for (size_t d = 0; d < block.size(); ++d) {
    OptionalTile line =
        indexLine(scalarOf((*position)[d]), block[d], d, block.size(), loc);
    if (!line) {
      return false;
    }
    indices.push_back(*line);
  }
  auto lanes = descriptorLanes(descriptor, indices, loc);
  return lanes && atomic(kind, lanes->first, value, lanes->second, "", "", loc);
}

} // namespace tz::frontend
