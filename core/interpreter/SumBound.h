//===- SumBound.h - how far a sum in another order may be off ---*- C++ -*-===//
//
// What   Takes the terms of a float sum one by one and bounds the distance
//        between our result and that of any other order of the same additions.
// Why    Orders differ by up to every rounding that each makes, which for fp8
//        is most of the sum's own size; and by nothing at all where no order
//        rounds, as with small integers.
//
// Of n terms x in any order, each addition rounded to nearest with unit
// roundoff u, the result t obeys |t - sum x| <= (n - 1) u sum |x|, for every n:
// Jeannerod and Rump, "Improved error bounds for inner products in
// floating-point arithmetic", SIAM J. Matrix Anal. Appl. 34 (2013). (The usual
// n u / (1 - n u) says nothing from n u = 1 on, 16 terms of f8E4M3FN.) Our own
// distance from the sum of the terms is no guess: the result is known.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_SUMBOUND_H
#define TERRAZZO_CORE_INTERPRETER_SUMBOUND_H

#include "core/interpreter/ElementKind.h"

namespace tz::interpreter {

class SumBound {
public:
  /// A term that may itself be off by `error`.
  void add(double term, double error);
  /// Another order's distance from `ours`, the sum of the terms so far.
  double of(Kind kind, double ours) const;

private:
  bool isExactInAnyOrder(Kind kind) const;

  double terms = 0;
  double sum = 0, positive = 0, negative = 0; ///< of the finite terms
  double given = 0;                           ///< what terms brought along
  double quantum = 0; ///< greatest power of two that divides every term
  bool hasNan = false, hasInfinity = false;
};

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_SUMBOUND_H
