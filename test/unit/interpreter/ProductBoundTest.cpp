//===- ProductBoundTest.cpp - products in any grouping against the bound --===//
//
// What   Multiplies the same numbers in many groupings, in each type that has
//        infinities.
// Why    Without the bound a correct target fails; where it says too much, a
//        mistake passes.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/ProductBound.h"

#include "gtest/gtest.h"

#include "core/interpreter/Errors.h"

#include <cmath>
#include <random>
#include <vector>

using namespace tz::interpreter;

namespace {

double rounded(Kind kind, double value) {
  return decodeFloat(kind, encodeFloat(kind, value));
}

/// Multiplies two random ones of the numbers, or two neighbours, until one is
/// left.
double multiplied(Kind kind, std::vector<double> x, bool anyOrder,
                  std::mt19937 &random) {
  while (x.size() > 1) {
    const size_t at = random() % (x.size() - 1);
    if (anyOrder) {
      std::swap(x[at + 1], x[at + 1 + random() % (x.size() - at - 1)]);
    }
    x[at] = rounded(kind, x[at] * x[at + 1]);
    x.erase(x.begin() + int64_t(at) + 1);
  }
  return x[0];
}

bool mayLeaveRange(Kind kind, const std::vector<double> &x, bool anyOrder) {
  ProductBound bound(anyOrder);
  for (double one : x) {
    bound.add(one, 0);
  }
  return bound.mayLeaveRange(kind);
}

/// But for roundings, which what is too small to be normal feels most.
bool areAlike(Kind kind, double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) {
    return std::isnan(x) == std::isnan(y) && std::isinf(x) == std::isinf(y);
  }
  return std::fabs(x - y) <= std::fabs(x) / 10 + 2 * leastNormalOf(kind);
}

TEST(ProductBound, SaysWhereGroupingsDiffer) {
  std::mt19937 random(1);
  size_t quiet = 0, said = 0;
  for (Kind kind : {Kind::F16, Kind::BF16, Kind::F32}) {
    const double large = kind == Kind::F16 ? 200 : 1e15;
    for (int trial = 0; trial < 3000; ++trial) {
      std::vector<double> x;
      for (size_t n = 2 + random() % 8; n--;) {
        const double all[] = {large, 1 / large, 1, 3, -0.5, 1.25, 0, INFINITY};
        x.push_back(rounded(kind, all[random() % (random() % 4 ? 6 : 8)]));
      }
      for (bool anyOrder : {false, true}) {
        if (mayLeaveRange(kind, x, anyOrder)) {
          ++said;
          continue;
        }
        ++quiet;
        const double one = multiplied(kind, x, anyOrder, random);
        for (int again = 0; again < 20; ++again) {
          const double other = multiplied(kind, x, anyOrder, random);
          ASSERT_TRUE(areAlike(kind, one, other))
              << one << " " << other << " in trial " << trial;
        }
      }
    }
  }
  // Neither always nor never.
  EXPECT_GT(quiet, 3000u);
  EXPECT_GT(said, 1000u);
}

TEST(ProductBound, IsQuietWhereNothingCanHappen) {
  EXPECT_FALSE(mayLeaveRange(Kind::F16, {2, 3, 4, 0.25}, true));
  EXPECT_FALSE(mayLeaveRange(Kind::F16, {0, 100, 100}, true));
  EXPECT_TRUE(mayLeaveRange(Kind::F16, {0, 1000, 100}, true));
  // The neighbours do not overflow, some of the factors do.
  EXPECT_FALSE(mayLeaveRange(Kind::F16, {1000, 0.01, 1000}, false));
  EXPECT_TRUE(mayLeaveRange(Kind::F16, {1000, 0.01, 1000}, true));
  // What overflows in each grouping is infinite in each.
  EXPECT_FALSE(mayLeaveRange(Kind::F16, {1000, 1000, 2}, true));
  EXPECT_TRUE(mayLeaveRange(Kind::F16, {1e-4, 1e-4, 1e4, 1e4}, false));
  // The error of a factor counts.
  ProductBound bound(false);
  bound.add(0, 0);
  bound.add(60000, 0);
  EXPECT_FALSE(bound.mayLeaveRange(Kind::F16));
  bound.add(1, 0.25);
  EXPECT_TRUE(bound.mayLeaveRange(Kind::F16));
}

} // namespace
