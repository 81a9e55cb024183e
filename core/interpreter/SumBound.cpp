//===- SumBound.cpp - how far a sum in another order may be off -----------===//
//
// What   See SumBound.h.
// Why    See SumBound.h.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/SumBound.h"

#include "core/interpreter/Errors.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tz::interpreter {

/// The greatest power of two that divides a finite number other than zero.
static double lowestBitOf(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  const auto digits = static_cast<uint64_t>(std::ldexp(fraction, 53));
  return std::ldexp(1.0, exponent - 53 + std::countr_zero(digits));
}

void SumBound::add(double term, double error) {
  terms += 1;
  given += error;
  if (!std::isfinite(term)) {
    (std::isnan(term) ? hasNan : hasInfinity) = true;
    return;
  }
  sum += term;
  (term < 0 ? negative : positive) += std::fabs(term);
  if (term != 0) {
    const double bit = lowestBitOf(term);
    quantum = quantum == 0 ? bit : std::min(quantum, bit);
  }
}

static double largestFiniteOf(Kind kind) {
  return decodeFloat(kind, encodeFloat(kind, std::numeric_limits<double>::max(),
                                       RoundTo::Zero));
}

/// Every partial sum is a multiple of the quantum between -negative and
/// positive. Those of at most 1 / u quanta are numbers of the type.
bool SumBound::isExactInAnyOrder(Kind kind) const {
  const double reach = std::max(positive, negative);
  return given == 0 && reach * unitRoundoff(kind) <= quantum &&
         reach <= largestFiniteOf(kind);
}

double SumBound::of(Kind kind, double ours) const {
  if (given == Unknown) {
    return Unknown;
  }
  const double magnitude = positive + negative + given;
  const double roundings = (terms - 1) * unitRoundoff(kind) * magnitude;
  const double largest = largestFiniteOf(kind);
  const bool overflows = magnitude + roundings > largest;
  const bool saturates = largestOf(kind) == Unknown;
  if (hasNan || hasInfinity) {
    // They decide in any order, if nothing else overflows. A type that
    // saturates turns an infinity into a number at the first addition.
    const bool decides = hasNan || (!overflows && (!saturates || terms == 1));
    return given == 0 && decides ? 0 : Unknown;
  }
  if (isExactInAnyOrder(kind)) {
    return 0;
  }
  // `sum` itself is rounded to double.
  const double own =
      std::fabs(ours - sum) + (terms - 1) * unitRoundoff(Kind::F64) * magnitude;
  const double bound = given + roundings + own;
  if (!saturates) {
    return magnitude + bound > largest ? Unknown : bound;
  }
  const double anything = largest + std::fabs(ours);
  return overflows ? anything : std::min(bound, anything);
}

} // namespace tz::interpreter
