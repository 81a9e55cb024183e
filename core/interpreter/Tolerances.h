//===- Tolerances.h - the table of tolerances -------------------*- C++ -*-===//
//
// What   The rows of Tolerances.def as values.
// Why    Error bounds and `tz conform --tolerances` read the same figures.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_TOLERANCES_H
#define TERRAZZO_CORE_INTERPRETER_TOLERANCES_H

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/ArrayRef.h"

namespace tz::interpreter {

struct UlpRow {
  const char *function;
  double ulps, perMagnitude;
  const char *reason;
};
llvm::ArrayRef<UlpRow> ulpTable();

struct PrecisionRow {
  const char *name;
  double relative;
  unsigned products;
  const char *reason;
};
llvm::ArrayRef<PrecisionRow> precisionTable();

/// ULPs that a target may be off in `fn` at `x`; 0 = correctly rounded.
double mathUlps(tile::MathFn fn, double x);
double divisionUlps();
double powUlps();
/// What an input precision adds to a product of fp32 operands, relatively.
double productError(tile::Precision precision);
/// How many products stand for one.
unsigned productsOf(tile::Precision precision);
/// What one addition of a matrix unit that multiplies 8-bit floats may lose,
/// relatively (P22): it keeps 14 bits and cuts the rest.
inline constexpr double Float8SumError = 0x1p-13;

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_TOLERANCES_H
