//===- ForeignFunctions.cpp - inline assembly, foreign symbols ------------===//
//
// What   inline_asm_elementwise and extern_elementwise: what is recognised
//        becomes the portable operation that it means; the rest is an error.
// Why    Text for one machine cannot mean anything on another (P3), but most of
//        it in use asks for a fast function that every target has.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/assembly/InlineAssembly.h"
#include "core/frontend/builtins/TileCall.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tz::frontend {

namespace {

/// One shape for all of them.
bool broadcastAll(BuiltinCall &call, SmallVectorImpl<TileValue> &values) {
  OpEmitter &emit = emitterAt(call.evaluator, call.loc);
  for (size_t pass = 0; pass < 2; ++pass) {
    for (TileValue &value : values) {
      auto pair = emit.broadcast(values[0], value, call.at(2));
      if (!pair) {
        return false;
      }
      values[0] = pair->first;
      value = pair->second;
    }
  }
  return true;
}

Value inlineAssembly(BuiltinCall &call) {
  std::optional<std::string> text = call.string(0);
  std::optional<int64_t> pack = call.integer(5);
  if (!text || !pack) {
    return Value();
  }
  if (!call[2].isSequence()) {
    return call.error(2, "args of inline_asm_elementwise must be a list, "
                         "found " +
                             describe(call[2]));
  }
  if (*pack < 1 || *pack > 16 || (*pack & (*pack - 1)) != 0) {
    return call.error(5, "pack of inline_asm_elementwise must be 1, 2, 4, 8 or "
                         "16, found " +
                             Twine(*pack));
  }
  SmallVector<TileValue, 4> operands;
  for (const Value &value : call[2].items()) {
    Value tile = call.evaluator.materialise(value, call.at(2));
    if (!tile.isTile()) {
      return Value();
    }
    operands.push_back(tile.asTile());
  }
  bool isTuple = call[3].isSequence();
  SmallVector<DType, 2> types;
  for (const Value &type :
       isTuple ? ArrayRef<Value>(call[3].items()) : ArrayRef(call[3])) {
    if (!type.is(ValueKind::Type) || type.asType().isPtr ||
        type.asType().isView()) {
      return call.error(3, "dtype of inline_asm_elementwise is a type or a "
                           "list of types, found " +
                               describe(type));
    }
    types.push_back(type.asType().elem);
  }
  if (!operands.empty() && !broadcastAll(call, operands)) {
    return Value();
  }
  auto results = runAssembly(call, *text, operands, types, *pack);
  if (!results) {
    return Value();
  }
  std::vector<Value> values;
  for (TileValue &result : *results) {
    OptionalTile whole = result;
    if (!operands.empty()) {
      whole = emitterAt(call.evaluator, call.loc)
                  .broadcastTo(result, operands[0].type.shape, call.loc);
    }
    if (!whole) {
      return Value();
    }
    values.push_back(Value::tile(*whole));
  }
  return isTuple ? Value::tuple(std::move(values)) : values[0];
}

/// Symbols "__nv_NAME[f]", "__ocml_NAME_f32" and the like, without vendor.
std::string portableName(StringRef symbol) {
  StringRef name = symbol;
  name.consume_front("__");
  auto [prefix, rest] = name.split('_');
  if (!rest.empty()) {
    name = rest;
  }
  for (StringRef suffix : {"_f32", "_f64"}) {
    name.consume_back(suffix);
  }
  return name.str();
}

Value foreignSymbol(BuiltinCall &call) {
  if (!call[2].isSequence() || !call[3].is(ValueKind::Dict)) {
    return call.error("extern_elementwise needs a list of args and a "
                      "dictionary of symbols");
  }
  // The entry for these argument types; they decide nothing else here.
  std::string found;
  for (auto &[types, entry] : call[3].dictionary().entries) {
    Value first = entry.isSequence() && !entry.items().empty()
                      ? Value(entry.items()[0])
                      : entry;
    if (!first.is(ValueKind::String)) {
      continue;
    }
    bool fits =
        types.isSequence() && types.items().size() == call[2].items().size();
    for (size_t i = 0; fits && i < types.items().size(); ++i) {
      const Value &value = call[2].items()[i];
      const Value &type = types.items()[i];
      fits = !value.isTile() || !type.is(ValueKind::Type) ||
             value.asTile().type.scalar() == type.asType();
    }
    if (fits) {
      found = first.asString();
      break;
    }
  }
  if (found.empty()) {
    return call.error(3, "extern_elementwise has no symbol for these argument "
                         "types");
  }
  auto module =
      call.evaluator.builtins().module("triton.language.extra.libdevice");
  for (std::string name : {portableName(found), found}) {
    for (StringRef end : {"", "f"}) {
      StringRef stem = name;
      if (stem.consume_back(end) && module->members.count(stem)) {
        return callLibdevice(call, stem, call[2].items());
      }
    }
  }
  return call.error(3, "symbol '" + found + "' is not known on target '" +
                           call.evaluator.targetName() +
                           "': foreign libraries are not linked; the "
                           "functions of libdevice work everywhere");
}

} // namespace

void bindForeign(Registry &r) {
  r.add("triton.language", "inline_asm_elementwise",
        "asm, constraints, args, dtype, is_pure, pack", inlineAssembly);
  r.add("triton.language", "extern_elementwise",
        "lib_name, lib_path, args, arg_type_symbol_dict, is_pure",
        foreignSymbol);
}

} // namespace tz::frontend
