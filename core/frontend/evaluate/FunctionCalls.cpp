//===- FunctionCalls.cpp - functions of files: inlining, host calls -------===//
//
// What   A call's arguments and what becomes of it: jit functions (inlined),
//        host functions with compile-time arguments, methods, conversions;
//        built-ins are in BuiltinCalls.cpp.
// Why    One place matches arguments to the parameters of a file's functions,
//        so that a wrong count or keyword reads the same whatever is called. A
//        portable kernel has no calls (decision R9): jit functions are
//        elaborated where they stand.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/HostStatements.h"
#include "core/frontend/evaluate/KernelStatements.h"
#include "core/frontend/evaluate/ModuleSource.h"
#include "core/frontend/evaluate/Suggestions.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

bool Evaluator::evalArguments(const Call *node, CallArgs &args) {
  bool valid = true;
  for (const Expr *arg : node->args) {
    if (auto *star = dyn_cast<Starred>(arg)) {
      Value list = eval(star->value);
      if (list.isSequence()) {
        WorkBudget::charge(list.items().size());
        for (const Value &item : list.items()) {
          args.add(item, star->loc);
        }
      } else {
        valid = false;
        if (!list.isError()) {
          fail(star->loc, "'*' needs a tuple or list, found " + describe(list));
        }
      }
      continue;
    }
    args.add(eval(arg), arg->loc);
    valid &= !args.list.back().value.isError();
  }
  for (const Keyword &keyword : node->keywords) {
    Value value = eval(keyword.value);
    if (!keyword.name.empty()) {
      valid &= !value.isError();
      args.add(std::move(value), keyword.value->loc, keyword.name);
    } else if (value.is(ValueKind::Dict)) {
      for (auto &[key, entry] : value.dictionary().entries) {
        if (key.is(ValueKind::String)) {
          args.keepAlive.push_back(key);
          args.add(entry, keyword.loc, key.asString());
        }
      }
    } else {
      valid = false;
      if (!value.isError()) {
        fail(keyword.loc, "'**' needs a dictionary, found " + describe(value));
      }
    }
  }
  return valid;
}

Value Evaluator::evalCall(const Call *node) {
  Value callee = eval(node->callee);
  CallArgs args;
  bool valid = evalArguments(node, args);
  if (callee.isError() || (!valid && !inHost())) {
    return Value();
  }
  if (!valid || callee.is(ValueKind::Unknown)) {
    return Value::unknown(node->loc, callee.is(ValueKind::Unknown)
                                         ? callee.reason().text
                                         : "call with unknown arguments");
  }
  return call(callee, args, node->loc);
}

Value Evaluator::call(const Value &callee, const CallArgs &args,
                      SourceLoc loc) {
  if (allowed.isStopped()) {
    return Value();
  }
  switch (callee.kind()) {
  case ValueKind::Builtin:
    return callBuiltin(*callee.asBuiltin(), args, loc);
  case ValueKind::Function:
    return callFunction(callee.asFunction(), args, loc);
  case ValueKind::Method: {
    const MethodObject &method = callee.asMethod();
    CallArgs withSelf;
    withSelf.add(method.self, loc);
    withSelf.list.append(args.list.begin(), args.list.end());
    return method.builtin ? callBuiltin(*method.builtin, withSelf, loc)
                          : callFunction(method.function, withSelf, loc);
  }
  case ValueKind::Class:
    return callClass(callee, args, loc);
  case ValueKind::Record: {
    SmallVector<Value> values;
    for (const auto &arg : args.list) {
      values.push_back(arg.value);
    }
    if (auto result = callSpecial("__call__", callee, values, loc)) {
      return *result;
    }
    break;
  }
  case ValueKind::Type: {
    // tl.float32(x) converts, as x.to(tl.float32).
    if (args.list.size() == 1 && !inHost()) {
      if (const Builtin *to = registry.method(ValueKind::Tile, "to")) {
        Value value = args.list[0].value.isNumber()
                          ? materialise(args.list[0].value, loc)
                          : args.list[0].value;
        CallArgs conversion;
        conversion.add(callee, loc);
        return value.isTile()
                   ? call(Value::method(value, to), conversion, loc)
                   : fail(loc, describe(value) + " cannot be converted to " +
                                   repr(callee));
      }
    }
    break;
  }
  case ValueKind::Error:
    return callee;
  case ValueKind::Unknown:
    return Value::unknown(loc, callee.reason().text);
  default:
    break;
  }
  return fail(loc, describe(callee) + " cannot be called");
}

