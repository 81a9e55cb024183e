//===- BuiltinCalls.cpp - arguments of built-in functions -----------------===//
//
// What   Matches a call's arguments to a built-in's parameters and gives them
//        to it as the types that it asks for.
// Why    See BuiltinCalls.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/BuiltinCalls.h"

#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/Suggestions.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

StringRef BuiltinCall::name(size_t i) const { return builtin.params[i].name; }

Value BuiltinCall::error(const Twine &message) const {
  return evaluator.fail(loc, message);
}

Value BuiltinCall::error(size_t i, const Twine &message) const {
  return evaluator.fail(at(i), message);
}

/// A dtype that was given as a text or is another library's: "; write
/// tl.float16".
static std::string namedDtype(const BuiltinCall &call, const Value &value) {
  const Value *name =
      value.is(ValueKind::Record) ? value.sequence().find("name") : &value;
  if (!name || !name->is(ValueKind::String)) {
    return "";
  }
  const std::string &text = name->asString();
  return call.evaluator.builtins()
                 .module("triton.language")
                 ->members.count(text)
             ? "; write tl." + text
             : "";
}

static std::string quotedParam(const BuiltinCall &call, size_t i) {
  return "argument '" + call.name(i).str() + "' of " + call.builtin.name;
}

std::optional<int64_t> BuiltinCall::integer(size_t i) const {
  const Value &value = values[i];
  if (value.isTile()) {
    error(i, quotedParam(*this, i) +
                 " must be known at compile time (a constexpr), found " +
                 describe(value) + keepConstexpr(value));
    return std::nullopt;
  }
  if (!value.isIntegral()) {
    error(i, quotedParam(*this, i) + " must be an integer, found " +
                 describe(value));
    return std::nullopt;
  }
  PyInt number = value.asInt();
  if (number != PyInt(int64_t(number))) {
    error(i, quotedParam(*this, i) + " does not fit 64 bits");
    return std::nullopt;
  }
  return int64_t(number);
}

std::optional<bool> BuiltinCall::boolean(size_t i) const {
  std::optional<bool> value = truth(values[i]);
  if (!value) {
    error(i, quotedParam(*this, i) +
                 " must be known at compile time (a constexpr), found " +
                 describe(values[i]) + keepConstexpr(values[i]));
  }
  return value;
}

std::optional<std::string> BuiltinCall::string(size_t i) const {
  if (values[i].is(ValueKind::String)) {
    return values[i].asString();
  }
  if (values[i].isNone()) {
    return std::string();
  }
  error(i, quotedParam(*this, i) + " must be a string, found " +
               describe(values[i]));
  return std::nullopt;
}

std::optional<TileType> BuiltinCall::dtype(size_t i) const {
  if (values[i].is(ValueKind::Type)) {
    return values[i].asType();
  }
  error(i, quotedParam(*this, i) +
               " must be a dtype such as tl.float32, found " +
               describe(values[i]) + namedDtype(*this, values[i]));
  return std::nullopt;
}

std::optional<SmallVector<int64_t, 4>> BuiltinCall::integers(size_t i) const {
  SmallVector<int64_t, 4> result;
  Value single = Value::tuple({values[i]});
  const Value &list = values[i].isSequence() ? values[i] : single;
  for (const Value &item : list.items()) {
    if (item.isTile()) {
      error(i, quotedParam(*this, i) +
                   " must be known at compile time (a constexpr), found " +
                   describe(item) + keepConstexpr(item));
      return std::nullopt;
    }
    if (!item.isIntegral() || item.asInt() != PyInt(int64_t(item.asInt()))) {
      error(i, quotedParam(*this, i) + " must hold integers, found " +
                   describe(item));
      return std::nullopt;
    }
    result.push_back(int64_t(item.asInt()));
  }
  return result;
}

namespace {

/// Gives each argument of a call to its parameter. Every member gives nothing
/// if all is well, else what the failed call gives.
class ArgumentMatch {
public:
  explicit ArgumentMatch(BuiltinCall &call)
      : call(call), params(call.builtin.params), set(params.size(), false),
        varArgs(find_if(params, [](const BuiltinParam &p) {
          return p.kind == BuiltinParam::VarArgs;
        })) {
    call.values.assign(params.size(), Value());
    call.locs.assign(params.size(), SourceLoc());
    for (const BuiltinParam &p : params) {
      positional += p.kind == BuiltinParam::Plain &&
                    (varArgs == params.end() || &p < &*varArgs);
    }
  }

