//===- SumBoundTest.cpp - sums of any order against their bound -----------===//
//
// What   Adds the same numbers in many orders, in each narrow type; regions
//        that add in a wider type are sums, too.
// Why    A bound too small fails a correct target; one too large, or none,
//        hides every mistake.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/SumBound.h"

#include "RunKernel.h"

#include "core/interpreter/Compare.h"

#include <cmath>
#include <random>

using namespace tz::interpreter;

namespace {

constexpr Kind Kinds[] = {Kind::F8E4M3FN,   Kind::F8E5M2, Kind::F8E4M3FNUZ,
                          Kind::F8E5M2FNUZ, Kind::F16,    Kind::BF16,
                          Kind::F32,        Kind::F64};

double rounded(Kind kind, double value) {
  return decodeFloat(kind, encodeFloat(kind, value));
}

/// Adds two random ones of the numbers until one is left.
double addedInSomeOrder(Kind kind, std::vector<double> x,
                        std::mt19937 &random) {
  while (x.size() > 1) {
    std::swap(x[random() % x.size()], x.back());
    const double last = x.back();
    x.pop_back();
    double &other = x[random() % x.size()];
    other = rounded(kind, other + last);
  }
  return x[0];
}

double addedAsAChain(Kind kind, const std::vector<double> &x) {
  double sum = x[0];
  for (size_t i = 1; i < x.size(); ++i) {
    sum = rounded(kind, sum + x[i]);
  }
  return sum;
}

double boundOf(Kind kind, const std::vector<double> &x, double ours) {
  SumBound sum;
  for (double term : x) {
    sum.add(term, 0);
  }
  return sum.of(kind, ours);
}

} // namespace

TEST(SumBound, HoldsInEveryOrderOfEveryType) {
  std::mt19937 random(1);
  for (Kind kind : Kinds) {
    double farthest = 0;
    for (int run = 0; run < 300; ++run) {
      std::vector<double> x(2 + random() % 100);
      const double low = run % 2 == 0 ? 0.0 : -1.0; // of one sign, or both
      for (double &term : x) {
        const double unit = std::ldexp(static_cast<double>(random()), -32) +
                            std::ldexp(static_cast<double>(random()), -64);
        term = rounded(kind, 2 * (low + (1 - low) * unit));
      }
      const double ours = addedInSomeOrder(kind, x, random);
      const double bound = boundOf(kind, x, ours);
      ASSERT_TRUE(std::isfinite(bound));
      for (int order = 0; order < 20; ++order) {
        const double other = order == 0 ? addedAsAChain(kind, x)
                                        : addedInSomeOrder(kind, x, random);
        EXPECT_LE(std::fabs(other - ours), bound) << run;
        if (bound != 0) {
          farthest = std::max(farthest, std::fabs(other - ours) / bound);
        }
      }
    }
    EXPECT_GT(farthest, 0.1) << static_cast<int>(kind); // no mere guess
  }
}

TEST(SumBound, IsReachedWhereEveryAdditionLosesItsTerm) {
  // 16 + 1 + 1 + ... stays 16 in f8E4M3FN; the ones first, and it is 32.
  std::vector<double> x(17, 1.0);
  x[0] = 16;
  EXPECT_EQ(addedAsAChain(Kind::F8E4M3FN, x), 16);
  EXPECT_EQ(boundOf(Kind::F8E4M3FN, x, 32), 16 * 32 / 16.0 + 32 * 16 * 0x1p-53);
  // Ours being the chain, its own distance counts as well.
  EXPECT_GT(boundOf(Kind::F8E4M3FN, x, 16), 32 + 16);
}

TEST(SumBound, IsZeroWhereNoOrderRounds) {
  EXPECT_EQ(boundOf(Kind::F8E5M2, {1, -1, 3, -2, 4, -5}, 0), 0);
  EXPECT_EQ(boundOf(Kind::F8E4M3FN, {7, 1, 8}, 16), 0);
  EXPECT_GT(boundOf(Kind::F8E4M3FN, {8, 1, 8}, 16), 0); // 17 is none
  EXPECT_EQ(boundOf(Kind::F16, std::vector<double>(2048, 0.25), 512), 0);
  EXPECT_GT(boundOf(Kind::F16, std::vector<double>(2050, 0.25), 512), 0);
  EXPECT_EQ(boundOf(Kind::F64, {0x1p-1074, 0x1p-1074}, 0x1p-1073), 0);
  EXPECT_EQ(boundOf(Kind::F32, {0, 0}, 0), 0);
}

