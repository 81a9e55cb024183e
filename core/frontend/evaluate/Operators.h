//===- Operators.h - operators of expressions -------------------*- C++ -*-===//
//
// What   Binary, unary and comparison operators on values of any kind.
// Why    The same text means Python's arithmetic on what is known and an
//        operation on tiles; a record's own method comes before both.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_OPERATORS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_OPERATORS_H

#include "core/frontend/evaluate/Value.h"

namespace tz::frontend {

class Evaluator;

class Operators {
public:
  explicit Operators(Evaluator &ev) : ev(ev) {}

  Value binary(Tok op, const Value &lhs, const Value &rhs, SourceLoc loc);
  Value unary(Tok op, const Value &operand, SourceLoc loc);
  Value compare(ast::CompareOp op, const Value &lhs, const Value &rhs,
                SourceLoc loc);

private:
  /// What a record's method gives; nothing if no side has one.
  std::optional<Value> byRecord(Tok op, const Value &lhs, const Value &rhs,
                                SourceLoc loc);
  std::optional<Value> byRecord(ast::CompareOp op, const Value &lhs,
                                const Value &rhs, SourceLoc loc);
  /// Of an operation on a value that is not known: why it is not.
  static Value unknownOperand(const Value &operand, SourceLoc loc);

  Evaluator &ev;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_OPERATORS_H
