//===- CallExpressions.h - callee(arguments) --------------------*- C++ -*-===//
//
// What   Evaluates callee(arguments) and finds who takes the call: a built-in,
//        a function of a file, a class, a value's own method, a type.
// Why    What may be called is decided in one place, so that all else has one
//        message.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_CALLEXPRESSIONS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_CALLEXPRESSIONS_H

#include "core/frontend/evaluate/BuiltinRegistry.h"

namespace tz::frontend {

class Classes;
class Evaluator;
class FunctionCalls;

class CallExpressions {
public:
  CallExpressions(Evaluator &ev, FunctionCalls &functions, Classes &classes)
      : ev(ev), functions(functions), classes(classes) {}

  /// The value of a call expression.
  Value evaluate(const ast::Call *node);
  /// Calls what has been evaluated.
  Value call(const Value &callee, const CallArgs &args, SourceLoc loc);

private:
  /// Evaluates arguments, stars expanded; false if one has no value.
  bool arguments(const ast::Call *node, CallArgs &args);
  bool listItems(const ast::Starred *star, CallArgs &args);
  bool keyword(const ast::Keyword &keyword, CallArgs &args);
  /// tl.float32(x), as x.to(tl.float32); nothing where it is no conversion.
  std::optional<Value> conversion(const Value &type, const CallArgs &args,
                                  SourceLoc loc);

  Evaluator &ev;
  FunctionCalls &functions;
  Classes &classes;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_CALLEXPRESSIONS_H
