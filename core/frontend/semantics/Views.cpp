//===- Views.cpp - block pointers and tensor descriptors ------------------===//
//
// What   Both become views; a block pointer has a position that advances, a
//        descriptor is read at offsets and always checked.
// Why    To the compiler they are one thing: a window onto strided memory.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace tz::frontend {

std::optional<llvm::SmallVector<Value, 4>>
OpEmitter::indices(ArrayRef<Operand> values, StringRef what, SourceLoc loc) {
  llvm::SmallVector<Value, 4> result;
  for (const Operand &operand : values) {
    OptionalTile x = materialise(operand, loc);
    if (!x->type.isScalar() || x->type.isPtr || x->type.isView() ||
        !isInteger(x->type.elem)) {
      return error(loc,
                   what + " must be integer scalars, found " + x->type.str());
    }
    result.push_back(convert(x->value, x->type.elem, DType::I64));
  }
  return result;
}

OptionalTile OpEmitter::makeView(const TileValue &base, ArrayRef<Operand> shape,
                                 ArrayRef<Operand> strides,
                                 ArrayRef<int64_t> block, StringRef what,
                                 SourceLoc loc) {
  if (!base.type.isPtr || base.type.isView() || !base.type.isScalar()) {
    return error(loc, "base of " + what + " must be a pointer, found " +
                          base.type.str());
  }
  if (base.type.elem == DType::Void) {
    return error(loc, "base of " + what + " is *void; convert the pointer");
  }
  size_t rank = block.size();
  if (rank == 0 || shape.size() != rank || strides.size() != rank) {
    return error(loc, what +
                          " needs shape, strides and block_shape of one "
                          "length, found " +
                          llvm::Twine(unsigned(shape.size())) + ", " +
                          llvm::Twine(unsigned(strides.size())) + " and " +
                          llvm::Twine(unsigned(rank)));
  }
  if (!checkShape(block, loc)) {
    return std::nullopt;
  }
  auto extents = indices(shape, ("shape of " + what).str(), loc);
  auto steps = extents ? indices(strides, ("strides of " + what).str(), loc)
                       : std::nullopt;
  if (!steps) {
    return std::nullopt;
  }
  TileType type;
  type.elem = base.type.elem;
  type.isConstPtr = base.type.isConstPtr;
  type.shape.assign(block.begin(), block.end());
  type.isBlockPtr = true;
  Value view = tile::MakeViewOp::create(b, at, irType(type), base.value,
                                        *extents, *steps);
  return TileValue{view, type};
}

OptionalTile OpEmitter::makeBlockPtr(const TileValue &base,
                                     ArrayRef<Operand> shape,
                                     ArrayRef<Operand> strides,
                                     ArrayRef<Operand> offsets,
                                     ArrayRef<int64_t> block,
                                     ArrayRef<int64_t> order, SourceLoc loc) {
  size_t rank = block.size();
  if (offsets.size() != rank || order.size() != rank) {
    return error(loc, "make_block_ptr needs offsets and order as long as "
                      "block_shape, found " +
                          llvm::Twine(unsigned(offsets.size())) + ", " +
                          llvm::Twine(unsigned(order.size())) + " and " +
                          llvm::Twine(unsigned(rank)));
  }
  // The order is a hint about memory that strides say better: only checked.
  SmallVector<int64_t> sorted(order.begin(), order.end());
  llvm::sort(sorted);
  for (size_t i = 0; i < rank; ++i) {
    if (sorted[i] != int64_t(i)) {
      return error(loc, "order of make_block_ptr must be a permutation of the "
                        "dimensions, found " +
                            shapeText(order));
    }
  }
  OptionalTile view =
      makeView(base, shape, strides, block, "make_block_ptr", loc);
  return view ? advance(*view, offsets, loc) : view;
}

