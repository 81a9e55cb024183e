//===- WithStatements.cpp - with statements in kernels --------------------===//
//
// What   Runs the body of a `with` between its contexts' beginning and end:
//        aggregates with __enter__ and __exit__, and scopes of the profiler.
// Why    A context is a call around a block; nothing of it is left in tile IR
//        but what those methods do.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Evaluator.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

/// Marks a context of the profiler: it changes no meaning.
static constexpr const char *scopeName = "profiler scope";

void Evaluator::execWith(const With *node) {
  if (mayLeave(node->body)) {
    fail(node->loc, "return, break and continue inside a 'with' are not "
                    "supported in kernel code");
    return;
  }
  std::vector<Value> contexts;
  for (const WithItem &item : node->items) {
    Value context = eval(item.context);
    if (context.isError()) {
      return;
    }
    Value entered = context;
    bool isScope = context.is(ValueKind::Record) &&
                   context.sequence().className == scopeName;
    if (!isScope) {
      std::optional<Value> result =
          callSpecial("__enter__", context, {}, item.context->loc);
      if (!result) {
        fail(item.context->loc,
             "'with' needs an aggregate with __enter__ and __exit__ or a scope "
             "of the profiler, found " +
                 describe(context));
        return;
      }
      entered = *result;
    }
    if (item.target) {
      assign(item.target, entered, item.context->loc);
    }
    contexts.push_back(context);
  }
  execBlock(node->body, nullptr);
  for (const Value &context : reverse(contexts)) {
    Value none = Value::none();
    callSpecial("__exit__", context, {none, none, none}, node->loc);
  }
}

void bindProfilerScopes(Registry &r) {
  for (const char *module : {"triton.profiler.language", "triton.profiler"}) {
    r.makeModule(module);
  }
  auto nothing = [](BuiltinCall &) { return Value::none(); };
  r.addHost("triton.profiler.language", "enter_scope", "name", nothing);
  r.addHost("triton.profiler.language", "exit_scope", "name", nothing);
  r.addHost("triton.profiler.language", "scope", "name", [](BuiltinCall &) {
    auto fields = std::make_shared<SequenceObject>();
    fields->className = scopeName;
    return Value::record(std::move(fields));
  });
}

} // namespace tz::frontend