//===----------------------------------------------------------------------===//
// Functions of a file
//===----------------------------------------------------------------------===//

Value Evaluator::defaultOf(const FunctionObject &function,
                           const Parameter &param) {
  if (auto module = function.module.lock(); module && module->scope) {
    // The host evaluated it where the function was defined.
    if (Binding *known =
            loader.ask(*module, param.name.str() + "=", param.loc, *this)) {
      return known->value;
    }
  }
  Frame around;
  around.module = function.module.lock();
  around.isHost = true;
  around.closure = function.closure;
  frames.push_back(std::move(around));
  Value value = eval(param.defaultValue);
  frames.pop_back();
  return value;
}

Value Evaluator::wrongCall(const FunctionObject &function, SourceLoc at,
                           const Twine &message) {
  if (inHost()) {
    return Value::unknown(at, message.str());
  }
  sink.error(at, message)
      .note(function.loc(), "function '" + function.name + "' is defined here");
  return Value();
}

/// The parameter that a keyword names; null if there is none.
static const Parameter *parameterNamed(ArrayRef<Parameter> params,
                                       StringRef keyword) {
  auto it = find_if(params, [&](const Parameter &p) {
    return p.name == keyword && p.kind != Parameter::VarArgs &&
           p.kind != Parameter::VarKeywords &&
           p.kind != Parameter::PositionalOnly;
  });
  return it == params.end() ? nullptr : &*it;
}

std::optional<Value> Evaluator::bindParameters(const FunctionObject &function,
                                               const CallArgs &args,
                                               SourceLoc loc, Scope &scope) {
  ArrayRef<Parameter> params = function.params();
  const std::string name = "'" + function.name + "'";
  size_t next = 0, plain = 0;
  std::vector<Value> rest;
  bool takesMore = false;
  for (const Parameter &p : params) {
    takesMore |= p.kind == Parameter::VarArgs;
    plain += p.kind == Parameter::Plain || p.kind == Parameter::PositionalOnly;
  }
  for (const auto &arg : args.list) {
    const Parameter *param = nullptr;
    if (!arg.keyword.empty()) {
      param = parameterNamed(params, arg.keyword);
      if (!param) {
        SmallVector<StringRef> names;
        for (const Parameter &p : params) {
          names.push_back(p.name);
        }
        return wrongCall(function, arg.loc,
                         name + " has no parameter '" + arg.keyword + "'" +
                             didYouMean(arg.keyword, names));
      }
    } else if (next < plain) {
      param = &params[next++];
    } else if (takesMore) {
      rest.push_back(arg.value);
      continue;
    } else {
      return wrongCall(function, arg.loc,
                       name + " takes " + Twine(plain) +
                           (plain == 1 ? " argument, " : " arguments, ") +
                           Twine(args.list.size()) + " were given");
    }
    if (scope.count(param->name)) {
      return wrongCall(function, arg.loc,
                       "parameter '" + param->name + "' of " + name +
                           " is given twice");
    }
    scope[param->name] = Binding{arg.value, arg.loc};
    scope[param->name].value.isFolded &= !isConstexprParameter(*param);
  }
  return bindRest(function, std::move(rest), loc, scope);
}

/// Parameters that take all that is left, and defaults.
std::optional<Value> Evaluator::bindRest(const FunctionObject &function,
                                         std::vector<Value> rest, SourceLoc loc,
                                         Scope &scope) {
  const std::string name = "'" + function.name + "'";
  for (const Parameter &p : function.params()) {
    if (p.kind == Parameter::VarArgs) {
      scope[p.name] = Binding{Value::tuple(rest), p.loc};
    } else if (p.kind == Parameter::VarKeywords) {
      scope[p.name] = Binding{Value::dict(), p.loc};
    } else if (!scope.count(p.name)) {
      if (!p.defaultValue) {
        return wrongCall(function, loc,
                         name + " needs a value for parameter '" + p.name +
                             "'");
      }
      Value value = defaultOf(function, p);
      if (value.is(ValueKind::Unknown)) {
        return wrongCall(function, loc,
                         "default of parameter '" + p.name + "' of " + name +
                             " is not known at compile time");
      }
      scope[p.name] = Binding{std::move(value), p.loc};
    }
  }
  return std::nullopt;
}