TEST(SumBound, OfTypesThatSaturateReachesFromEndToEnd) {
  // 448 + 448 - 448 is 0, 448 - 448 + 448 is 448.
  const std::vector<double> x = {448, 448, -448};
  EXPECT_EQ(boundOf(Kind::F8E4M3FN, x, 0), 448);
  EXPECT_EQ(boundOf(Kind::F8E4M3FN, x, 448), 896);
  // The others overflow to an infinity, or do not.
  EXPECT_EQ(boundOf(Kind::F16, {65504, 65504, -65504}, HUGE_VAL), HUGE_VAL);
}

TEST(SumBound, AtInfinityIsZeroWhereItDecides) {
  EXPECT_EQ(boundOf(Kind::F32, {HUGE_VAL, 1, 2}, HUGE_VAL), 0);
  EXPECT_EQ(boundOf(Kind::F32, {HUGE_VAL, 3e38, 3e38}, HUGE_VAL), HUGE_VAL);
  EXPECT_EQ(boundOf(Kind::F32, {NAN, 3e38, 3e38}, NAN), 0);
  EXPECT_EQ(boundOf(Kind::F8E5M2, {HUGE_VAL}, HUGE_VAL), 0);
  EXPECT_EQ(boundOf(Kind::F8E5M2, {HUGE_VAL, -1}, 57344), HUGE_VAL);
  EXPECT_EQ(boundOf(Kind::F8E5M2, {NAN, HUGE_VAL, -1}, NAN), 0);
}

TEST(SumBound, CarriesWhatTheTermsAreOff) {
  SumBound sum;
  sum.add(1, 0.25);
  sum.add(2, 0.125);
  EXPECT_NEAR(sum.of(Kind::F32, 3), 0.375 + 0x1p-24 * 3.375, 1e-15);
  sum.add(2, HUGE_VAL);
  EXPECT_EQ(sum.of(Kind::F32, 5), HUGE_VAL);
  EXPECT_EQ(sum.of(Kind::F8E4M3FN, 5), HUGE_VAL);
}

namespace {

/// The bound of the sum of 64 loaded ones by this region.
class Regions : public RunKernel {
protected:
  double boundOf(const std::string &region) {
    std::vector<uint8_t> x(
        64, static_cast<uint8_t>(encodeFloat(Kind::F8E4M3FN, 1.0)));
    std::vector<uint8_t> y(1);
    options.trackErrors = true;
    give(x, "x");
    give(y, "y");
    EXPECT_EQ(run(R"(
      tile.kernel @k(%p: !tile.ptr<f8E4M3FN>, %q: !tile.ptr<f8E4M3FN>) {
        %r = tile.range 0 to 64 : tensor<64xi32>
        %s = tile.splat %p : !tile.ptr<f8E4M3FN> -> tensor<64x!tile.ptr<f8E4M3FN>>
        %a = tile.addptr %s, %r : tensor<64x!tile.ptr<f8E4M3FN>>, tensor<64xi32>
        %v = tile.load %a
               : tensor<64x!tile.ptr<f8E4M3FN>> -> tensor<64xf8E4M3FN>
        %sum = tile.reduce(%v) axis 0 : (tensor<64xf8E4M3FN>) -> f8E4M3FN {
        ^bb0(%x: f8E4M3FN, %y: f8E4M3FN):
          %u = arith.extf %x : f8E4M3FN to f32
          %w = arith.extf %y : f8E4M3FN to f32
          )" + region +
                  R"(
          tile.yield %n : f8E4M3FN
        }
        tile.store %q, %sum : !tile.ptr<f8E4M3FN>, f8E4M3FN
        tile.return
      })"),
              "");
    const auto &bounds = report.bounds[options.memory[1].base];
    return bounds.empty() ? 0 : bounds[0];
  }
};

} // namespace

TEST_F(Regions, ThatAddInAWiderTypeAreSums) {
  // The tree gives 64; a chain stays at 16.
  const double bound = boundOf("%t = arith.addf %u, %w : f32\n"
                               "%n = tile.truncf rtne %t : f32 to f8E4M3FN");
  EXPECT_NEAR(bound, 63 * 64 / 16.0, 1e-9);
}

TEST_F(Regions, ThatNarrowCountTheRoundingOfTheNarrowType) {
  // Not a plain sum: a ULP of f8E4M3FN each, as often as in a chain (E7).
  const double bound = boundOf("%t = arith.mulf %u, %w : f32\n"
                               "%n = tile.truncf rtne %t : f32 to f8E4M3FN");
  EXPECT_GE(bound, 63 * 0x1p-3);
}

TEST_F(Regions, ThatTruncateAreNotRoundedToNearest) {
  const double bound = boundOf("%t = arith.addf %u, %w : f32\n"
                               "%n = tile.truncf rtz %t : f32 to f8E4M3FN");
  EXPECT_GE(bound, 64 - 16);
}
