//===- CompareTest.cpp - distances, tolerances, derived bounds ------------===//
//
// What   ULP distance, what passes and what does not, the bounds that a run
//        with trackErrors gives.
// Why    A comparison that accepts too much hides every other mistake.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Compare.h"

#include "RunKernel.h"

#include <cmath>
#include <random>

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
  // Even without limit, a NaN is no number.
  tolerance.absolute = HUGE_VAL;
  EXPECT_FALSE(compareF32({1}, {NAN}, tolerance).matches());
}

TEST(Compare, IntegersMustBeEqual) {
  const int64_t a[] = {1, INT64_MAX}, b[] = {1, INT64_MAX - 1};
  Comparison c = compare(Kind::I64, a, b, 2, {});
  EXPECT_EQ(c.mismatches, 1u);
  EXPECT_EQ(c.worst, 1u);
}

TEST(Compare, KnowsTheNamesOfTypes) {
  EXPECT_EQ(kindFromName("fp16"), Kind::F16);
  EXPECT_EQ(kindFromName("u8"), Kind::I8);
  EXPECT_EQ(kindFromName("fp8e4nv"), Kind::E4M3FN);
  EXPECT_EQ(kindFromName("quad"), std::nullopt);
}

using Bounds = RunKernel;

static const char *const kSum = R"(
tile.kernel @k(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
  %r = tile.range 0 to 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %a = tile.addptr %s, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %a : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  %sum = tile.reduce(%v) axis 0 : (tensor<512xf32>) -> f32 {
  ^bb0(%x: f32, %y: f32):
    %t = arith.addf %x, %y : f32
    tile.yield %t : f32
  }
  tile.store %q, %sum : !tile.ptr<f32>, f32
  tile.return
})";

TEST_F(Bounds, OfASumCoverEveryOrderAndNotAMissingTerm) {
  std::mt19937 random(1);
  std::vector<float> x(512), y(1);
  for (float &value : x) {
    value = std::ldexp(static_cast<float>(random() % 65536), -16) - 0.5f;
  }
  give(x, "x");
  give(y, "y");
  options.trackErrors = true;
  ASSERT_EQ(run(kSum), "");
  Tolerance tolerance =
      toleranceFrom(report, Kind::F32, options.memory[1].base, 1);
  ASSERT_EQ(tolerance.bounds.size(), 1u);
  // n * u * sum |x|, from x itself.
  double magnitude = 0;
  float forward = 0, backward = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    magnitude += std::fabs(x[i]);
    forward += x[i];
    backward += x[x.size() - 1 - i];
  }
  EXPECT_NEAR(tolerance.bounds[0], 511 * std::ldexp(1.0, -24) * magnitude,
              1e-9);
  EXPECT_TRUE(compareF32(y, {forward}, tolerance).matches());
  EXPECT_TRUE(compareF32(y, {backward}, tolerance).matches());
  EXPECT_FALSE(compareF32(y, {forward - x[7]}, tolerance).matches());
}

TEST_F(Bounds, OfACopyAreZeroAndGrowThroughMathAndMemory) {
  std::vector<float> x = {0.75f}, y(3);
  give(x, "x");
  give(y, "y");
  options.trackErrors = true;
  ASSERT_EQ(run(R"(
    tile.kernel @k(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) {
      %c1 = arith.constant 1 : i32
      %v = tile.load %p : !tile.ptr<f32> -> f32
      tile.store %q, %v : !tile.ptr<f32>, f32
      %e = tile.math exp2 %v : f32
      %q1 = tile.addptr %q, %c1 : !tile.ptr<f32>, i32
      tile.store %q1, %e : !tile.ptr<f32>, f32
      %again = tile.load %q1 : !tile.ptr<f32> -> f32
      %d = arith.addf %again, %again : f32
      %q2 = tile.addptr %q1, %c1 : !tile.ptr<f32>, i32
      tile.store %q2, %d : !tile.ptr<f32>, f32
      tile.return
    })"),
            "");
  const std::vector<double> &bounds = report.bounds.at(options.memory[1].base);
  const double ulp = std::ldexp(1.0, -23); // of 2^0.75
  ASSERT_EQ(bounds.size(), 3u);
  EXPECT_EQ(bounds[0], 0);
  EXPECT_EQ(bounds[1], 2.5 * ulp);
  EXPECT_EQ(bounds[2], 2 * 2.5 * ulp + 2 * ulp);
}

TEST_F(Bounds, FollowElementsThroughDotAndTranspose) {
  // [a b] x [c; d] with an inexact b: |d| * e(b) + 3 u (|ac| + |bd|).
  std::vector<float> y(1);
  give(y, "y");
  options.trackErrors = true;
  ASSERT_EQ(run(R"(
    tile.kernel @k(%q: !tile.ptr<f32>) {
      %half = arith.constant 0.5 : f32
      %two = arith.constant 2.0 : f32
      %b = tile.math exp2 %half : f32
      %j = tile.join %two, %b : f32 -> tensor<2xf32>
      %col = tile.reshape %j : tensor<2xf32> -> tensor<2x1xf32>
      %row = tile.transpose %col [1, 0] : tensor<2x1xf32> -> tensor<1x2xf32>
      %cd = arith.constant dense<[[1.0], [3.0]]> : tensor<2x1xf32>
      %z = arith.constant dense<0.0> : tensor<1x1xf32>
      %d = tile.dot %row, %cd, %z
             : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
      %v = tile.reshape %d : tensor<1x1xf32> -> tensor<1xf32>
      %s = tile.splat %q : !tile.ptr<f32> -> tensor<1x!tile.ptr<f32>>
      tile.store %s, %v : tensor<1x!tile.ptr<f32>>, tensor<1xf32>
      tile.return
    })"),
            "");
  const float b = static_cast<float>(std::exp2(0.5));
  const double expected =
      3 * 2.5 * std::ldexp(1.0, -23) + 3 * std::ldexp(1.0, -24) * (2 + 3.0 * b);
  EXPECT_NEAR(report.bounds.at(options.memory[0].base)[0], expected, 1e-15);
  EXPECT_EQ(report.undecided, 0u);
}
