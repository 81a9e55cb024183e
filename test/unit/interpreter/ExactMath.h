//===- ExactMath.h - elementary functions to 200 bits -----------*- C++ -*-===//
//
// What   Each function of tile.math, evaluated by MPFR.
// Why    The interpreter and the library's sources are held to the same truth.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_INTERPRETER_EXACTMATH_H
#define TERRAZZO_TEST_UNIT_INTERPRETER_EXACTMATH_H

#include "terrazzo/ir/Tile.h"

#include <mpfr.h>

namespace tz::interpreter::test {

class Mpfr {
public:
  Mpfr() { mpfr_init2(value, 200); }
  ~Mpfr() { mpfr_clear(value); }
  Mpfr(const Mpfr &) = delete;
  Mpfr &operator=(const Mpfr &) = delete;
  mpfr_t value;
};

/// fn(x) to 200 bits.
inline void exact(tile::MathFn fn, Mpfr &y, const Mpfr &x) {
  using tile::MathFn;
  const mpfr_rnd_t rnd = MPFR_RNDN;
  switch (fn) {
  case MathFn::exp:
    mpfr_exp(y.value, x.value, rnd);
    break;
  case MathFn::exp2:
    mpfr_exp2(y.value, x.value, rnd);
    break;
  case MathFn::log:
    mpfr_log(y.value, x.value, rnd);
    break;
  case MathFn::log2:
    mpfr_log2(y.value, x.value, rnd);
    break;
  case MathFn::sin:
    mpfr_sin(y.value, x.value, rnd);
    break;
  case MathFn::cos:
    mpfr_cos(y.value, x.value, rnd);
    break;
  case MathFn::tan:
    mpfr_tan(y.value, x.value, rnd);
    break;
  case MathFn::sqrt:
  case MathFn::sqrt_rn:
    mpfr_sqrt(y.value, x.value, rnd);
    break;
  case MathFn::rsqrt:
    mpfr_rec_sqrt(y.value, x.value, rnd);
    if (mpfr_zero_p(x.value)) { // IEEE 754 keeps the zero's sign, MPFR not
      mpfr_set_inf(y.value, mpfr_signbit(x.value) ? -1 : 1);
    }
    break;
  case MathFn::erf:
    mpfr_erf(y.value, x.value, rnd);
    break;
  case MathFn::tanh:
    mpfr_tanh(y.value, x.value, rnd);
    break;
  case MathFn::floor:
    mpfr_floor(y.value, x.value);
    break;
  case MathFn::ceil:
    mpfr_ceil(y.value, x.value);
    break;
  case MathFn::trunc:
    mpfr_trunc(y.value, x.value);
    break;
  case MathFn::rint:
    mpfr_rint(y.value, x.value, rnd);
    break;
  case MathFn::abs:
    mpfr_abs(y.value, x.value, rnd);
    break;
  case MathFn::log1p:
    mpfr_log1p(y.value, x.value, rnd);
    break;
  case MathFn::expm1:
    mpfr_expm1(y.value, x.value, rnd);
    break;
  }
}

} // namespace tz::interpreter::test

#endif // TERRAZZO_TEST_UNIT_INTERPRETER_EXACTMATH_H
