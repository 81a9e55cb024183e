//===- FunctionCalls.cpp - functions of files: inlining, host calls -------===//
//
// What   Arguments to parameters and defaults; then jit functions are inlined,
//        host functions evaluated.
// Why    See FunctionCalls.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/FunctionCalls.h"

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

Value FunctionCalls::defaultOf(const FunctionObject &function,
                               const Parameter &param) {
  if (auto module = function.module.lock(); module && module->scope) {
    // The host evaluated it where the function was defined.
    if (Binding *known =
            ev.modules().ask(*module, param.name.str() + "=", param.loc, ev)) {
      return known->value;
    }
  }
  Evaluator::Frame around;
  around.module = function.module.lock();
  around.isHost = true;
  around.closure = function.closure;
  Evaluator::Within within(ev, std::move(around));
  return ev.eval(param.defaultValue);
}

void FunctionCalls::runKernel(const std::shared_ptr<FunctionObject> &function,
                              Scope params) {
  if (refuseAsync(*function)) {
    return;
  }
  Evaluator::Frame top;
  top.function = function;
  top.module = function->module.lock();
  top.closure = function->closure;
  top.isHost = false;
  top.scope = std::move(params);
  Evaluator::Within within(ev, std::move(top));
  ev.notes().call(*function, ev.frame().scope, function->loc());
  kernel.block(function->def->body, nullptr);
}

Value FunctionCalls::wrongCall(const FunctionObject &function, SourceLoc at,
                               const Twine &message) {
  if (ev.inHost()) {
    return Value::unknown(at, message.str());
  }
  ev.diagnostics()
      .error(at, message)
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

std::optional<Value>
FunctionCalls::bindParameters(const FunctionObject &function,
                              const CallArgs &args, SourceLoc loc,
                              Scope &scope) {
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
std::optional<Value> FunctionCalls::bindRest(const FunctionObject &function,
                                             std::vector<Value> rest,
                                             SourceLoc loc, Scope &scope) {
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

Value FunctionCalls::call(const std::shared_ptr<FunctionObject> &function,
                          const CallArgs &args, SourceLoc loc) {
  if (function->isJit && !ev.inHost()) {
    return inlined(function, args, loc);
  }
  if (!function->isJit) {
    if (!ev.inHost() && !function->isConstexprFunction) {
      for (const auto &arg : args.list) {
        if (arg.value.isTile()) {
          ev.diagnostics()
              .error(loc, "'" + function->name +
                              "' is an ordinary Python function and is called "
                              "with a run-time value; decorate it with "
                              "@triton.jit")
              .note(function->loc(), "it is defined here");
          return Value();
        }
      }
    }
    return evaluated(function, args, loc);
  }
  return Value::unknown(loc, "kernel '" + function->name +
                                 "' is called in host code");
}

bool FunctionCalls::refuseAsync(const FunctionObject &function) {
  if (!function.def->isAsync) {
    return false;
  }
  ev.diagnostics().error(
      function.def->loc,
      "'async def' is not supported in kernel code; write 'def'");
  return true;
}

Value FunctionCalls::inlined(const std::shared_ptr<FunctionObject> &function,
                             const CallArgs &args, SourceLoc loc) {
  if (ev.isRunning(*function)) {
    return ev.fail(loc, "'" + function->name +
                            "' calls itself; recursion is not supported in "
                            "kernel code");
  }
  EvaluationBounds::Level level = ev.bounds().call();
  if (!level) {
    ev.bounds().stop(loc, ev.bounds().callLimit());
    return Value();
  }
  WorkBudget::charge(WorkBudget::PerCall);
  if (refuseAsync(*function)) {
    return Value();
  }
  if (function->noInline && saidInlined.insert(function.get()).second) {
    ev.diagnostics().remark(
        loc, "'" + function->name +
                 "' is marked noinline and is inlined all the same: a "
                 "kernel has no calls on any target");
  }
  Evaluator::Frame callee;
  if (auto failure = bindParameters(*function, args, loc, callee.scope)) {
    return *failure;
  }
  callee.function = function;
  callee.module = function->module.lock();
  callee.closure = function->closure;
  callee.isHost = false;
  callee.callSite = mlir::LocationAttr(ev.location(loc));
  ev.diagnostics().pushFrame(loc, "in the call of '" + function->name +
                                      "' from here");
  const Flow flow = [&] {
    Evaluator::Within within(ev, std::move(callee));
    ev.notes().call(*function, ev.frame().scope, loc);
    return kernel.block(function->def->body, nullptr);
  }();
  ev.notes().leave();
  ev.diagnostics().popFrame();
  return flow.kind == Flow::Return ? flow.value : Value::none();
}

Value FunctionCalls::evaluated(const std::shared_ptr<FunctionObject> &function,
                               const CallArgs &args, SourceLoc loc) {
  bool fromKernel = !ev.inHost();
  if (function->def && function->def->isAsync) {
    return ev.fail(loc, "'" + function->name +
                            "' is an 'async def': its call gives a coroutine, "
                            "not a value");
  }
  Evaluator::Frame callee;
  if (auto failure = bindParameters(*function, args, loc, callee.scope)) {
    return *failure;
  }
  EvaluationBounds::Level level = ev.bounds().call();
  if (!level) {
    return ev.fail(loc, ev.bounds().callLimit());
  }
  callee.function = function;
  callee.module = function->module.lock();
  callee.closure = function->closure;
  callee.isHost = true;
  Value result;
  {
    Evaluator::Within within(ev, std::move(callee));
    if (function->lambda) {
      result = ev.eval(function->lambda->body);
    } else {
      Flow flow = host.block(function->def->body);
      result = flow.kind == Flow::Return ? flow.value : Value::none();
    }
  }
  if (fromKernel && result.is(ValueKind::Unknown)) {
    ReasonObject reason = result.reason();
    if (!ev.bounds().isStopped()) {
      ev.diagnostics()
          .error(loc,
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
