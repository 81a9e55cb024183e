//===- TileOperators.h - Python operators on tiles --------------*- C++ -*-===//
//
// What   The operations that syntax causes: operators, conversions of literals
//        to scalars, conditions, if-values; and values as operands of OpEmitter.
// Why    The evaluator needs these few; everything else that a kernel can do
//        is reached by name through the table of built-ins.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_TILEOPERATORS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_TILEOPERATORS_H

#include "core/frontend/evaluate/Value.h"
#include "core/frontend/semantics/OpEmitter.h"

namespace tz::frontend {

class Evaluator;

/// A tile or a weak number; empty after an error at `loc`.
std::optional<Operand> toOperand(Evaluator &evaluator, const Value &value,
                                 SourceLoc loc);
Value fromTile(const OptionalTile &tile);
/// The emitter, set to the location of what is about to be emitted.
OpEmitter &emitterAt(Evaluator &evaluator, SourceLoc loc);

/// At least one operand is a tile; the other may be a literal.
Value tileBinary(Evaluator &evaluator, Tok op, const Value &lhs,
                 const Value &rhs, SourceLoc loc);
Value tileCompare(Evaluator &evaluator, ast::CompareOp op, const Value &lhs,
                  const Value &rhs, SourceLoc loc);
Value tileUnary(Evaluator &evaluator, Tok op, const Value &operand,
                SourceLoc loc);
/// A run-time scalar of the literal's natural type.
Value tileFromLiteral(Evaluator &evaluator, const Value &literal,
                      SourceLoc loc);
/// The scalar as an i1 that an `if` can test; error for tiles.
Value tileCondition(Evaluator &evaluator, const Value &value, SourceLoc loc,
                    llvm::StringRef what);
/// Loop bounds and step in one integer type; empty after an error.
std::optional<std::array<TileValue, 3>>
tileLoopBounds(Evaluator &evaluator, const Value &start, const Value &stop,
               const Value &step, SourceLoc loc);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_TILEOPERATORS_H
