//===- Combine.cpp - dot, reduce, scan, histogram -------------------------===//
//
// What   The operations that combine many elements into one.
// Why    Their result types follow rules of their own (language rules 20 to
//        26), and reduce and scan carry a region that the evaluator fills.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/semantics/OpEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tz::frontend {

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

/// What a product of `input` operands is summed in, if nothing is asked for.
static DType defaultAccumulator(DType input) {
  return input == DType::I8    ? DType::I32
         : input == DType::F64 ? DType::F64
                               : DType::F32;
}

static bool accumulates(DType input, DType sum) {
  if (sum == DType::F16) {
    return input == DType::F16 || isFloat8(input);
  }
  return sum == defaultAccumulator(input);
}

OptionalTile OpEmitter::dot(const TileValue &lhs, const TileValue &rhs,
                            OptionalTile acc, const DotOptions &options,
                            SourceLoc loc) {
  TileValue a = lhs, c = rhs;
  if (a.type.elem == DType::F8E4B15 || c.type.elem == DType::F8E4B15) {
    // No matrix unit has it; fp16 holds its values, and those of other fp8.
    for (TileValue *x : {&a, &c}) {
      if (isFloat8(x->type.elem) && !x->type.isPtr && !x->type.isView()) {
        *x = convert(*x, DType::F16);
      }
    }
  }
  for (const TileValue *x : {&a, &c}) {
    DType type = x->type.elem;
    bool legal = !x->type.isPtr && !x->type.isView() &&
                 (isFloat(type) || type == DType::I8);
    if (!legal) {
      return error(loc,
                   "dot needs tiles of int8 or floats, found " + x->type.str());
    }
  }
  ArrayRef<int64_t> as = a.type.shape, bs = c.type.shape;
  size_t rank = as.size();
  auto shapes = [&] { return a.type.str() + " and " + c.type.str(); };
  if (rank < 2 || bs.size() != rank) {
    return error(loc, "dot needs two tiles of two (or of three) dimensions, "
                      "found " +
                          shapes());
  }
  if (as[rank - 1] != bs[rank - 2]) {
    return error(loc, "dot of " + shapes() + ": the inner dimensions " +
                          llvm::Twine(as[rank - 1]) + " and " +
                          llvm::Twine(bs[rank - 2]) + " differ");
  }
  if (as.drop_back(2) != bs.drop_back(2)) {
    return error(loc, "dot of " + shapes() + ": the batch dimensions differ");
  }
  DType input = a.type.elem;
  if (input != c.type.elem && !(isFloat8(input) && isFloat8(c.type.elem))) {
    return error(loc, "dot needs operands of one type, found " + shapes() +
                          "; convert one of the two");
  }
  if (options.outType == DType::BF16) {
    return error(loc, "out_dtype of dot cannot be bf16; convert the result "
                      "with .to(tl.bfloat16)");
  }
  // Where the operands leave no choice, out_dtype changes nothing.
  DType sum = defaultAccumulator(input);
  if (options.outType && (accumulates(input, *options.outType) ||
                          (isFloat(input) && !isFloat(*options.outType)))) {
    sum = *options.outType;
  } else if (!options.outType && acc) {
    sum = acc->type.elem;
  }
  if (!accumulates(input, sum)) {
    return error(loc, "dot of " + dtypeName(input) + " is summed in " +
                          dtypeName(defaultAccumulator(input)) +
                          (accumulates(input, DType::F16) ? " or fp16" : "") +
                          ", not in " + dtypeName(sum));
  }
  Shape result(as.drop_back(1));
  result.push_back(bs[rank - 1]);
  if (!checkShape(result, loc)) {
    return std::nullopt;
  }
  TileType type = a.type.withElem(sum).withShape(result);
  if (acc && acc->type != type) {
    return error(loc, "accumulator of dot must be " + type.str() + ", found " +
                          acc->type.str());
  }
  if (options.maxImprecise > as[rank - 1] && isFloat8(input)) {
    return error(loc, "max_num_imprecise_acc (" +
                          llvm::Twine(options.maxImprecise) +
                          ") is larger than the inner dimension " +
                          llvm::Twine(as[rank - 1]));
  }
  std::optional<tile::Precision> precision =
      llvm::StringSwitch<std::optional<tile::Precision>>(
          options.precision.empty() ? f32Default : options.precision)
          .Case("", tile::Precision::target_default)
          .Case("ieee", tile::Precision::ieee)
          .Case("tf32", tile::Precision::tf32)
          .Case("tf32x3", tile::Precision::tf32x3)
          .Case("bf16x3", tile::Precision::bf16x3)
          .Case("bf16x6", tile::Precision::bf16x6)
          .Default(std::nullopt);
  if (!precision) {
    return error(loc, "input_precision is 'ieee', 'tf32', 'tf32x3', 'bf16x3' "
                      "or 'bf16x6', found '" +
                          options.precision + "'");
  }
  if (input != DType::F32) {
    precision = tile::Precision::ieee; // it speaks of fp32 operands only
  }
  if (!acc) {
    acc = full(result, Literal(int64_t(0)), type.scalar(), loc);
  }
  // Batch dimensions beyond the first fold into one.
  TileType folded = type;
  if (rank > 3) {
    auto fold = [&](TileValue &x) {
      ArrayRef<int64_t> shape = x.type.shape;
      int64_t batch = 1;
      for (int64_t extent : shape.drop_back(2)) {
        batch *= extent;
      }
      x = *reshape(x, {batch, shape[rank - 2], shape[rank - 1]}, loc);
    };
    fold(a);
    fold(c);
    fold(*acc);
    folded = acc->type;
  }
  // 0 means no bound; the tightest bound that can be asked for is one product.
  int64_t imprecise = isFloat8(input) && options.maxImprecise >= 0
                          ? std::max<int64_t>(1, options.maxImprecise)
                          : 0;
  auto op = tile::DotOp::create(b, at, irType(folded), a.value, c.value,
                                acc->value, *precision, imprecise);
  return reshape({op.getResult(), folded}, result, loc);
}

//===----------------------------------------------------------------------===//
// reduce, scan
//===----------------------------------------------------------------------===//

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
