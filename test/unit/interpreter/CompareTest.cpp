//===- CompareTest.cpp - distances and tolerances -------------------------===//
//
// What   ULP distance, what passes and what does not.
// Why    A comparison that accepts too much hides every other mistake.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Compare.h"

#include "RunKernel.h"

#include <cmath>

using namespace tz::interpreter;
using testing::HasSubstr;

static Comparison compareF32(const std::vector<float> &expected,
                             const std::vector<float> &actual,
                             const Tolerance &tolerance = {}) {
  return compare(Kind::F32, expected.data(), actual.data(), expected.size(),
                 tolerance);
}

TEST(Compare, CountsUlpsAcrossZero) {
  EXPECT_EQ(ulpDistance(Kind::F32, 0x00000001, 0x80000001), 2u);
  EXPECT_EQ(ulpDistance(Kind::F32, 0, 0x80000000), 0u);
  EXPECT_EQ(ulpDistance(Kind::F16, 0x3c00, 0x3c03), 3u);
  EXPECT_EQ(ulpDistance(Kind::F32, 0x7fc00000, 0xffc00001), 0u);
  EXPECT_EQ(ulpDistance(Kind::F32, 0x7fc00000, 0), ~uint64_t{0});
  EXPECT_EQ(ulpOf(Kind::F32, 1.5), std::ldexp(1.0, -23));
  EXPECT_EQ(ulpOf(Kind::F16, 0), std::ldexp(1.0, -24));
}

TEST(Compare, ExactMeansEqualButForZerosAndNans) {
  EXPECT_TRUE(compareF32({0.0f, NAN, 1}, {-0.0f, -NAN, 1}).matches());
  Comparison c = compareF32({1, 2, 3}, {1, std::nextafter(2.0f, 3.0f), 4});
  EXPECT_EQ(c.mismatches, 2u);
  EXPECT_EQ(c.worst, 2u);
  EXPECT_EQ(c.worstExpected, 3);
  EXPECT_EQ(c.maxAbsolute, 1);
  EXPECT_FALSE(compareF32({1}, {NAN}).matches());
  EXPECT_FALSE(compareF32({INFINITY}, {3e38f}).matches());
}

TEST(Compare, TolerancesAreInUlpsOrAbsolute) {
  Tolerance tolerance;
  tolerance.ulps = 2;
  tolerance.reason = "two";
  EXPECT_TRUE(
      compareF32({1}, {1 + std::ldexp(1.0f, -22)}, tolerance).matches());
  EXPECT_FALSE(
      compareF32({1}, {1 + std::ldexp(1.5f, -22)}, tolerance).matches());
  tolerance.ulps = 0;
  tolerance.absolute = 0.5;
  EXPECT_TRUE(compareF32({1}, {1.5f}, tolerance).matches());
  Comparison c = compareF32({1, 1}, {1.25f, 1.75f}, tolerance);
  EXPECT_EQ(c.mismatches, 1u);
  EXPECT_THAT(c.summary(tolerance), HasSubstr("1 of 2 differ"));
  EXPECT_THAT(c.summary(tolerance), HasSubstr("worst at 1: 1.75, expected 1"));
}

TEST(Compare, ElementsWithoutABoundAreNotComparableUnlessEqual) {
  Tolerance tolerance;
  tolerance.bounds = {HUGE_VAL, HUGE_VAL, 0.5, HUGE_VAL};
  Comparison c = compareF32({1, 2, 3, 4}, {1, 7, 3.25, NAN}, tolerance);
  EXPECT_EQ(c.mismatches, 0u);
  EXPECT_EQ(c.incomparable, 2u);
  EXPECT_FALSE(c.matches());
  EXPECT_EQ(c.worst, 2u); // what no bound judges says nothing
  EXPECT_EQ(c.shareOfTolerance(), 0.5);
  EXPECT_THAT(c.summary(tolerance),
              HasSubstr("2 of 4 differ and have no bound"));
  EXPECT_TRUE(compareF32({1, 2, 3, 4}, {1, 2, 3, 4}, tolerance).matches());
}

TEST(Compare, IntegersMustBeEqual) {
  const int64_t a[] = {1, INT64_MAX}, b[] = {1, INT64_MAX - 1};
  Comparison c = compare(Kind::I64, a, b, 2, {});
  EXPECT_EQ(c.mismatches, 1u);
  EXPECT_EQ(c.worst, 1u);
  // A rounded number may be its neighbour, where the bound says so.
  Tolerance tolerance;
  tolerance.bounds = {0, 1};
  EXPECT_TRUE(compare(Kind::I64, a, b, 2, tolerance).matches());
  tolerance.bounds = {1, 0};
  EXPECT_FALSE(compare(Kind::I64, a, b, 2, tolerance).matches());
}

TEST(Compare, KnowsTheNamesOfTypes) {
  EXPECT_EQ(kindFromName("fp16"), Kind::F16);
  EXPECT_EQ(kindFromName("u8"), Kind::I8);
  EXPECT_EQ(kindFromName("fp8e4nv"), Kind::F8E4M3FN);
  EXPECT_EQ(kindFromName("quad"), std::nullopt);
}
