//===- RealArithmetic.h - floats as the hardware has them -----------------===//
//
// What   Minimum and maximum, and the steps of a division.
// Why    Plain and packed instructions share them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_REALARITHMETIC_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_REALARITHMETIC_H

#include "plugins/amd/simulator/execute/Operands.h"

namespace tz::amd::sim {

template <typename T>
bool isNan(T value) {
  return std::isnan(double(value));
}
template <typename T>
bool isMinus(T value) {
  return std::signbit(double(value));
}

/// The number, if one is none; -0 is less than +0.
template <typename T>
T smaller(T a, T b) {
  if (isNan(a) || isNan(b)) {
    return isNan(a) ? b : a;
  }
  return a < b || (a == b && isMinus(a)) ? a : b;
}
template <typename T>
T larger(T a, T b) {
  if (isNan(a) || isNan(b)) {
    return isNan(a) ? b : a;
  }
  return a > b || (a == b && isMinus(b)) ? a : b;
}
/// A NaN, if one is one.
template <typename T>
T leastOrNan(T a, T b) {
  return isNan(a) ? a : isNan(b) ? b : smaller(a, b);
}
template <typename T>
T mostOrNan(T a, T b) {
  return isNan(a) ? a : isNan(b) ? b : larger(a, b);
}
template <typename T>
T median(T a, T b, T c) {
  if (isNan(a) || isNan(b) || isNan(c)) {
    return smaller(smaller(a, b), c);
  }
  return larger(smaller(a, b), smaller(larger(a, b), c));
}

/// One rounding. A product of halves is exact in double, and so is nearly every
/// sum with it.
template <typename T>
T fused(T a, T b, T c) {
  if constexpr (std::is_same_v<T, half>) {
    return half(double(a) * double(b) + double(c));
  } else {
    return std::fma(a, b, c);
  }
}

} // namespace tz::amd::sim

#endif
