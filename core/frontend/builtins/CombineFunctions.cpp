//===- CombineFunctions.cpp - dot, reduce, scan, histogram ----------------===//
//
// What   Names whose operations combine elements; the combine function of a
//        reduction is a jit function, elaborated on scalars.
// Why    See TileFunctions.cpp.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/TileCall.h"

using namespace llvm;

namespace tz::frontend {

static Value dot(TileCall &c) {
  TileValue a = c.tile(0), b = c.tile(1);
  OptionalTile acc = c.optionalTile(2);
  DotOptions options;
  options.precision = c.string(3);
  if (!c.call[4].isNone() && options.precision.empty()) {
    options.precision = c.boolean(4) ? "tf32" : "ieee";
  }
  if (auto limit = c.optionalInteger(5)) {
    options.maxImprecise = *limit;
  }
  if (auto type = c.optionalDtype(6)) {
    options.outType = type->elem;
  }
  return c.valid ? c.result(c.emit.dot(a, b, acc, options, c.loc())) : Value();
}

/// Calls the jit function on the scalars of two partial results.
static std::optional<TileList> combine(TileCall &c, const Value &function,
                                       ArrayRef<TileValue> a,
                                       ArrayRef<TileValue> b) {
  CallArgs args;
  for (const TileValue &value : a) {
    args.add(Value::tile(value), c.loc());
  }
  for (const TileValue &value : b) {
    args.add(Value::tile(value), c.loc());
  }
  Evaluator &ev = c.call.evaluator;
  Value result = ev.call(function, args, c.loc());
  if (result.isError()) {
    return std::nullopt;
  }
  Value single = Value::tuple({result});
  const Value &list = result.isSequence() ? result : single;
  TileList tiles;
  for (const Value &item : list.items()) {
    Value scalar = ev.materialise(item, c.loc());
    if (!scalar.isTile()) {
      ev.fail(c.loc(), "the combine function must return scalars, found " +
                           describe(item));
      return std::nullopt;
    }
    tiles.push_back(scalar.asTile());
  }
  if (tiles.size() != a.size()) {
    ev.fail(c.loc(), "the combine function must return " + Twine(a.size()) +
                         (a.size() == 1 ? " value" : " values") + ", found " +
                         Twine(tiles.size()));
    return std::nullopt;
  }
  return tiles;
}

static Value listed(const std::optional<TileList> &tiles, bool asTuple) {
  if (!tiles) {
    return Value();
  }
  if (!asTuple) {
    return Value::tile(tiles->front());
  }
  std::vector<Value> items;
  for (const TileValue &tile : *tiles) {
    items.push_back(Value::tile(tile));
  }
  return Value::tuple(std::move(items));
}

static bool checkCombine(TileCall &c, size_t i) {
  const Value &function = c.call[i];
  if (function.is(ValueKind::Function) && function.asFunction()->isJit) {
    return true;
  }
  c.call.error(i, "argument '" + c.call.name(i) + "' of " +
                      c.call.builtin.name + " must be a jit function, found " +
                      describe(function));
  return false;
}

static Value reduce(TileCall &c) {
  auto sources = c.tiles(0);
  auto axis = c.optionalInteger(1);
  bool keepDims = c.boolean(3);
  if (!c.valid || !checkCombine(c, 2)) {
    return Value();
  }
  auto region = [&](ArrayRef<TileValue> a, ArrayRef<TileValue> b) {
    return combine(c, c.call[2], a, b);
  };
  return listed(c.emit.reduce(sources, axis, keepDims, region, c.loc()),
                c.call[0].isSequence());
}

static Value scan(TileCall &c) {
  auto sources = c.tiles(0);
  int64_t axis = c.integer(1);
  bool reverse = c.boolean(3);
  if (!c.valid || !checkCombine(c, 2)) {
    return Value();
  }
  auto region = [&](ArrayRef<TileValue> a, ArrayRef<TileValue> b) {
    return combine(c, c.call[2], a, b);
  };
  return listed(c.emit.scan(sources, axis, reverse, region, c.loc()),
                c.call[0].isSequence());
}

static Value mapElementwise(TileCall &c) {
  const Value &function = c.call[0];
  bool isJit = function.is(ValueKind::Function) && function.asFunction()->isJit;
  if (!isJit) {
    return c.call.error(0, "the function of map_elementwise must be a jit "
                           "function, found " +
                               describe(function));
  }
  SmallVector<TileValue, 4> inputs;
  for (const Value &value : c.call[1].items()) {
    Value tile = c.call.evaluator.materialise(value, c.loc());
    if (!tile.isTile()) {
      return c.call.error(1, "map_elementwise needs tiles, found " +
                                 describe(value));
    }
    inputs.push_back(tile.asTile());
  }
  int64_t pack = c.integer(2);
  if (inputs.empty() || !c.valid) {
    return c.valid ? c.call.error("map_elementwise needs a tile") : Value();
  }
  bool asTuple = false;
  auto region = [&](ArrayRef<TileValue> scalars) -> std::optional<TileList> {
    CallArgs args;
    for (const TileValue &scalar : scalars) {
      args.add(Value::tile(scalar), c.loc());
    }
    Evaluator &ev = c.call.evaluator;
    Value result = ev.call(function, args, c.loc());
    if (result.isError()) {
      return std::nullopt;
    }
    asTuple = result.isSequence();
    Value single = Value::tuple({result});
    TileList values;
    for (const Value &item : (asTuple ? result : single).items()) {
      Value scalar = ev.materialise(item, c.loc());
      if (!scalar.isTile() || !scalar.asTile().type.isScalar() ||
          scalar.asTile().type.isView()) {
        ev.fail(c.loc(), "the function of map_elementwise must return scalars, "
                         "found " +
                             describe(item));
        return std::nullopt;
      }
      values.push_back(scalar.asTile());
    }
    return values;
  };
  auto results = c.emit.map(inputs, pack, region, c.loc());
  return listed(results, asTuple && results && results->size() > 1);
}

void bindCombine(Registry &r) {
  TileBinder t{r};
  t.function("map_elementwise", "scalar_fn, *args, pack=1", mapElementwise);
  t.function("dot",
             "input, other, acc=None, input_precision=None, allow_tf32=None, "
             "max_num_imprecise_acc=None, out_dtype=None",
             dot);
  t.function("reduce", "input, axis, combine_fn, keep_dims=False", reduce,
             true);
  t.function("associative_scan", "input, axis, combine_fn, reverse=False", scan,
             true);
  t.function(
      "histogram", "input, num_bins, mask=None",
      [](TileCall &c) {
        TileValue x = c.tile(0);
        int64_t bins = c.integer(1);
        OptionalTile mask = c.optionalTile(2);
        return c.valid ? c.result(c.emit.histogram(x, bins, mask, c.loc()))
                       : Value();
      },
      true);
}

} // namespace tz::frontend
