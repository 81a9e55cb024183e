//===- ProductBound.h - products that leave the range -----------*- C++ -*-===//
//
// What   Takes the factors of a float product one by one and says whether some
//        other grouping of them meets an infinity, or a number too small to be
//        normal, where the whole product is none.
// Why    0 * (5 * 10 * 15 ...) is NaN where what is in brackets overflows, and
//        0 where factors are multiplied one after the other; the specification
//        leaves the grouping open.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_PRODUCTBOUND_H
#define TERRAZZO_CORE_INTERPRETER_PRODUCTBOUND_H

#include "core/interpreter/ElementKind.h"

namespace tz::interpreter {

class ProductBound {
public:
  /// In any order, or only grouped otherwise?
  explicit ProductBound(bool anyOrder) : anyOrder(anyOrder) {}

  /// A factor that may itself be off by `error`.
  void add(double factor, double error);
  /// Of the factors so far. Never of a type that saturates.
  bool mayLeaveRange(Kind kind) const;

private:
  bool anyOrder;
  bool hasZero = false, hasNonFinite = false;
  double factors = 0;
  /// Logarithms, base 2, of magnitudes: the whole, and the greatest and least
  /// product of some of the factors; of those that end with the last one.
  double whole = 0, greatest = 0, least = 0, greatestHere = 0, leastHere = 0;
};

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_PRODUCTBOUND_H
