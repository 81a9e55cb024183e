//===- Tolerances.cpp - the table of tolerances ---------------------------===//
//
// What   Tolerances.def by function and by precision.
// Why    Names are looked up once; a lane of a tile costs an index.
//===----------------------------------------------------------------------===//
#include "core/interpreter/Tolerances.h"

#include <array>
#include <cmath>

namespace tz::interpreter {

llvm::ArrayRef<UlpRow> ulpTable() {
  static const UlpRow rows[] = {
#define TZ_ULPS(function, ulps, perMagnitude, reason)                          \
  {#function, ulps, perMagnitude, reason},
#define TZ_PRECISION(name, relative, products, reason)
#include "core/interpreter/Tolerances.def"
  };
  return rows;
}

llvm::ArrayRef<PrecisionRow> precisionTable() {
  static const PrecisionRow rows[] = {
#define TZ_ULPS(function, ulps, perMagnitude, reason)
#define TZ_PRECISION(name, relative, products, reason)                         \
  {#name, relative, products, reason},
#include "core/interpreter/Tolerances.def"
  };
  return rows;
}

static const UlpRow *rowOf(llvm::StringRef function) {
  for (const UlpRow &row : ulpTable()) {
    if (function == row.function) {
      return &row;
    }
  }
  return nullptr;
}

double mathUlps(tile::MathFn fn, double x) {
  constexpr unsigned count = tile::getMaxEnumValForMathFn() + 1;
  static const std::array<const UlpRow *, count> rows = [] {
    std::array<const UlpRow *, count> found{};
    for (unsigned i = 0; i < count; ++i) {
      if (auto one = tile::symbolizeMathFn(i)) {
        found[i] = rowOf(tile::stringifyMathFn(*one));
      }
    }
    return found;
  }();
  const UlpRow *row = rows[static_cast<unsigned>(fn)];
  return row ? row->ulps + (row->perMagnitude == 0
                                ? 0
                                : row->perMagnitude * std::fabs(x))
             : 0;
}

double divisionUlps() {
  static const double ulps = rowOf("div")->ulps;
  return ulps;
}

double powUlps() {
  static const double ulps = rowOf("pow")->ulps;
  return ulps;
}

static const PrecisionRow *rowOf(tile::Precision precision) {
  for (const PrecisionRow &row : precisionTable()) {
    if (tile::stringifyPrecision(precision) == row.name) {
      return &row;
    }
  }
  return nullptr; // the target's default is ieee here
}

double productError(tile::Precision precision) {
  const PrecisionRow *row = rowOf(precision);
  return row ? row->relative : 0;
}

unsigned productsOf(tile::Precision precision) {
  const PrecisionRow *row = rowOf(precision);
  return row ? row->products : 1;
}

} // namespace tz::interpreter
