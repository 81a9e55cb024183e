//===- ProfilerScopes.cpp - names of triton.profiler.language -------------===//
//
// What   Functions and contexts of the profiler's language, which do nothing.
// Why    Kernels that were measured elsewhere keep their marks.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/Builtins.h"
#include "core/frontend/evaluate/KernelStatements.h"

namespace tz::frontend {

void bindProfilerScopes(Registry &r) {
  for (const char *module : {"triton.profiler.language", "triton.profiler"}) {
    r.makeModule(module);
  }
  auto nothing = [](BuiltinCall &) { return Value::none(); };
  r.addHost("triton.profiler.language", "enter_scope", "name", nothing);
  r.addHost("triton.profiler.language", "exit_scope", "name", nothing);
  r.addHost("triton.profiler.language", "scope", "name", [](BuiltinCall &) {
    auto fields = std::make_shared<SequenceObject>();
    fields->className = ProfilerScope.str();
    return Value::record(std::move(fields));
  });
}

} // namespace tz::frontend
