//===- ReferenceMathTest.cpp - elementary functions against MPFR ----------===//
//
// What   Every tile.math function and tile.pow, on f32 and f64 arguments of all
//        magnitudes, compared with 200-bit results.
// Why    The oracle's own error must be far below any target's tolerance (R7).
//
// Bound: f32 results are correctly rounded but for values within 2^-24 of a
// rounding boundary's unit, so 1 ULP at most and rarely; f64 (evaluated in long
// double) likewise.
//===----------------------------------------------------------------------===//
#include "core/interpreter/ReferenceMath.h"

#include "test/unit/interpreter/ExactMath.h"

#include "core/interpreter/Compare.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace tz;
using namespace tz::interpreter;
using tile::MathFn;
using tz::interpreter::test::exact;
using tz::interpreter::test::Mpfr;

namespace {

uint64_t rounded(Kind kind, const Mpfr &y) {
  if (kind == Kind::F32) {
    return encodeFloat(kind, mpfr_get_flt(y.value, MPFR_RNDN));
  }
  return encodeFloat(kind, mpfr_get_d(y.value, MPFR_RNDN));
}

/// Arguments of every magnitude and some that are special.
std::vector<double> arguments(Kind kind) {
  std::mt19937_64 random(42);
  std::vector<double> xs = {0.0, -0.0, 1, -1, 0.5, 2, 88.7, -87.3, 710, -745};
  for (int i = 0; i < 3000; ++i) {
    const double mantissa =
        std::ldexp(static_cast<double>(random() >> 11), -53);
    const int exponent = static_cast<int>(random() % 40) - 28;
    const double x = std::ldexp(1 + mantissa, exponent);
    xs.push_back((random() & 1) != 0 ? x : -x);
  }
  for (int exponent = -149; exponent < 128; ++exponent) {
    xs.push_back(std::ldexp(1.75, exponent));
    xs.push_back(std::ldexp(-1.25, exponent));
  }
  for (double &x : xs) {
    x = decodeFloat(kind, encodeFloat(kind, x));
  }
  return xs;
}

struct Figures {
  uint64_t worst = 0;
  unsigned inexact = 0;
  double worstArgument = 0;
};

void record(Figures &figures, Kind kind, uint64_t expected, double actual,
            double x) {
  const uint64_t ulps = ulpDistance(kind, expected, encodeFloat(kind, actual));
  figures.inexact += ulps != 0 ? 1 : 0;
  if (ulps > figures.worst) {
    figures.worst = ulps;
    figures.worstArgument = x;
  }
}

class MathAgainstMpfr : public testing::TestWithParam<MathFn> {};

TEST_P(MathAgainstMpfr, StaysWithinOneUlp) {
  for (Kind kind : {Kind::F32, Kind::F64}) {
    Figures figures;
    const auto xs = arguments(kind);
    for (double x : xs) {
      Mpfr in, out;
      mpfr_set_d(in.value, x, MPFR_RNDN);
      exact(GetParam(), out, in);
      record(figures, kind, rounded(kind, out), evaluate(GetParam(), kind, x),
             x);
    }
    EXPECT_LE(figures.worst, 1u) << "at " << figures.worstArgument;
    // Misrounded in at most one of a thousand.
    EXPECT_LE(figures.inexact, xs.size() / 1000)
        << tile::stringifyMathFn(GetParam()).str() << " kind "
        << static_cast<int>(kind);
  }
}

std::vector<MathFn> allFunctions() {
  std::vector<MathFn> result;
  for (uint32_t i = 0; auto fn = tile::symbolizeMathFn(i); ++i) {
    result.push_back(*fn);
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, MathAgainstMpfr,
                         testing::ValuesIn(allFunctions()),
                         [](const auto &info) {
                           return tile::stringifyMathFn(info.param).str();
                         });

TEST(PowAgainstMpfr, StaysWithinOneUlp) {
  for (Kind kind : {Kind::F32, Kind::F64}) {
    Figures figures;
    std::mt19937_64 random(5);
    const auto xs = arguments(kind);
    for (double x : xs) {
      double y = std::ldexp(static_cast<double>(random() >> 11), -53) * 20 - 10;
      y = (random() & 3) == 0 ? std::rint(y) : y;
      y = decodeFloat(kind, encodeFloat(kind, y));
      Mpfr a, b, out;
      mpfr_set_d(a.value, x, MPFR_RNDN);
      mpfr_set_d(b.value, y, MPFR_RNDN);
      mpfr_pow(out.value, a.value, b.value, MPFR_RNDN);
      record(figures, kind, rounded(kind, out), power(kind, x, y), x);
    }
    EXPECT_LE(figures.worst, 1u) << "at " << figures.worstArgument;
    EXPECT_LE(figures.inexact, xs.size() / 1000);
  }
}

TEST(MathEdges, SpecialArguments) {
  auto at = [](MathFn fn, double x) { return evaluate(fn, Kind::F32, x); };
  EXPECT_TRUE(std::isnan(at(MathFn::log, -1)));
  EXPECT_EQ(at(MathFn::log, 0), -INFINITY);
  EXPECT_EQ(at(MathFn::exp, -INFINITY), 0);
  EXPECT_EQ(at(MathFn::exp2, INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(at(MathFn::sqrt, -1)));
  EXPECT_EQ(at(MathFn::rsqrt, 0), INFINITY);
  EXPECT_EQ(at(MathFn::tanh, INFINITY), 1);
  EXPECT_TRUE(std::isnan(at(MathFn::sin, INFINITY)));
  EXPECT_EQ(at(MathFn::rint, 2.5), 2);
  EXPECT_EQ(at(MathFn::rint, 3.5), 4);
  EXPECT_TRUE(std::signbit(at(MathFn::ceil, -0.5)));
  EXPECT_EQ(power(Kind::F32, 0, 0), 1);
  EXPECT_TRUE(std::isnan(power(Kind::F32, -2, 0.5)));
}

} // namespace