OptionalTile OpEmitter::advance(const TileValue &pointer,
                                ArrayRef<Operand> offsets, SourceLoc loc) {
  if (!pointer.type.isBlockPtr) {
    return error(loc,
                 "advance needs a block pointer, found " + pointer.type.str());
  }
  if (offsets.size() != pointer.type.shape.size()) {
    return error(loc, "advance needs one offset a dimension, found " +
                          llvm::Twine(unsigned(offsets.size())) + " for " +
                          pointer.type.str());
  }
  auto isZero = [](const Operand &operand) {
    auto *number = std::get_if<Literal>(&operand);
    auto *integer = number ? std::get_if<int64_t>(number) : nullptr;
    return integer && *integer == 0;
  };
  if (llvm::all_of(offsets, isZero)) {
    return pointer;
  }
  auto moves = indices(offsets, "offsets of a block pointer", loc);
  if (!moves) {
    return std::nullopt;
  }
  return TileValue{tile::AdvanceViewOp::create(b, at, irType(pointer.type),
                                               pointer.value, *moves)
                       .getResult(),
                   pointer.type};
}

TileValue OpEmitter::loadView(const TileValue &view, ValueRange offsets,
                              ArrayRef<bool> checked, bool nan,
                              tile::CacheHint cache, tile::Eviction evict) {
  TileType type;
  type.elem = view.type.elem;
  type.shape = view.type.shape;
  TileType stored = type.elem == DType::I1 ? type.withElem(DType::I8) : type;
  Value other;
  if (nan) {
    other = scalarConstant(Literal(std::numeric_limits<double>::quiet_NaN()),
                           type.elem);
  }
  auto op = tile::LoadViewOp::create(b, at, irType(stored), view.value, offsets,
                                     other, checked, /*group=*/0, cache, evict);
  return convert(TileValue{op.getResult(), stored}, type.elem);
}

bool OpEmitter::storeView(const TileValue &view, ValueRange offsets,
                          const Operand &value, ArrayRef<bool> checked,
                          tile::CacheHint cache, tile::Eviction evict,
                          StringRef what, SourceLoc loc) {
  if (view.type.isConstPtr) {
    error(loc, what + " writes through a const pointer");
    return false;
  }
  DType element = view.type.elem;
  if (auto *tile = std::get_if<TileValue>(&value);
      tile && tile->type.isView()) {
    error(loc, what + " cannot write " + tile->type.str());
    return false;
  }
  OptionalTile x = elementFor(value, element, loc);
  x = x ? broadcastTo(*x, view.type.shape, loc) : x;
  if (!x) {
    return false;
  }
  if (element == DType::I1) {
    x = convert(*x, DType::U8);
  }
  tile::StoreViewOp::create(b, at, view.value, x->value, offsets, checked,
                            /*group=*/0, cache, evict);
  return true;
}

static bool hasNaN(DType type) {
  return isFloat(type) && type != DType::F8E4B15;
}

/// One entry a dimension; empty after an error.
std::optional<SmallVector<bool, 4>>
OpEmitter::checkedDimensions(ArrayRef<int64_t> dims, const TileType &view,
                             SourceLoc loc) {
  SmallVector<bool, 4> checked(view.shape.size(), false);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= int64_t(checked.size())) {
      return error(loc, "boundary_check names dimension " + llvm::Twine(dim) +
                            " of " + view.str());
    }
    checked[dim] = true;
  }
  return checked;
}

llvm::SmallVector<Value, 4> OpEmitter::zeroOffsets(size_t rank) {
  Value zero = scalarConstant(Literal(int64_t(0)), DType::I64);
  return llvm::SmallVector<Value, 4>(rank, zero);
}

OptionalTile OpEmitter::loadBlock(const TileValue &pointer,
                                  const LoadOptions &options,
                                  tile::CacheHint cache, tile::Eviction evict,
                                  SourceLoc loc) {
  if (options.mask || options.other) {
    return error(loc, "a load of a block pointer takes boundary_check and "
                      "padding_option, not mask and other");
  }
  if (!options.padding.empty() && options.padding != "zero" &&
      options.padding != "nan") {
    return error(loc, "padding_option is 'zero' or 'nan', found '" +
                          options.padding + "'");
  }
  bool nan = options.padding == "nan";
  if (nan && !hasNaN(pointer.type.elem)) {
    return error(loc, "padding_option 'nan' needs floats, found " +
                          pointer.type.str());
  }
  auto checked = checkedDimensions(options.boundaryCheck, pointer.type, loc);
  if (!checked) {
    return std::nullopt;
  }
  return loadView(pointer, zeroOffsets(checked->size()), *checked, nan, cache,
                  evict);
}

