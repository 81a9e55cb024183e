//===- Map.cpp - tl.map_elementwise ---------------------------------------===//
//
// What   tile.map with a region that the evaluator fills with a function of
//        scalars.
// Why    Unlike a combination, the region has loops of its own, results of
//        other types, and packs of neighbours.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tz::frontend {

bool OpEmitter::hasEffects(Region &region) {
  WalkResult effects = region.walk([&](Operation *op) {
    return isMemoryEffectFree(op) ||
                   op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return effects.wasInterrupted();
}

TileList OpEmitter::neighbours(const TileValue &x, int64_t pack,
                               SourceLoc loc) {
  if (pack == 1) {
    return {x};
  }
  // Even and odd places, then each of the two again.
  OptionalTile pairs = reshape(x, {x.type.numElements() / 2, 2}, loc);
  auto halves = split(*pairs, loc);
  TileList even = neighbours(halves->first, pack / 2, loc);
  TileList odd = neighbours(halves->second, pack / 2, loc);
  TileList parts;
  for (auto [a, b] : llvm::zip(even, odd)) {
    parts.push_back(a);
    parts.push_back(b);
  }
  return parts;
}

TileValue OpEmitter::interleaved(ArrayRef<TileValue> parts, SourceLoc loc) {
  if (parts.size() == 1) {
    return parts.front();
  }
  TileList even, odd;
  for (size_t i = 0; i < parts.size(); i += 2) {
    even.push_back(parts[i]);
    odd.push_back(parts[i + 1]);
  }
  OptionalTile pairs = join(interleaved(even, loc), interleaved(odd, loc), loc);
  return *reshape(*pairs, {pairs->type.numElements()}, loc);
}

std::optional<TileList> OpEmitter::mapRegion(Region &region,
                                             ArrayRef<TileValue> sources,
                                             int64_t pack, MapFn function,
                                             SourceLoc loc) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types;
  for (const TileValue &source : sources) {
    types.push_back(irType(source.type.scalar()));
  }
  Block *block = b.createBlock(&region, {}, types,
                               SmallVector<Location>(types.size(), at));
  TileList arguments;
  for (auto [source, value] : llvm::zip(sources, block->getArguments())) {
    arguments.push_back({value, source.type.scalar()});
  }
  std::optional<TileList> values = function(arguments);
  if (!values) {
    return std::nullopt;
  }
  if (hasEffects(region)) {
    return error(loc, "the function of map_elementwise must not access "
                      "memory, print or assert");
  }
  WalkResult tiles = region.walk([](Operation *op) {
    return llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (tiles.wasInterrupted()) {
    return error(loc, "the function of map_elementwise works on scalars and "
                      "must not make tiles");
  }
  if (values->size() % pack != 0) {
    return error(loc, "the function of map_elementwise must return a "
                      "multiple of pack (" +
                          llvm::Twine(pack) + ") values, found " +
                          llvm::Twine(unsigned(values->size())));
  }
  SmallVector<Value> operands;
  for (const TileValue &value : *values) {
    operands.push_back(value.value);
  }
  tile::YieldOp::create(b, at, operands);
  return values;
}

std::optional<TileList> OpEmitter::map(ArrayRef<TileValue> inputs, int64_t pack,
                                       MapFn function, SourceLoc loc) {
  Shape shape;
  for (const TileValue &x : inputs) {
    if (x.type.isView()) {
      return error(loc, "map_elementwise needs tiles, found " + x.type.str());
    }
    auto common = broadcastShape(shape, x.type.shape, loc);
    if (!common) {
      return std::nullopt;
    }
    shape = *common;
  }
  TileType whole;
  whole.shape = shape;
  if (pack < 1 || (pack & (pack - 1)) || whole.numElements() % pack != 0) {
    return error(loc, "pack of map_elementwise must be a power of two that "
                      "divides the number of elements (" +
                          llvm::Twine(whole.numElements()) + "), found " +
                          llvm::Twine(pack));
  }
  bool scalar = shape.empty();
  TileList sources;
  for (const TileValue &x : inputs) {
    OptionalTile wide = scalar ? full({1}, x, x.type.scalar(), loc)
                               : OptionalTile(stretch(x, shape));
    if (!wide) {
      return std::nullopt;
    }
    llvm::append_range(sources, neighbours(*wide, pack, loc));
  }
  // The region first, beside the function's body: its results' types are known
  // only when it is there.
  auto region = std::make_unique<Region>();
  std::optional<TileList> yielded =
      mapRegion(*region, sources, pack, function, loc);
  if (!yielded) {
    return std::nullopt;
  }
  SmallVector<Value> operands;
  for (const TileValue &source : sources) {
    operands.push_back(source.value);
  }
  Shape part = sources.front().type.shape;
  SmallVector<Type> types;
  for (const TileValue &value : *yielded) {
    types.push_back(irType(value.type.withShape(part)));
  }
  auto op = tile::MapOp::create(b, at, types, operands);
  op.getBody().takeBody(*region);
  TileList results;
  for (size_t i = 0; i < yielded->size(); i += pack) {
    TileList parts;
    for (int64_t j = 0; j < pack; ++j) {
      parts.push_back(
          {op.getResult(i + j), (*yielded)[i + j].type.withShape(part)});
      if (parts[j].type != parts[0].type) {
        return error(loc, "the values of one pack must have one type, found " +
                              parts[0].type.str() + " and " +
                              parts[j].type.str());
      }
    }
    TileValue result = interleaved(parts, loc);
    OptionalTile shaped =
        scalar ? item(result, loc) : reshape(result, shape, loc);
    if (!shaped) {
      return std::nullopt;
    }
    results.push_back(*shaped);
  }
  return results;
}

} // namespace tz::frontend
