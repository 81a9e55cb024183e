//===- ReduceScan.cpp - reduce, scan, histogram ---------------------------===//
//
// What   The operations that combine many elements into one.
// Why    reduce and scan carry a region that the evaluator fills: the function
//        that combines two elements.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tz::frontend {

bool OpEmitter::combineRegion(Region &region, ArrayRef<TileValue> sources,
                              CombineFn combine, SourceLoc loc) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types;
  SmallVector<Location> locations(sources.size() * 2, at);
  for (int side = 0; side < 2; ++side) {
    for (const TileValue &source : sources) {
      types.push_back(irType(source.type.scalar()));
    }
  }
  Block *block = b.createBlock(&region, {}, types, locations);
  TileList left, right;
  size_t n = sources.size();
  for (size_t i = 0; i < n; ++i) {
    TileType scalar = sources[i].type.scalar();
    left.push_back({block->getArgument(i), scalar});
    right.push_back({block->getArgument(n + i), scalar});
  }
  std::optional<TileList> combined = combine(left, right);
  if (!combined) {
    return false;
  }
  if (combined->size() != n) {
    error(loc, "the combining function gives " +
                   llvm::Twine(unsigned(combined->size())) + " values, but " +
                   llvm::Twine(unsigned(n)) + " are combined");
    return false;
  }
  SmallVector<Value> values;
  for (size_t i = 0; i < n; ++i) {
    TileType wanted = sources[i].type.scalar();
    if ((*combined)[i].type != wanted) {
      error(loc, "the combining function gives " + (*combined)[i].type.str() +
                     " for values of type " + wanted.str());
      return false;
    }
    values.push_back((*combined)[i].value);
  }
  // It combines in any order and grouping: an effect would have no meaning.
  if (hasEffects(region)) {
    error(loc, "the combining function must not access memory, print or "
               "assert");
    return false;
  }
  WalkResult loops =
      region.walk([](scf::WhileOp) { return WalkResult::interrupt(); });
  if (loops.wasInterrupted()) {
    error(loc, "the combining function must not have 'while' loops, nor loops "
               "that break or return leaves");
    return false;
  }
  tile::YieldOp::create(b, at, values);
  return true;
}

/// Does the region compute the sum of its arguments, and nothing else?
static bool isSum(Region &combine) {
  Block &body = combine.front();
  auto sum = dyn_cast<arith::AddIOp>(body.front());
  return sum && sum->getNextNode() == body.getTerminator() &&
         llvm::all_of(sum->getOperands(), llvm::IsaPred<BlockArgument>) &&
         sum.getLhs() != sum.getRhs();
}

/// The sum again in 64 bits: combining functions have no effects, so none of
/// their own additions is looked at. `make`: the same reduction of other tiles.
void OpEmitter::checkSum(ArrayRef<TileValue> sources, Operation *op,
                         CombineFn combine, WideSum make, SourceLoc loc) {
  const DType type = sources.front().type.elem;
  if (!sanitizeSums || sources.size() != 1 || sources.front().type.isPtr ||
      !isInteger(type) || type == DType::I1 || bitWidth(type) >= 64 ||
      !isSum(op->getRegion(0))) {
    return;
  }
  TileValue wide = convert(sources.front(), DType::I64);
  Operation *exact = make(wide);
  if (!combineRegion(exact->getRegion(0), {wide}, combine, loc)) {
    exact->erase();
    return;
  }
  Value sum = op->getResult(0);
  const TileType narrow =
      sources.front().type.withShape(Shape(tile::shapeOf(sum.getType())));
  TileValue told{exact->getResult(0), narrow.withElem(DType::I64)};
  if (OptionalTile same =
          compare(CompareFn::Eq, told,
                  convert(TileValue{sum, narrow}, DType::I64), loc)) {
    tile::AssertOp::create(
        b, at, same->value,
        "integer overflow of " + dtypeName(type).str() + " in sum", Value());
  }
}

/// One shape and no views.
static bool combinable(ArrayRef<TileValue> sources) {
  return !sources.empty() && llvm::all_of(sources, [&](const TileValue &x) {
    return !x.type.isView() && x.type.shape == sources.front().type.shape;
  });
}

static std::string typesText(ArrayRef<TileValue> sources) {
  std::string text;
  for (const TileValue &x : sources) {
    text += (text.empty() ? "" : ", ") + x.type.str();
  }
  return text.empty() ? "nothing" : text;
}

