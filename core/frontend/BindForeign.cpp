//===- BindForeign.cpp - inline assembly, foreign symbols -----------------===//
//
// What   inline_asm_elementwise and extern_elementwise: what is recognised
//        becomes the portable operation that it means; the rest is an error.
// Why    Text for one machine cannot mean anything on another (P3), but most of
//        it in use asks for a fast function that every target has.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Bindings.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tz::frontend {

namespace {

/// An instruction of one result and its operands, and a function of libdevice.
struct Idiom {
  const char *instruction;
  unsigned operands;
  const char *function;
};
constexpr Idiom idioms[] = {
    {"tanh.approx.f32", 1, "tanh"},
    {"ex2.approx.f32", 1, "exp2"},
    {"ex2.approx.ftz.f32", 1, "exp2"},
    {"lg2.approx.f32", 1, "log2"},
    {"lg2.approx.ftz.f32", 1, "log2"},
    {"sin.approx.f32", 1, "sin"},
    {"sin.approx.ftz.f32", 1, "sin"},
    {"cos.approx.f32", 1, "cos"},
    {"cos.approx.ftz.f32", 1, "cos"},
    {"sqrt.approx.f32", 1, "sqrt"},
    {"sqrt.approx.ftz.f32", 1, "sqrt"},
    {"rsqrt.approx.f32", 1, "rsqrt"},
    {"rsqrt.approx.ftz.f32", 1, "rsqrt"},
    {"rcp.approx.f32", 1, "rcp_rn"},
    {"rcp.approx.ftz.f32", 1, "rcp_rn"},
    {"rcp.rn.f32", 1, "rcp_rn"},
    {"div.approx.f32", 2, "fast_dividef"},
    {"div.full.f32", 2, "fast_dividef"},
    {"fma.rn.f32", 3, "fma_rn"},
    {"fma.rz.f32", 3, "fma_rz"},
    {"add.rn.f32", 2, "add_rn"},
    {"add.rz.f32", 2, "add_rz"},
    {"mul.rn.f32", 2, "mul_rn"},
    {"mul.rz.f32", 2, "mul_rz"},
    {"v_rcp_f32", 1, "rcp_rn"},
    {"v_exp_f32", 1, "exp2"},
    {"v_log_f32", 1, "log2"},
    {"v_rsq_f32", 1, "rsqrt"},
    {"v_sqrt_f32", 1, "sqrt"},
};

/// "op $0, $1, $2;" as {op, $0, $1, $2}; braces and blanks do not matter.
SmallVector<std::string> wordsOf(StringRef text) {
  SmallVector<std::string> words;
  std::string word;
  for (char c : text) {
    if (isSpace(c) || c == ',' || c == ';' || c == '{' || c == '}') {
      if (!word.empty()) {
        words.push_back(word);
      }
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) {
    words.push_back(word);
  }
  return words;
}

const Idiom *recognise(StringRef text, size_t operands) {
  SmallVector<std::string> words = wordsOf(text);
  for (const Idiom &idiom : idioms) {
    bool same = words.size() == idiom.operands + 2 &&
                words[0] == idiom.instruction && operands == idiom.operands;
    for (size_t i = 1; same && i < words.size(); ++i) {
      same = words[i] == "$" + std::to_string(i - 1);
    }
    if (same) {
      return &idiom;
    }
  }
  return nullptr;
}

bool isFloat32(const Value &dtype) {
  Value single = dtype.isSequence() && dtype.items().size() == 1
                     ? Value(dtype.items()[0])
                     : dtype;
  return single.is(ValueKind::Type) && single.asType().isScalar() &&
         !single.asType().isPtr && single.asType().elem == DType::F32;
}

Value callFunction(BuiltinCall &call, StringRef name, const Value &arguments) {
  auto module = Registry::get().module("triton.language.extra.libdevice");
  auto it = module->members.find(name);
  if (it == module->members.end()) {
    return Value();
  }
  Evaluator &ev = call.evaluator;
  CallArgs args;
  for (const Value &value : arguments.items()) {
    args.add(value, call.loc);
  }
  return ev.call(ev.resolve(it->second.value, call.loc), args, call.loc);
}

Value inlineAssembly(BuiltinCall &call) {
  std::optional<std::string> text = call.string(0);
  if (!text) {
    return Value();
  }
  if (!call[2].isSequence()) {
    return call.error(2, "args of inline_asm_elementwise must be a list, "
                         "found " +
                             describe(call[2]));
  }
  const Idiom *idiom = recognise(*text, call[2].items().size());
  bool floats = isFloat32(call[3]);
  for (const Value &value : call[2].items()) {
    floats &=
        value.isNumber() || (value.isTile() && !value.asTile().type.isPtr &&
                             !value.asTile().type.isView() &&
                             value.asTile().type.elem == DType::F32);
  }
  if (idiom && floats) {
    Value result = callFunction(call, idiom->function, call[2]);
    return call[3].isSequence() && !result.isError() ? Value::tuple({result})
                                                     : result;
  }
  if (idiom) {
    return call.error(0, Twine("instruction '") + idiom->instruction +
                             "' is understood with operands and result of "
                             "fp32 alone");
  }
  SmallVector<std::string> words = wordsOf(*text);
  return call.error(
      0, "inline assembly is text for one machine; target '" +
             call.evaluator.targetName() + "' takes none, and '" +
             (words.empty() ? std::string() : words[0]) +
             "' is not among the instructions that are understood; write it "
             "with operations of the language or libdevice");
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
  auto module = Registry::get().module("triton.language.extra.libdevice");
  for (std::string name : {portableName(found), found}) {
    for (StringRef end : {"", "f"}) {
      StringRef stem = name;
      if (stem.consume_back(end) && module->members.count(stem)) {
        return callFunction(call, stem, call[2]);
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
