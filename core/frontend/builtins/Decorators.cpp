//===- Decorators.cpp - triton.jit, autotune, heuristics, Config ----------===//
//
// What   What stands around kernels: decorators mark and annotate functions;
//        configurations become records; cdiv and its kind for host arithmetic.
// Why    They are read, never run: the driver decides what to tune, the
//        frontend says what the file asks for.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/evaluate/Evaluator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tz::frontend {

/// The call's parameters as a dictionary, for a decorator that is applied
/// later.
static Value optionsOf(BuiltinCall &call, size_t first) {
  Value options = Value::dict();
  for (size_t i = first; i < call.values.size(); ++i) {
    if (call.given(i)) {
      options.dictionary().set(Value::string(call.name(i).str()), call[i]);
    }
  }
  return options;
}

static Value option(const Value &options, StringRef name) {
  Value *found = options.dictionary().find(Value::string(name.str()));
  return found ? *found : Value::none();
}

static std::vector<std::string> strings(const Value &list) {
  std::vector<std::string> result;
  if (list.isSequence()) {
    for (const Value &item : list.items()) {
      if (item.is(ValueKind::String)) {
        result.push_back(item.asString());
      }
    }
  }
  return result;
}

static Value markJit(const Value &fn, const Value &options) {
  if (fn.is(ValueKind::Function) && fn.asFunction()->def) {
    auto function = fn.asFunction();
    function->isJit = true;
    function->jitOptions = options;
    function->noInline = truth(option(options, "noinline")).value_or(false);
  }
  return fn;
}

/// `decorate` is called with the options and the function.
static void addDecorator(Registry &r, StringRef name, StringRef signature,
                         Value (*decorate)(const Value &, const Value &)) {
  // The second half: applied to the function when the options are known.
  const Builtin *apply = r.add(
      "builtins", ("__" + name + "__").str(), "options, fn",
      [decorate](BuiltinCall &call) { return decorate(call[1], call[0]); });
  const_cast<Builtin *>(apply)->isHost = true;
  r.addHost("triton", name, signature, [apply](BuiltinCall &call) {
    return Value::method(optionsOf(call, 0), apply);
  });
}

static Value applyAutotune(const Value &fn, const Value &options) {
  if (fn.is(ValueKind::Function)) {
    auto function = fn.asFunction();
    Value configs = option(options, "configs");
    if (configs.isSequence()) {
      function->configs = configs.items().vec();
    }
    function->tuneKey = strings(option(options, "key"));
  }
  return fn;
}

static Value applyHeuristics(const Value &fn, const Value &options) {
  Value values = option(options, "values");
  if (fn.is(ValueKind::Function) && values.is(ValueKind::Dict)) {
    for (auto &[key, value] : values.dictionary().entries) {
      if (key.is(ValueKind::String)) {
        fn.asFunction()->heuristics.emplace_back(key.asString(), value);
      }
    }
  }
  return fn;
}

static Value ceilDivide(BuiltinCall &call) {
  if (!call[0].isIntegral() || !call[1].isIntegral()) {
    if (call[0].isTile() || call[1].isTile()) {
      Value language =
          Value::module(call.evaluator.builtins().module("triton.language"));
      CallArgs args;
      args.add(call[0], call.at(0));
      args.add(call[1], call.at(1));
      return call.evaluator.call(
          call.evaluator.attribute(language, "cdiv", call.loc), args, call.loc);
    }
    return call.error("triton.cdiv needs integers, found " + describe(call[0]) +
                      " and " + describe(call[1]));
  }
  PyInt x = call[0].asInt(), y = call[1].asInt();
  return y == 0 ? call.error("division by zero")
                : Value::integer(x / y + (x % y != 0 && (x < 0) == (y < 0)));
}

static Value nextPowerOf2(BuiltinCall &call) {
  std::optional<int64_t> n = call.integer(0);
  if (!n) {
    return Value();
  }
  PyInt power = 1;
  while (power < *n) {
    power *= 2;
  }
  return Value::integer(*n <= 0 ? PyInt(0) : power);
}

/// collections.namedtuple: a class of records.
static Value namedTuple(BuiltinCall &call) {
  auto object = std::make_shared<ClassObject>();
  if (!call[0].is(ValueKind::String)) {
    return Value::unknown(call.loc, "namedtuple without a name");
  }
  object->name = call[0].asString();
  if (call[1].is(ValueKind::String)) {
    SmallVector<StringRef> names;
    SplitString(call[1].asString(), names, ", ");
    for (StringRef name : names) {
      object->fields.push_back(name.str());
    }
  } else {
    object->fields = strings(call[1]);
  }
  object->defaults.resize(object->fields.size());
  return Value::classOf(std::move(object));
}

static Value makeConfig(BuiltinCall &call) {
  auto fields = std::make_shared<SequenceObject>();
  fields->className = "Config";
  for (size_t i = 0; i < call.values.size(); ++i) {
    fields->names.push_back(call.name(i).str());
    fields->items.push_back(call[i]);
  }
  return Value::record(std::move(fields));
}

void bindDecorators(Registry &r) {
  r.set("triton", "__version__", Value::string("3.6.0"));
  const char *jitOptions =
      "fn=None, *, version=None, repr=None, launch_metadata=None, "
      "do_not_specialize=None, do_not_specialize_on_alignment=None, "
      "debug=None, noinline=None";
  const Builtin *applyJit =
      r.addHost("builtins", "__jit__", "options, fn",
                [](BuiltinCall &call) { return markJit(call[1], call[0]); });
  BuiltinFn jit = [applyJit](BuiltinCall &call) {
    Value options = optionsOf(call, 1);
    return call.given(0) ? markJit(call[0], options)
                         : Value::method(options, applyJit);
  };
  r.addHost("triton", "jit", jitOptions, jit);
  r.addHost("triton.runtime.jit", "jit", jitOptions, jit);
  r.addHost("triton.runtime", "jit", jitOptions, jit);
  addDecorator(r, "autotune",
               "configs, key, prune_configs_by=None, reset_to_zero=None, "
               "restore_value=None, pre_hook=None, post_hook=None, "
               "warmup=None, rep=None, use_cuda_graph=False, do_bench=None, "
               "cache_results=False, use_full_graph=False",
               applyAutotune);
  addDecorator(r, "heuristics", "values", applyHeuristics);
  BuiltinFn constexprFunction = [](BuiltinCall &call) {
    if (call[0].is(ValueKind::Function)) {
      call[0].asFunction()->isConstexprFunction = true;
    }
    return call[0];
  };
  r.addHost("triton", "constexpr_function", "fn", constexprFunction);
  r.addHost("triton.language", "constexpr_function", "fn", constexprFunction);
  const char *configFields =
      "kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, "
      "pre_hook=None, ir_override=None, **others";
  r.addHost("triton", "Config", configFields, makeConfig);
  r.addHost("triton.runtime", "Config", configFields, makeConfig);
  r.addHost("triton", "cdiv", "x, y", ceilDivide);
  r.addHost("triton", "next_power_of_2", "n", nextPowerOf2);
  r.makeModule("triton.language.extra");
  r.makeModule("triton.testing");
  r.makeModule("triton.tools");
  r.makeModule("triton.runtime.driver");
  // Names that host code imports and kernels never use.
  r.makeModule("typing");
  r.addHost("collections", "namedtuple", "name, fields", namedTuple);
  r.makeModule("triton")->members["language"] =
      Binding{Value::module(r.makeModule("triton.language")), SourceLoc()};
}

} // namespace tz::frontend