std::optional<TileList> OpEmitter::reduce(ArrayRef<TileValue> inputs,
                                          std::optional<int64_t> axis,
                                          bool keepDims, CombineFn combine,
                                          SourceLoc loc) {
  if (!combinable(inputs)) {
    return error(loc,
                 "reduce needs tiles of one shape, found " + typesText(inputs));
  }
  TileList sources(inputs.begin(), inputs.end());
  Shape original = sources.front().type.shape;
  if (original.empty()) {
    if (axis && *axis != 0) {
      return error(loc,
                   "axis " + llvm::Twine(*axis) + " is outside of a scalar");
    }
    return sources; // a scalar is its own reduction
  }
  if (!axis && original.size() > 1) {
    for (TileValue &source : sources) {
      source = *reshape(source, {source.type.numElements()}, loc);
    }
  }
  std::optional<int64_t> dim =
      axis ? dimension(*axis, original.size(), loc) : std::optional<int64_t>(0);
  if (!dim) {
    return std::nullopt;
  }
  Shape shape = sources.front().type.shape;
  shape.erase(shape.begin() + *dim);
  SmallVector<Type> types;
  SmallVector<Value> values;
  for (const TileValue &source : sources) {
    types.push_back(irType(source.type.withShape(shape)));
    values.push_back(source.value);
  }
  auto op = tile::ReduceOp::create(b, at, types, values, uint32_t(*dim));
  if (!combineRegion(op.getCombine(), sources, combine, loc)) {
    op->erase();
    return std::nullopt;
  }
  auto sumOf = [&](const TileValue &wide) -> Operation * {
    return tile::ReduceOp::create(b, at,
                                  TypeRange{irType(wide.type.withShape(shape))},
                                  ValueRange{wide.value}, uint32_t(*dim));
  };
  checkSum(sources, op, combine, sumOf, loc);
  Shape kept = original;
  if (axis) {
    kept[*dim] = 1;
  } else {
    kept.assign(original.size(), 1);
  }
  TileList results;
  for (auto [source, value] : llvm::zip(sources, op.getResults())) {
    TileValue result{value, source.type.withShape(shape)};
    results.push_back(keepDims ? *reshape(result, kept, loc) : result);
  }
  return results;
}

std::optional<TileList> OpEmitter::scan(ArrayRef<TileValue> sources,
                                        int64_t axis, bool reverse,
                                        CombineFn combine, SourceLoc loc) {
  if (!combinable(sources)) {
    return error(loc, "a scan needs tiles of one shape, found " +
                          typesText(sources));
  }
  std::optional<int64_t> dim =
      dimension(axis, sources.front().type.shape.size(), loc);
  if (!dim) {
    return std::nullopt;
  }
  SmallVector<Type> types;
  SmallVector<Value> values;
  for (const TileValue &source : sources) {
    types.push_back(irType(source.type));
    values.push_back(source.value);
  }
  auto op = tile::ScanOp::create(b, at, types, values, uint32_t(*dim), reverse);
  if (!combineRegion(op.getCombine(), sources, combine, loc)) {
    op->erase();
    return std::nullopt;
  }
  auto sumOf = [&](const TileValue &wide) -> Operation * {
    return tile::ScanOp::create(b, at, TypeRange{irType(wide.type)},
                                ValueRange{wide.value}, uint32_t(*dim),
                                reverse);
  };
  checkSum(sources, op, combine, sumOf, loc);
  TileList results;
  for (auto [source, value] : llvm::zip(sources, op.getResults())) {
    results.push_back({value, source.type});
  }
  return results;
}

OptionalTile OpEmitter::histogram(const TileValue &x, int64_t bins,
                                  OptionalTile mask, SourceLoc loc) {
  if (x.type.isPtr || x.type.isView() || x.type.shape.size() != 1 ||
      (x.type.elem != DType::I32 && x.type.elem != DType::U32)) {
    return error(loc, "histogram needs a tile of one dimension of int32 or "
                      "uint32, found " +
                          x.type.str());
  }
  if (!checkShape({bins}, loc)) {
    return std::nullopt;
  }
  Value lanes;
  if (mask) {
    std::optional<Value> converted = laneMask(*mask, x.type.shape, loc);
    if (!converted) {
      return std::nullopt;
    }
    lanes = *converted;
  }
  TileType type = x.type.withElem(DType::I32).withShape({bins});
  return TileValue{
      tile::HistogramOp::create(b, at, irType(type), x.value, lanes)
          .getResult(),
      type};
}

} // namespace tz::frontend
