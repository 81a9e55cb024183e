//===- WithStatements.cpp - with statements in kernels --------------------===//
//
// What   Runs the body of a `with` between its contexts' beginning and end:
//        aggregates with __enter__ and __exit__, and scopes of the profiler.
// Why    A context is a call around a block; nothing of it is left in tile IR
//        but what those methods do.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/BlockAnalysis.h"
#include "core/frontend/evaluate/Evaluator.h"
#include "core/frontend/evaluate/KernelStatements.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tz::frontend {

using namespace ast;

static bool isProfilerScope(const Value &value) {
  return value.is(ValueKind::Record) &&
         value.sequence().className == ProfilerScope;
}

static StringRef scopeName(const Value &scope) {
  return scope.items().front().asString();
}

void KernelStatements::with(const With *node) {
  if (mayLeave(node->body)) {
    ev.fail(node->loc, "return, break and continue inside a 'with' are not "
                       "supported in kernel code");
    return;
  }
  std::vector<Value> contexts;
  for (const WithItem &item : node->items) {
    Value context = ev.eval(item.context);
    if (context.isError()) {
      return;
    }
    Value entered = context;
    if (isProfilerScope(context)) {
      emitProfilerScope(ev, scopeName(context), /*isEnd=*/false,
                        item.context->loc);
    } else {
      std::optional<Value> result =
          ev.callSpecial("__enter__", context, {}, item.context->loc);
      if (!result) {
        ev.fail(
            item.context->loc,
            "'with' needs an aggregate with __enter__ and __exit__ or a scope "
            "of the profiler, found " +
                describe(context));
        return;
      }
      entered = *result;
    }
    if (item.target) {
      ev.assign(item.target, entered, item.context->loc);
    }
    contexts.push_back(context);
  }
  block(node->body, nullptr);
  for (const Value &context : reverse(contexts)) {
    if (isProfilerScope(context)) {
      emitProfilerScope(ev, scopeName(context), /*isEnd=*/true, node->loc);
      continue;
    }
    Value none = Value::none();
    ev.callSpecial("__exit__", context, {none, none, none}, node->loc);
  }
}

} // namespace tz::frontend
