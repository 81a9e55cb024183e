//===- ReferenceMath.h - elementary functions in double, long double ------===//
//
// What   tile.math and tile.pow, evaluated above the precision of their type.
// Why    R7: the oracle does not share source with what it judges. Checked
//        against an arbitrary-precision library in test/unit/interpreter.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_REFERENCEMATH_H
#define TERRAZZO_CORE_INTERPRETER_REFERENCEMATH_H

#include "core/interpreter/ElementKind.h"

#include "terrazzo/ir/Tile.h"

namespace tz::interpreter {

/// `fn(x)` for an `x` of type `kind`, not yet rounded to it (f64: rounded).
double evaluate(tile::MathFn fn, Kind kind, double x);
double power(Kind kind, double x, double y);

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_REFERENCEMATH_H
