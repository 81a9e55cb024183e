//===- MemoryFunctions.cpp - load, store, atomics, views, hints, debug ----===//
//
// What   Names whose operations touch memory or tell the compiler something.
// Why    See TileFunctions.cpp.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/TileCall.h"

using namespace llvm;

namespace tz::frontend {

/// The first argument; Triton takes a tuple of one pointer, too.
static TileValue pointerOf(TileCall &c) {
  const Value given = c.call[0];
  if (given.isSequence() && given.items().size() == 1) {
    c.call.values[0] = given.items().front();
  }
  return c.tile(0);
}

static Value load(TileCall &c) {
  TileValue pointer = pointerOf(c);
  LoadOptions options;
  options.mask = c.optionalTile(1);
  options.other = c.optionalOperand(2);
  options.boundaryCheck = c.integers(3);
  options.padding = c.string(4);
  options.cache = c.string(5);
  options.eviction = c.string(6);
  options.isVolatile = c.boolean(7);
  return c.valid ? c.result(c.emit.load(pointer, options, c.loc())) : Value();
}

static Value store(TileCall &c) {
  TileValue pointer = pointerOf(c);
  Operand value = c.operand(1);
  StoreOptions options;
  options.mask = c.optionalTile(2);
  options.boundaryCheck = c.integers(3);
  options.cache = c.string(4);
  options.eviction = c.string(5);
  return c.done(c.valid && c.emit.store(pointer, value, options, c.loc()));
}

template <typename Kind>
static Value atomic(TileCall &c, Kind kind) {
  TileValue pointer = c.tile(0);
  Operand value = c.operand(1);
  OptionalTile mask = c.optionalTile(2);
  std::string sem = c.string(3), scope = c.string(4);
  return c.valid ? c.result(c.emit.atomic(kind, pointer, value, mask, sem,
                                          scope, c.loc()))
                 : Value();
}

/// desc.atomic_add(offsets, value): gives nothing.
static Value atomicOfDescriptor(BuiltinCall &call, StringRef kind) {
  TileCall c(call);
  TileValue descriptor = c.tile(0);
  if (call.values.size() < 3 || call[2].isNone()) {
    return call.error("a descriptor's atomic needs offsets and a value");
  }
  auto offsets = c.operands(1);
  TileValue value = c.tile(2);
  return c.done(c.valid && c.emit.atomicDescriptor(kind, descriptor, offsets,
                                                   value, call.loc));
}

static void bindAtomics(Registry &r) {
  const char *signature = "pointer, val, mask=None, sem=None, scope=None";
  const char *rest = "val, mask=None, sem=None, scope=None";
  for (const char *kind : {"add", "max", "min", "and", "or", "xor", "xchg"}) {
    auto run = [kind](BuiltinCall &call) {
      TileCall c(call);
      return atomic(c, kind);
    };
    std::string name = std::string("atomic_") + kind;
    r.add("triton.language", name, signature, run);
    r.addMethod(ValueKind::Tile, name, rest, [kind, run](BuiltinCall &call) {
      return call[0].isTile() && call[0].asTile().type.isDescriptor
                 ? atomicOfDescriptor(call, kind)
                 : run(call);
    });
  }
  TileBinder{r}.function(
      "atomic_cas", "pointer, cmp, val, sem=None, scope=None",
      [](TileCall &c) {
        TileValue pointer = c.tile(0);
        Operand compare = c.operand(1), value = c.operand(2);
        std::string sem = c.string(3), scope = c.string(4);
        return c.valid ? c.result(c.emit.atomicCas(pointer, compare, value, sem,
                                                   scope, c.loc()))
                       : Value();
      },
      true);
}

static Value makeDescriptor(TileCall &c) {
  TileValue base = c.tile(0);
  auto shape = c.operands(1), strides = c.operands(2);
  Shape block = c.integers(3);
  std::string padding = c.string(4);
  return c.valid ? c.result(c.emit.makeDescriptor(base, shape, strides, block,
                                                  padding, c.loc()))
                 : Value();
}

static Value loadDescriptor(TileCall &c) {
  TileValue descriptor = c.tile(0);
  auto offsets = c.operands(1);
  return c.valid ? c.result(c.emit.loadDescriptor(descriptor, offsets, c.loc()))
                 : Value();
}

static Value storeDescriptor(TileCall &c) {
  TileValue descriptor = c.tile(0);
  auto offsets = c.operands(1);
  Operand value = c.operand(2);
  return c.done(c.valid &&
                c.emit.storeDescriptor(descriptor, offsets, value, c.loc()));
}

/// src.gather(index, axis) of a tile; of a descriptor gather(rows, column).
static Value gather(TileCall &c) {
  TileValue source = c.tile(0), index = c.tile(1);
  if (source.type.isDescriptor) {
    Operand column = c.operand(2);
    return c.valid ? c.result(c.emit.gatherRows(source, index, column, c.loc()))
                   : Value();
  }
  int64_t axis = c.integer(2);
  return c.valid ? c.result(c.emit.gather(source, index, axis, c.loc()))
                 : Value();
}

static void bindRows(TileBinder &t) {
  t.method("gather", "index, axis", gather);
  t.method("scatter", "value, x_offsets, y_offset", [](TileCall &c) {
    TileValue descriptor = c.tile(0), value = c.tile(1), rows = c.tile(2);
    Operand column = c.operand(3);
    return c.done(c.valid &&
                  c.emit.scatterRows(descriptor, value, rows, column, c.loc()));
  });
}

static void bindViews(TileBinder &t) {
  t.function(
      "make_block_ptr", "base, shape, strides, offsets, block_shape, order",
      [](TileCall &c) {
        TileValue base = c.tile(0);
        auto shape = c.operands(1), strides = c.operands(2),
             offsets = c.operands(3);
        Shape block = c.integers(4), order = c.integers(5);
        return c.valid
                   ? c.result(c.emit.makeBlockPtr(base, shape, strides, offsets,
                                                  block, order, c.loc()))
                   : Value();
      });
  t.function(
      "advance", "base, offsets",
      [](TileCall &c) {
        TileValue pointer = c.tile(0);
        auto offsets = c.operands(1);
        return c.valid ? c.result(c.emit.advance(pointer, offsets, c.loc()))
                       : Value();
      },
      true);
  // The second is what Triton before 3.4 calls it.
  for (const char *name :
       {"make_tensor_descriptor", "_experimental_make_tensor_descriptor"}) {
    t.function(name, "base, shape, strides, block_shape, padding_option='zero'",
               makeDescriptor);
  }
  bindRows(t);
  t.function("load_tensor_descriptor", "desc, offsets", loadDescriptor);
  t.function("store_tensor_descriptor", "desc, offsets, value",
             storeDescriptor);
}

/// x.load(offsets) is a descriptor's; x.store(...) also a pointer's.
static void bindAccessMethods(Registry &r) {
  TileBinder t{r};
  t.method("load", "offsets", [](TileCall &c) {
    TileValue x = c.tile(0);
    return x.type.isDescriptor
               ? loadDescriptor(c)
               : c.call.error("load is a method of tensor descriptors; use "
                              "tl.load");
  });
  r.addMethod(
      ValueKind::Tile, "store", "*args, mask=None", [](BuiltinCall &call) {
        const TileValue &x = call[0].asTile();
        auto language = call.evaluator.builtins().module("triton.language");
        const char *name =
            x.type.isDescriptor ? "store_tensor_descriptor" : "store";
        CallArgs args;
        args.add(call[0], call.loc);
        for (const Value &value : call[1].items()) {
          args.add(value, call.at(1));
        }
        if (call.given(2)) {
          args.add(call[2], call.at(2), "mask");
        }
        return call.evaluator.call(language->members[name].value, args,
                                   call.loc);
      });
}

template <OpEmitter::HintKind kind>
static Value hint(TileCall &c) {
  if (!c.call[0].isTile()) {
    return c.call[0]; // a number says it itself
  }
  TileValue x = c.tile(0);
  Shape values = c.integers(1);
  return c.valid ? c.result(c.emit.hint(kind, x, values, c.loc())) : Value();
}

static Value devicePrint(TileCall &c) {
  std::string prefix = c.string(0);
  SmallVector<Operand, 4> args;
  for (const Value &value : c.call[1].items()) {
    if (value.is(ValueKind::String)) {
      prefix += " " + value.asString();
      continue;
    }
    auto operand = toOperand(c.call.evaluator, value, c.call.at(1));
    c.valid &= operand.has_value();
    if (operand) {
      args.push_back(*operand);
    }
  }
  bool hex = c.boolean(2);
  return c.done(c.valid && c.emit.print(prefix, args, hex, c.loc()));
}

static Value deviceAssert(TileCall &c) {
  const Value &condition = c.call[0];
  if (!condition.isTile()) {
    std::optional<bool> holds = truth(condition);
    return holds.value_or(!c.emit.keepsAsserts) || !c.emit.keepsAsserts
               ? Value::none()
               : c.call.error(0, "assertion is false at compile time");
  }
  TileValue tile = c.tile(0);
  std::string message = c.string(1);
  OptionalTile mask = c.optionalTile(2);
  return c.done(c.valid && (!c.emit.keepsAsserts ||
                            c.emit.deviceAssert(tile, message, mask, c.loc())));
}

static Value staticPrint(BuiltinCall &call) {
  std::string text;
  for (const Value &value : call[0].items()) {
    text += (text.empty() ? "" : " ") + str(value);
  }
  call.evaluator.diagnostics().warning(call.loc, "static_print: " + text);
  return Value::none();
}

static Value staticAssert(BuiltinCall &call) {
  std::optional<bool> holds = call.boolean(0);
  if (!holds || *holds) {
    return holds ? Value::none() : Value();
  }
  std::string message = str(call[1]);
  return call.error("static assertion failed" +
                    (message.empty() ? "" : ": " + message));
}

static void bindEffects(Registry &r) {
  TileBinder t{r};
  t.function("multiple_of", "input, values",
             hint<OpEmitter::HintKind::Divisibility>);
  t.function("max_contiguous", "input, values",
             hint<OpEmitter::HintKind::Contiguity>);
  t.function("max_constancy", "input, values",
             hint<OpEmitter::HintKind::Constancy>);
  t.function("assume", "cond", [](TileCall &c) {
    if (!c.call[0].isTile()) {
      return Value::none();
    }
    TileValue condition = c.tile(0);
    return c.done(c.valid && c.emit.assume(condition, c.loc()));
  });
  // A promise that x is zero where the mask is set: it changes no meaning.
  t.function("expect_zero", "x, mask", [](TileCall &c) {
    TileValue x = c.tile(0), mask = c.tile(1);
    if (c.valid && (mask.type.isPtr || mask.type.isView() ||
                    mask.type.elem != DType::I1)) {
      return c.call.error(1, "the mask of expect_zero must be int1, found " +
                                 mask.type.str());
    }
    return c.valid ? Value::tile(x) : Value();
  });
  t.function("debug_barrier", "",
             [](TileCall &c) { return c.done(c.emit.barrier(c.loc())); });
  t.function("device_print", "prefix, *args, hex=False", devicePrint);
  t.function("device_assert", "cond, msg='', mask=None", deviceAssert);
  r.addHost("triton.language", "static_print", "*values", staticPrint);
  r.addHost("triton.language", "static_assert", "cond, msg=''", staticAssert);
}

void bindMemory(Registry &r) {
  TileBinder t{r};
  t.function("load",
             "pointer, mask=None, other=None, boundary_check=(), "
             "padding_option='', cache_modifier='', eviction_policy='', "
             "volatile=False",
             load);
  t.function("store",
             "pointer, value, mask=None, boundary_check=(), "
             "cache_modifier='', eviction_policy=''",
             store);
  bindAtomics(r);
  bindViews(t);
  bindAccessMethods(r);
  bindEffects(r);
}

} // namespace tz::frontend