  std::optional<Value> run(const CallArgs &args) {
    for (const auto &arg : args.list) {
      auto failure = arg.keyword.empty() ? byPosition(arg, args.list.size())
                                         : byKeyword(arg);
      if (failure) {
        return failure;
      }
    }
    return fillIn();
  }

private:
  std::optional<Value> byPosition(const CallArgs::Argument &arg, size_t count) {
    if (next < positional) {
      put(next++, arg);
    } else if (varArgs != params.end()) {
      restLoc = rest.empty() ? arg.loc : restLoc;
      rest.push_back(arg.value);
    } else {
      bool method = !params.empty() && params[0].name == "self";
      return call.evaluator.fail(
          arg.loc,
          call.builtin.name + " takes " + Twine(positional - method) +
              (positional - method == 1 ? " argument, " : " arguments, ") +
              Twine(count - method) + " were given");
    }
    return std::nullopt;
  }

  std::optional<Value> byKeyword(const CallArgs::Argument &arg) {
    auto param = find_if(
        params, [&](const BuiltinParam &p) { return p.name == arg.keyword; });
    if (param == params.end()) {
      return unknownKeyword(arg);
    }
    size_t index = param - params.begin();
    if (param->kind == BuiltinParam::VarArgs) {
      // reshape(x, shape=...): the list by its name.
      rest.push_back(arg.value);
      restLoc = arg.loc;
      return std::nullopt;
    }
    if (set[index]) {
      return call.evaluator.fail(arg.loc, "parameter '" + arg.keyword +
                                              "' of " + call.builtin.name +
                                              " is given twice");
    }
    put(index, arg);
    return std::nullopt;
  }

  std::optional<Value> unknownKeyword(const CallArgs::Argument &arg) {
    if (!params.empty() && params.back().kind == BuiltinParam::VarKeywords) {
      more.dictionary().set(Value::string(arg.keyword.str()), arg.value);
      return std::nullopt;
    }
    // Triton passes these to every built-in; they are its own plumbing.
    if (is_contained({"_builder", "_semantic", "_generator"}, arg.keyword)) {
      return std::nullopt;
    }
    SmallVector<StringRef> names;
    for (const BuiltinParam &p : params) {
      names.push_back(p.name);
    }
    return call.evaluator.fail(
        arg.loc, call.builtin.name + " has no parameter '" + arg.keyword + "'" +
                     didYouMean(arg.keyword, names));
  }

  /// Lists, and defaults of what was not given.
  std::optional<Value> fillIn() {
    for (size_t i = 0; i < params.size(); ++i) {
      if (params[i].kind == BuiltinParam::VarArgs) {
        call.values[i] = Value::tuple(std::move(rest));
        call.locs[i] = restLoc;
      } else if (params[i].kind == BuiltinParam::VarKeywords) {
        call.values[i] = more;
      } else if (!set[i]) {
        if (!params[i].defaultValue) {
          return call.evaluator.fail(
              call.loc, call.builtin.name + " needs a value for parameter '" +
                            params[i].name + "'");
        }
        call.values[i] = *params[i].defaultValue;
      }
    }
    return std::nullopt;
  }

  void put(size_t index, const CallArgs::Argument &arg) {
    call.values[index] = arg.value;
    call.locs[index] = arg.loc;
    set[index] = true;
  }

  BuiltinCall &call;
  const std::vector<BuiltinParam> &params;
  SmallVector<bool, 12> set;
  std::vector<BuiltinParam>::const_iterator varArgs;
  size_t positional = 0; // parameters
  size_t next = 0;
  std::vector<Value> rest; // of VarArgs
  SourceLoc restLoc;
  Value more = Value::dict(); // of VarKeywords
};

} // namespace

Value callBuiltin(Evaluator &ev, const Builtin &builtin, const CallArgs &args,
                  SourceLoc loc) {
  for (const auto &arg : args.list) {
    if (arg.value.isError()) {
      return Value();
    }
    if (arg.value.is(ValueKind::Unknown) && ev.inHost() && !builtin.isHost) {
      return Value::unknown(arg.loc, arg.value.reason().text);
    }
  }
  if (!builtin.isHost && (ev.inHost() || !ev.insideKernel())) {
    return Value::unknown(loc, builtin.name + " is called outside of a kernel");
  }
  BuiltinCall matched(ev, builtin, loc);
  if (auto failure = ArgumentMatch(matched).run(args)) {
    return *failure;
  }
  if (!builtin.isHost && !ev.countOperation(loc)) {
    return Value();
  }
  return builtin.run(matched);
}

} // namespace tz::frontend
