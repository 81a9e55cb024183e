//===- ExpressionValues.h - expressions of the syntax tree ------*- C++ -*-===//
//
// What   The value of an expression, one function for each kind.
// Why    Kernel code and host code share these; what differs (an unknown host
//        value is no error until a kernel uses it) is decided in
//        Evaluator::fail.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_EXPRESSIONVALUES_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_EXPRESSIONVALUES_H

#include "core/frontend/evaluate/Value.h"

namespace tz::frontend {

class CallExpressions;
class Evaluator;
class KernelStatements;

class ExpressionValues {
public:
  ExpressionValues(Evaluator &ev, CallExpressions &calls,
                   KernelStatements &kernel)
      : ev(ev), calls(calls), kernel(kernel) {}

  Value evaluate(const ast::Expr *expr);

private:
  Value constant(const ast::Constant *node);
  Value joined(const ast::JoinedString *node);
  Value lambda(const ast::Lambda *node);
  Value dict(const ast::Dict *node);
  Value elements(llvm::ArrayRef<ast::Expr *> elements, bool tuple);
  Value comparison(const ast::Compare *node);
  Value logical(const ast::Bool *node);
  Value unsupported(const ast::Expr *expr);

  Evaluator &ev;
  CallExpressions &calls;
  KernelStatements &kernel;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_EXPRESSIONVALUES_H