Value Evaluator::callFunction(const std::shared_ptr<FunctionObject> &function,
                              const CallArgs &args, SourceLoc loc) {
  if (function->isJit && !inHost()) {
    return inlineJit(function, args, loc);
  }
  if (!function->isJit) {
    if (!inHost() && !function->isConstexprFunction) {
      for (const auto &arg : args.list) {
        if (arg.value.isTile()) {
          sink.error(loc, "'" + function->name +
                              "' is an ordinary Python function and is called "
                              "with a run-time value; decorate it with "
                              "@triton.jit")
              .note(function->loc(), "it is defined here");
          return Value();
        }
      }
    }
    return runHostFunction(function, args, loc);
  }
  return Value::unknown(loc, "kernel '" + function->name +
                                 "' is called in host code");
}

bool Evaluator::refuseAsync(const FunctionObject &function) {
  if (!function.def->isAsync) {
    return false;
  }
  sink.error(function.def->loc,
             "'async def' is not supported in kernel code; write 'def'");
  return true;
}

Value Evaluator::inlineJit(const std::shared_ptr<FunctionObject> &function,
                           const CallArgs &args, SourceLoc loc) {
  for (const Frame &f : frames) {
    if (f.function == function) {
      return fail(loc, "'" + function->name +
                           "' calls itself; recursion is not supported in "
                           "kernel code");
    }
  }
  EvaluationBounds::Level level = allowed.call();
  if (!level) {
    allowed.stop(loc, allowed.callLimit());
    return Value();
  }
  WorkBudget::charge(WorkBudget::PerCall);
  if (refuseAsync(*function)) {
    return Value();
  }
  if (function->noInline && saidInlined.insert(function.get()).second) {
    sink.remark(loc, "'" + function->name +
                         "' is marked noinline and is inlined all the same: a "
                         "kernel has no calls on any target");
  }
  Frame callee;
  if (auto failure = bindParameters(*function, args, loc, callee.scope)) {
    return *failure;
  }
  callee.function = function;
  callee.module = function->module.lock();
  callee.closure = function->closure;
  callee.isHost = false;
  callee.callSite = mlir::LocationAttr(location(loc));
  sink.pushFrame(loc, "in the call of '" + function->name + "' from here");
  frames.push_back(std::move(callee));
  debugNotes.call(*function, frame().scope, loc);
  Flow flow = statements->block(function->def->body, nullptr);
  frames.pop_back();
  debugNotes.leave();
  sink.popFrame();
  return flow.kind == Flow::Return ? flow.value : Value::none();
}

Value Evaluator::runHostFunction(
    const std::shared_ptr<FunctionObject> &function, const CallArgs &args,
    SourceLoc loc) {
  bool fromKernel = !inHost();
  if (function->def && function->def->isAsync) {
    return fail(loc, "'" + function->name +
                         "' is an 'async def': its call gives a coroutine, "
                         "not a value");
  }
  Frame callee;
  if (auto failure = bindParameters(*function, args, loc, callee.scope)) {
    return *failure;
  }
  EvaluationBounds::Level level = allowed.call();
  if (!level) {
    return fail(loc, allowed.callLimit());
  }
  callee.function = function;
  callee.module = function->module.lock();
  callee.closure = function->closure;
  callee.isHost = true;
  frames.push_back(std::move(callee));
  Value result;
  if (function->lambda) {
    result = eval(function->lambda->body);
  } else {
    Flow flow = host->block(function->def->body);
    result = flow.kind == Flow::Return ? flow.value : Value::none();
  }
  frames.pop_back();
  if (fromKernel && result.is(ValueKind::Unknown)) {
    ReasonObject reason = result.reason();
    if (!allowed.isStopped()) {
      sink.error(loc,
                 "'" + function->name +
                     "' cannot be evaluated at compile time; a function of "
                     "the kernel needs @triton.jit")
          .note(reason.loc, reason.text);
    }
    return Value();
  }
  return result;
}

} // namespace tz::frontend
