//===- KnownArithmetic.h - Python arithmetic on known values ----*- C++ -*-===//
//
// What   Binary operators on integers, floats and sequences of compile time.
// Why    `//` and `%` round down here and truncate on tiles, integers never
//        wrap here: docs/reference/language.md#numbers.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_KNOWNARITHMETIC_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_KNOWNARITHMETIC_H

#include "core/frontend/evaluate/Value.h"
#include "core/frontend/parse/Lexer.h"

namespace tz::frontend {

class Evaluator;

Value integerBinary(Evaluator &ev, Tok op, PyInt a, PyInt b, SourceLoc loc);
Value floatBinary(Evaluator &ev, Tok op, double a, double b, SourceLoc loc);
/// Concatenation and repetition; nothing if the operator is neither.
std::optional<Value> sequenceBinary(Evaluator &ev, Tok op, const Value &lhs,
                                    const Value &rhs, SourceLoc loc);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_KNOWNARITHMETIC_H
