//===- ProductBound.cpp - products that leave the range in between --------===//
//
// What   See ProductBound.h.
// Why    See ProductBound.h.
//===----------------------------------------------------------------------===//
#include "core/interpreter/ProductBound.h"

#include "core/interpreter/Errors.h"

#include <algorithm>
#include <cmath>

namespace tz::interpreter {

void ProductBound::add(double factor, double error) {
  ++factors;
  if (!std::isfinite(factor)) { // it decides, wherever it stands
    hasNonFinite = true;
    return;
  }
  const double high = std::log2(std::fabs(factor) + error);
  if (factor == 0) {
    hasZero = true;
    whole = -HUGE_VAL;
    leastHere = 0;
  } else {
    const double low = std::log2(std::max(std::fabs(factor) - error, 0.0));
    whole += std::log2(std::fabs(factor));
    leastHere = std::min(leastHere, 0.0) + low;
    least = anyOrder ? least + std::min(low, 0.0) : std::min(least, leastHere);
  }
  greatestHere = std::max(greatestHere, 0.0) + high;
  greatest = anyOrder ? greatest + std::max(high, 0.0)
                      : std::max(greatest, greatestHere);
}

bool ProductBound::mayLeaveRange(Kind kind) const {
  // Types that saturate have no infinities, and so few digits that the bounds
  // of their roundings are as wide as what other groupings lose.
  if (!std::isfinite(largestOf(kind))) {
    return false;
  }
  // Each multiplication rounds.
  const double slack = 2 * factors * unitRoundoff(kind),
               top = std::log2(largestOf(kind)) - slack,
               bottom = std::log2(leastNormalOf(kind)) + slack;
  // What is infinite stays so unless a part vanishes, and NaN beside a zero.
  const bool isInfinite = hasNonFinite || whole > top + 2 * slack;
  const bool overflows = greatest > top && !isInfinite;
  const bool vanishes =
      !hasZero && least < bottom && (isInfinite || whole > bottom - 2 * slack);
  return overflows || vanishes;
}

} // namespace tz::interpreter