bool OpEmitter::storeBlock(const TileValue &pointer, const Operand &value,
                           const StoreOptions &options, tile::CacheHint cache,
                           tile::Eviction evict, SourceLoc loc) {
  if (options.mask) {
    error(loc, "a store to a block pointer takes boundary_check, not mask");
    return false;
  }
  auto checked = checkedDimensions(options.boundaryCheck, pointer.type, loc);
  return checked && storeView(pointer, zeroOffsets(checked->size()), value,
                              *checked, cache, evict, "tl.store", loc);
}

OptionalTile OpEmitter::makeDescriptor(const TileValue &base,
                                       ArrayRef<Operand> shape,
                                       ArrayRef<Operand> strides,
                                       ArrayRef<int64_t> block,
                                       StringRef padding, SourceLoc loc) {
  StringRef what = "make_tensor_descriptor";
  if (block.empty() || block.size() > 5) {
    return error(loc, what + " needs 1 to 5 dimensions, found " +
                          llvm::Twine(unsigned(block.size())));
  }
  if (!padding.empty() && padding != "zero" && padding != "nan") {
    return error(loc,
                 "padding_option is 'zero' or 'nan', found '" + padding + "'");
  }
  if (!strides.empty()) {
    auto *last = std::get_if<Literal>(&strides.back());
    auto *stride = last ? std::get_if<int64_t>(last) : nullptr;
    if (last && !(stride && *stride == 1)) {
      return error(loc, "the last stride of a tensor descriptor must be 1");
    }
  }
  if (base.type.isPtr && !base.type.isView() && base.type.elem != DType::Void) {
    unsigned bytes = std::max(1u, bitWidth(base.type.elem) / 8);
    if (block.back() > 0 && block.back() * int64_t(bytes) < 16) {
      return error(loc, "the last dimension of block_shape must span at least "
                        "16 bytes, found " +
                            llvm::Twine(block.back() * int64_t(bytes)));
    }
    if (padding == "nan" && !hasNaN(base.type.elem)) {
      return error(loc, "padding_option 'nan' needs floats, found " +
                            base.type.str());
    }
  }
  OptionalTile view = makeView(base, shape, strides, block, what, loc);
  if (view) {
    view->type.isBlockPtr = false;
    view->type.isDescriptor = true;
    view->type.padsWithNaN = padding == "nan";
  }
  return view;
}

std::optional<llvm::SmallVector<Value, 4>>
OpEmitter::descriptorOffsets(const TileValue &descriptor,
                             ArrayRef<Operand> offsets, SourceLoc loc) {
  if (!descriptor.type.isDescriptor) {
    return error(loc, "a tensor descriptor is needed, found " +
                          descriptor.type.str());
  }
  if (offsets.size() != descriptor.type.shape.size()) {
    return error(loc, "one offset a dimension is needed, found " +
                          llvm::Twine(unsigned(offsets.size())) + " for " +
                          descriptor.type.str());
  }
  return indices(offsets, "offsets of a tensor descriptor", loc);
}

OptionalTile OpEmitter::loadDescriptor(const TileValue &descriptor,
                                       ArrayRef<Operand> offsets,
                                       SourceLoc loc) {
  auto position = descriptorOffsets(descriptor, offsets, loc);
  if (!position) {
    return std::nullopt;
  }
  SmallVector<bool, 4> checked(position->size(), true);
  return loadView(descriptor, *position, checked, descriptor.type.padsWithNaN,
                  tile::CacheHint::none, tile::Eviction::normal);
}

bool OpEmitter::storeDescriptor(const TileValue &descriptor,
                                ArrayRef<Operand> offsets, const Operand &value,
                                SourceLoc loc) {
  auto position = descriptorOffsets(descriptor, offsets, loc);
  if (!position) {
    return false;
  }
  SmallVector<bool, 4> checked(position->size(), true);
  return storeView(descriptor, *position, value, checked, tile::CacheHint::none,
                   tile::Eviction::normal, "the descriptor's store", loc);
}

} // namespace tz::frontend
