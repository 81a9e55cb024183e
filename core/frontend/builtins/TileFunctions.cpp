//===- TileFunctions.cpp - arguments of tile operations, making tiles -----===//
//
// What   TileCall's readings; the names that make, shape and describe tiles.
// Why    A row of the table is a Python signature and one call of OpEmitter.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/TileCall.h"

using namespace llvm;

namespace tz::frontend {

TileValue TileCall::tile(size_t i) {
  std::optional<Operand> value = toOperand(call.evaluator, call[i], call.at(i));
  if (!value) {
    valid = false;
    return {};
  }
  if (auto *tile = std::get_if<TileValue>(&*value)) {
    return *tile;
  }
  return check(emit.literal(std::get<Literal>(*value), call.at(i)));
}

OptionalTile TileCall::optionalTile(size_t i) {
  return call[i].isNone() ? OptionalTile() : OptionalTile(tile(i));
}

Operand TileCall::operand(size_t i) {
  return check(toOperand(call.evaluator, call[i], call.at(i)));
}

std::optional<Operand> TileCall::optionalOperand(size_t i) {
  return call[i].isNone() ? std::optional<Operand>()
                          : std::optional<Operand>(operand(i));
}

int64_t TileCall::integer(size_t i) { return check(call.integer(i)); }

std::optional<int64_t> TileCall::optionalInteger(size_t i) {
  return call[i].isNone() ? std::optional<int64_t>()
                          : std::optional<int64_t>(integer(i));
}

bool TileCall::boolean(size_t i) { return check(call.boolean(i)); }
std::string TileCall::string(size_t i) { return check(call.string(i)); }
TileType TileCall::dtype(size_t i) { return check(call.dtype(i)); }

std::optional<TileType> TileCall::optionalDtype(size_t i) {
  return call[i].isNone() ? std::optional<TileType>()
                          : std::optional<TileType>(dtype(i));
}

Shape TileCall::integers(size_t i) { return check(call.integers(i)); }

Shape TileCall::spreadIntegers(size_t i) {
  ArrayRef<Value> items = call[i].items();
  if (items.size() == 1 && (items[0].isSequence() || items[0].isNone())) {
    call.values[i] = items[0].isNone() ? Value::tuple({}) : Value(items[0]);
  }
  return integers(i);
}

SmallVector<Operand, 4> TileCall::operands(size_t i) {
  SmallVector<Operand, 4> result;
  const Value &list = call[i];
  if (!list.isSequence()) {
    call.error(i, "argument '" + call.name(i) + "' of " + call.builtin.name +
                      " must be a tuple, found " + describe(list));
    valid = false;
    return result;
  }
  for (const Value &item : list.items()) {
    result.push_back(check(toOperand(call.evaluator, item, call.at(i))));
  }
  return result;
}

SmallVector<TileValue, 4> TileCall::tiles(size_t i) {
  SmallVector<TileValue, 4> result;
  Value single = Value::tuple({call[i]});
  const Value &list = call[i].isSequence() ? call[i] : single;
  for (const Value &item : list.items()) {
    if (!item.isTile()) {
      call.error(i, "argument '" + call.name(i) + "' of " + call.builtin.name +
                        " must be a tile or a tuple of tiles, found " +
                        describe(item));
      valid = false;
      return result;
    }
    result.push_back(item.asTile());
  }
  return result;
}

void TileBinder::function(StringRef name, StringRef signature, Fn fn,
                          bool asMethod) {
  auto run = [fn](BuiltinCall &call) {
    TileCall tile(call);
    return fn(tile);
  };
  registry.add("triton.language", name, signature, run);
  if (asMethod) {
    // The tile is the first parameter.
    StringRef rest = signature.split(',').second;
    registry.addMethod(ValueKind::Tile, name, rest.trim(), run);
  }
}

void TileBinder::method(StringRef name, StringRef signature, Fn fn) {
  registry.addMethod(ValueKind::Tile, name, signature, [fn](BuiltinCall &call) {
    TileCall tile(call);
    return fn(tile);
  });
}

static Value pair(const std::optional<std::pair<TileValue, TileValue>> &two) {
  return two ? Value::tuple({Value::tile(two->first), Value::tile(two->second)})
             : Value();
}

static Value castValue(TileCall &c) {
  Operand x = c.operand(0);
  TileType type = c.dtype(1);
  std::string rounding = c.string(2);
  bool bitcast = c.boolean(3);
  return c.valid ? c.result(c.emit.cast(x, type, rounding, bitcast, c.loc()))
                 : Value();
}

/// x[:, None]: each part is a whole dimension or a new one.
static Value index(TileCall &c) {
  TileValue x = c.tile(0);
  Value single = Value::tuple({c.call[1]});
  const Value &parts = c.call[1].is(ValueKind::Tuple) ? c.call[1] : single;
  int64_t rank = x.type.shape.size(), used = 0, position = 0;
  SmallVector<int64_t, 4> axes;
  auto isWhole = [](const Value &part) {
    return part.is(ValueKind::Slice) && part.asSlice().lower.isNone() &&
           part.asSlice().upper.isNone() && part.asSlice().step.isNone();
  };
  for (const Value &part : parts.items()) {
    if (part.isNone()) {
      axes.push_back(position);
    } else if (isWhole(part)) {
      ++used;
    } else if (part.is(ValueKind::Ellipsis)) {
      int64_t others = 0;
      for (const Value &other : parts.items()) {
        others += isWhole(other);
      }
      position += rank - others - 1;
      used += rank - others;
    } else if (x.type.isPtr && x.type.shape.empty()) {
      return c.call.error(1, "unsupported tensor index: a pointer is not "
                             "subscripted; use tl.load(pointer + offset)");
    } else if (part.is(ValueKind::Slice)) {
      return c.call.error(1, "unsupported tensor index: a tile cannot be "
                             "sliced; load the part that is "
                             "needed, or use tl.split of a reshaped tile");
    } else {
      return c.call.error(1,
                          "a tile is indexed only with ':' and None, found " +
                              describe(part) +
                              "; use tl.gather or a masked tl.sum to pick "
                              "elements");
    }
    ++position;
  }
  // A scalar has a ':' for its one element.
  if (used > std::max<int64_t>(rank, 1)) {
    return c.call.error(1,
                        "too many dimensions in the index of " + x.type.str());
  }
  if (axes.empty()) {
    return c.call[0];
  }
  if (rank == 0) { // cond[:, None] of a scalar has its new dimensions alone
    for (auto [i, axis] : llvm::enumerate(axes)) {
      axis = int64_t(i);
    }
  }
  return c.valid ? c.result(c.emit.expandDims(x, axes, c.loc())) : Value();
}

static void bindMaking(TileBinder &t) {
  t.function("program_id", "axis", [](TileCall &c) {
    int64_t axis = c.integer(0);
    return c.valid ? c.result(c.emit.programId(axis, c.loc())) : Value();
  });
  t.function("num_programs", "axis", [](TileCall &c) {
    int64_t axis = c.integer(0);
    return c.valid ? c.result(c.emit.numPrograms(axis, c.loc())) : Value();
  });
  t.function("arange", "start, end", [](TileCall &c) {
    int64_t start = c.integer(0), end = c.integer(1);
    return c.valid ? c.result(c.emit.arange(start, end, c.loc())) : Value();
  });
  t.function("full", "shape, value, dtype=None", [](TileCall &c) {
    Shape shape = c.integers(0);
    Operand value = c.operand(1);
    auto type = c.optionalDtype(2);
    return c.valid ? c.result(c.emit.full(shape, value, type, c.loc()))
                   : Value();
  });
  const char *castSignature =
      "input, dtype, fp_downcast_rounding=None, bitcast=False";
  t.function("cast", castSignature, castValue, true);
  t.method("to", "dtype, fp_downcast_rounding=None, bitcast=False", castValue);
  t.function("to_tensor", "x", [](TileCall &c) {
    TileValue x = c.tile(0);
    return c.valid ? Value::tile(x) : Value();
  });
}

void bindShapes(Registry &r) {
  TileBinder t{r};
  bindMaking(t);
  t.function("broadcast", "input, other", [](TileCall &c) {
    Operand a = c.operand(0), b = c.operand(1);
    return c.valid ? pair(c.emit.broadcast(a, b, c.loc())) : Value();
  });
  t.function(
      "broadcast_to", "input, *shape",
      [](TileCall &c) {
        Operand x = c.operand(0);
        Shape shape = c.spreadIntegers(1);
        return c.valid ? c.result(c.emit.broadcastTo(x, shape, c.loc()))
                       : Value();
      },
      true);
  auto expand = [](TileCall &c) {
    TileValue x = c.tile(0);
    Shape axes = c.integers(1);
    return c.valid ? c.result(c.emit.expandDims(x, axes, c.loc())) : Value();
  };
  t.function("expand_dims", "input, axis", expand, true);
  t.function("unsqueeze", "x, dim", expand);
  t.function("squeeze", "x, dim", [](TileCall &c) {
    TileValue x = c.tile(0);
    int64_t dim = c.integer(1);
    return c.valid ? c.result(c.emit.squeeze(x, dim, c.loc())) : Value();
  });
  auto reshape = [](TileCall &c) {
    TileValue x = c.tile(0);
    Shape shape = c.spreadIntegers(1);
    return c.valid ? c.result(c.emit.reshape(x, shape, c.loc())) : Value();
  };
  t.function("reshape", "input, *shape, can_reorder=False", reshape, true);
  t.function("view", "input, *shape", reshape, true);
  auto permute = [](TileCall &c) {
    TileValue x = c.tile(0);
    Shape dims = c.spreadIntegers(1);
    return c.valid ? c.result(c.emit.permute(x, dims, c.loc())) : Value();
  };
  t.function("permute", "input, *dims", permute, true);
  t.function("trans", "input, *dims", permute, true);
  t.function("join", "a, b", [](TileCall &c) {
    Operand a = c.operand(0), b = c.operand(1);
    return c.valid ? c.result(c.emit.join(a, b, c.loc())) : Value();
  });
  t.function(
      "split", "a",
      [](TileCall &c) {
        TileValue x = c.tile(0);
        return c.valid ? pair(c.emit.split(x, c.loc())) : Value();
      },
      true);
  t.function("cat", "input, other, can_reorder=False, dim=0", [](TileCall &c) {
    TileValue a = c.tile(0), b = c.tile(1);
    int64_t dim = c.integer(3);
    return c.valid ? c.result(c.emit.cat(a, b, dim, c.loc())) : Value();
  });
  t.function(
      "gather", "src, index, axis",
      [](TileCall &c) {
        TileValue x = c.tile(0), index = c.tile(1);
        int64_t axis = c.integer(2);
        return c.valid ? c.result(c.emit.gather(x, index, axis, c.loc()))
                       : Value();
      },
      true);
  t.function(
      "item", "input",
      [](TileCall &c) {
        TileValue x = c.tile(0);
        return c.valid ? c.result(c.emit.item(x, c.loc())) : Value();
      },
      true);
  t.method("__getitem__", "index", index);
}

void bindTiles(Registry &r) {
  bindShapes(r);
  bindMathFunctions(r);
  bindMemory(r);
  bindCombine(r);
  bindScaled(r);
  bindForeign(r);
  bindAggregates(r);
  // The same names under the modules that third-party code imports them from.
  for (const char *module : {"triton.language.core", "triton.language.standard",
                             "triton.language.random"}) {
    for (auto &entry : r.makeModule("triton.language")->members) {
      r.makeModule(module)->members[entry.getKey()] = entry.getValue();
    }
  }
}

} // namespace tz::frontend
