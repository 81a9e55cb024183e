//===- ReferenceMath.cpp - elementary functions in double and long double -===//
//
// What   One template for both precisions.
// Why    f32 and narrower are evaluated in double, f64 in long double (64-bit
//        significand); the one rounding that follows decides the result, but
//        for the rare argument whose value lies within the evaluation's error
//        of a rounding boundary.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/ReferenceMath.h"

#include <cmath>

namespace tz::interpreter {

template <typename Real>
static Real evaluateIn(tile::MathFn fn, Real x) {
  using tile::MathFn;
  switch (fn) {
  case MathFn::exp:
    return std::exp(x);
  case MathFn::exp2:
    return std::exp2(x);
  case MathFn::log:
    return std::log(x);
  case MathFn::log2:
    return std::log2(x);
  case MathFn::sin:
    return std::sin(x);
  case MathFn::cos:
    return std::cos(x);
  case MathFn::tan:
    return std::tan(x);
  case MathFn::sqrt:
  case MathFn::sqrt_rn:
    return std::sqrt(x);
  case MathFn::rsqrt:
    return Real{1} / std::sqrt(x);
  case MathFn::erf:
    return std::erf(x);
  case MathFn::tanh:
    return std::tanh(x);
  case MathFn::floor:
    return std::floor(x);
  case MathFn::ceil:
    return std::ceil(x);
  case MathFn::trunc:
    return std::trunc(x);
  case MathFn::rint:
    return std::rint(x);
  case MathFn::abs:
    return std::fabs(x);
  case MathFn::log1p:
    return std::log1p(x);
  case MathFn::expm1:
    return std::expm1(x);
  }
  return x;
}

double evaluate(tile::MathFn fn, Kind kind, double x) {
  if (kind != Kind::F64) {
    return evaluateIn<double>(fn, x);
  }
  if (fn == tile::MathFn::sqrt || fn == tile::MathFn::sqrt_rn) {
    return std::sqrt(x); // correctly rounded; long double would round twice
  }
  return static_cast<double>(evaluateIn<long double>(fn, x));
}

double power(Kind kind, double x, double y) {
  if (kind != Kind::F64) {
    return std::pow(x, y);
  }
  return static_cast<double>(
      std::pow(static_cast<long double>(x), static_cast<long double>(y)));
}

} // namespace tz::interpreter
