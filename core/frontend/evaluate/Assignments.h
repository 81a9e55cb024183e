//===- Assignments.h - what names are bound to ------------------*- C++ -*-===//
//
// What   Assignment to names, sequences of them, subscripts and attributes.
// Why    In a kernel numbers become run-time values by it
//        (docs/reference/language.md#numbers).
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_ASSIGNMENTS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_ASSIGNMENTS_H

#include "core/frontend/evaluate/Value.h"

namespace tz::frontend {

class Classes;
class Evaluator;

class Assignments {
public:
  Assignments(Evaluator &ev, Classes &classes) : ev(ev), classes(classes) {}

  void assign(const ast::Expr *target, const Value &value, SourceLoc loc,
              bool keepConstexpr);
  void bind(llvm::StringRef name, Value value, SourceLoc loc);
  /// Numbers that are assigned become run-time scalars.
  Value sanitize(const Value &value, SourceLoc loc);

private:
  /// `at`: of all targets together.
  void toSequence(llvm::ArrayRef<ast::Expr *> targets, const Value &value,
                  SourceLoc at, SourceLoc loc, bool keepConstexpr);
  void toSubscript(const ast::Subscript *target, const Value &value);

  Evaluator &ev;
  Classes &classes;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_ASSIGNMENTS_H
