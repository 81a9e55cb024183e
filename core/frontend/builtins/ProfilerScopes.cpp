//===- ProfilerScopes.cpp - scopes of the profiler in kernels -------------===//
//
// What   enter_scope, exit_scope and the context `scope` of tl.profile, which
//        triton.profiler.language has too.
// Why    A part of a kernel has a name, under which a profile tells its time.
//        Where nobody records scopes, nothing of them is left.
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/KernelStatements.h"
#include "core/frontend/semantics/OpEmitter.h"

namespace tz::frontend {

/// The scope's name; empty after an error.
static std::string nameOf(BuiltinCall &call) {
  std::optional<std::string> name = call.string(0);
  if (name && name->empty()) {
    call.error(0, "a scope needs a name");
  }
  return name.value_or("");
}

void emitProfilerScope(Evaluator &evaluator, llvm::StringRef name, bool isEnd,
                       SourceLoc loc) {
  if (!evaluator.inHost() && !name.empty()) {
    evaluator.emitter().setLocation(evaluator.location(loc));
    evaluator.emitter().recordScope(name, isEnd);
  }
}

static Value enter(BuiltinCall &call) {
  emitProfilerScope(call.evaluator, nameOf(call), /*isEnd=*/false, call.loc);
  return Value::none();
}

static Value leave(BuiltinCall &call) {
  emitProfilerScope(call.evaluator, nameOf(call), /*isEnd=*/true, call.loc);
  return Value::none();
}

static Value makeScope(BuiltinCall &call) {
  auto fields = std::make_shared<SequenceObject>();
  fields->className = ProfilerScope.str();
  fields->names = {"name"};
  fields->items = {Value::string(nameOf(call))};
  return Value::record(std::move(fields));
}

void bindProfilerScopes(Registry &r) {
  r.makeModule("triton.profiler");
  for (const char *module :
       {"triton.profiler.language", "triton.language.profile"}) {
    r.makeModule(module);
    r.addHost(module, "enter_scope", "name", enter);
    r.addHost(module, "exit_scope", "name", leave);
    r.addHost(module, "scope", "name", makeScope);
  }
  r.makeModule("triton.language")->members["profile"] = Binding{
      Value::module(r.makeModule("triton.language.profile")), SourceLoc()};
}

} // namespace tz::frontend
