//===- PolynomialTest.cpp - arithmetic of integer formulas ----------------===//
//
// What   Sums, products, quotients, the one order of terms, what overflows or
//        passes the limits, and ranges.
// Why    Passes compare formulas by their terms: equal formulas must be one.
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/Polynomial.h"

#include "test/unit/optimizer/NamedKernel.h"

#include <gtest/gtest.h>

using namespace tz::analysis;
using tz::test::NamedKernel;

namespace {

constexpr int64_t Min = std::numeric_limits<int64_t>::min();
constexpr int64_t Max = std::numeric_limits<int64_t>::max();

Polynomial scalar(unsigned number) { return Polynomial::scalar(number); }

/// A sum that stays within the limits.
Polynomial plus(const Polynomial &a, const Polynomial &b, int64_t factor = 1) {
  std::optional<Polynomial> sum = Polynomial::add(a, b, factor);
  EXPECT_TRUE(sum);
  return sum.value_or(Polynomial());
}

Polynomial times(const Polynomial &a, const Polynomial &b) {
  std::optional<Polynomial> product = Polynomial::mul(a, b);
  EXPECT_TRUE(product);
  return product.value_or(Polynomial());
}

TEST(Polynomial, ConstantsAndZero) {
  EXPECT_TRUE(Polynomial().isZero());
  EXPECT_TRUE(Polynomial(0).isZero());
  EXPECT_EQ(Polynomial(0), Polynomial());
  EXPECT_EQ(Polynomial().constant(), 0);
  EXPECT_EQ(Polynomial(-7).constant(), -7);
  EXPECT_EQ(scalar(0).constant(), std::nullopt);
  EXPECT_EQ(plus(scalar(0), 1).constant(), std::nullopt);
}

TEST(Polynomial, EqualSumsAreOnePolynomial) {
  const Polynomial x = scalar(0), y = scalar(1), z = scalar(2);
  const Polynomial sum = plus(plus(x, y), plus(z, 5));
  EXPECT_EQ(sum, plus(plus(5, z), plus(y, x)));
  EXPECT_EQ(sum, plus(y, plus(plus(z, x), 5)));
  // Sorted by scalars, the constant first.
  ASSERT_EQ(sum.getTerms().size(), 4u);
  EXPECT_EQ(sum.getTerms()[0], (Term{{}, 5}));
  EXPECT_EQ(sum.getTerms()[1], (Term{{0}, 1}));
  EXPECT_EQ(sum.getTerms()[3], (Term{{2}, 1}));
}

TEST(Polynomial, TermsThatCancelVanish) {
  const Polynomial x = scalar(0), y = scalar(1);
  EXPECT_TRUE(plus(x, x, -1).isZero());
  EXPECT_EQ(plus(plus(x, y), x, -1), y);
  EXPECT_EQ(plus(x, y, 0), x);
}

TEST(Polynomial, SumsCountEachTermOnce) {
  const Polynomial x = scalar(0), xy = times(x, scalar(1));
  const Polynomial sum = plus(plus(x, xy, 3), plus(x, xy), 2);
  EXPECT_EQ(sum.coefficientOf({0}), 3);
  EXPECT_EQ(sum.coefficientOf({0, 1}), 5);
  EXPECT_EQ(sum.coefficientOf({1}), 0);
  EXPECT_EQ(sum.coefficientOf({}), 0);
}

TEST(Polynomial, ProductsCommuteAndDistribute) {
  const Polynomial x = scalar(0), y = scalar(1), z = scalar(2);
  EXPECT_EQ(times(x, y), times(y, x));
  EXPECT_EQ(times(times(x, y), z), times(z, times(y, x)));
  EXPECT_EQ(times(z, plus(x, y)), plus(times(x, z), times(y, z)));
  EXPECT_TRUE(times(plus(x, y), 0).isZero());
  EXPECT_EQ(times(x, 1), x);
  // (x + y) (x - y) = x^2 - y^2
  EXPECT_EQ(times(plus(x, y), plus(x, y, -1)),
            plus(times(x, x), times(y, y), -1));
}

TEST(Polynomial, OverflowIsNoPolynomial) {
  const Polynomial x = scalar(0);
  EXPECT_EQ(Polynomial::add(Max, 1), std::nullopt);
  EXPECT_EQ(Polynomial::add(0, Min, -1), std::nullopt);
  EXPECT_EQ(Polynomial::add(1, Max, 2), std::nullopt);
  EXPECT_EQ(Polynomial::add(Max, -1), Polynomial(Max - 1));
  EXPECT_EQ(Polynomial::add(Min, Max), Polynomial(-1));
  EXPECT_EQ(Polynomial::mul(Max, 2), std::nullopt);
  EXPECT_EQ(Polynomial::mul(Min, -1), std::nullopt);
  EXPECT_EQ(Polynomial::mul(times(x, Max), 2), std::nullopt);
  EXPECT_EQ(Polynomial::mul(Min, 1), Polynomial(Min));
}

TEST(Polynomial, LimitsOfTermsAndDegree) {
  Polynomial sum;
  for (unsigned i = 0; i < MaxTerms; ++i) {
    sum = plus(sum, scalar(i));
  }
  EXPECT_EQ(sum.getTerms().size(), MaxTerms);
  EXPECT_EQ(Polynomial::add(sum, 1), std::nullopt);
  EXPECT_EQ(plus(sum, scalar(3)).getTerms().size(), MaxTerms);

  Polynomial power(1);
  for (size_t i = 0; i < MaxDegree; ++i) {
    power = times(power, scalar(0));
  }
  EXPECT_EQ(power.coefficientOf({0, 0, 0, 0}), 1);
  EXPECT_EQ(Polynomial::mul(power, scalar(0)), std::nullopt);
}

TEST(Polynomial, QuotientsOfTerms) {
  const Term sixXY{{0, 1}, 6};
  EXPECT_EQ(divide(sixXY, {{0}, 3}), (Term{{1}, 2}));
  EXPECT_EQ(divide(sixXY, {{}, -2}), (Term{{0, 1}, -3}));
  EXPECT_EQ(divide(sixXY, sixXY), (Term{{}, 1}));
  EXPECT_EQ(divide(sixXY, {{}, 4}), std::nullopt);
  EXPECT_EQ(divide(sixXY, {{2}, 1}), std::nullopt);
  EXPECT_EQ(divide(sixXY, {{0, 0}, 1}), std::nullopt);
  EXPECT_EQ(divide({{0, 0, 1}, 5}, {{0}, 5}), (Term{{0, 1}, 1}));
}

constexpr const char *Scalars = R"(
tile.kernel @k(%n: i32 loc("n"), %x: i64 loc("x")) {
  %pid = tile.program_id 0 loc("pid")
  %c8 = arith.constant 8 : i32
  %lane = tile.remsi %pid, %c8 : i32 loc("lane")
  tile.return
})";

TEST(ScalarTable, NumbersValuesInTheOrderOfMeeting) {
  NamedKernel k(Scalars);
  ScalarTable table;
  EXPECT_EQ(table.number(k["pid"]), 0u);
  EXPECT_EQ(table.number(k["n"]), 1u);
  EXPECT_EQ(table.number(k["pid"]), 0u);
  EXPECT_EQ(table.value(1), k["n"]);
}

TEST(ScalarTable, Ranges) {
  NamedKernel k(Scalars);
  const Hints hints(k.kernel());
  ScalarTable table;
  const Polynomial pid = scalar(table.number(k["pid"]));
  const Polynomial lane = scalar(table.number(k["lane"]));
  const Polynomial x = scalar(table.number(k["x"]));
  auto range = [&](const Polynomial &p) { return table.range(p, hints); };
  EXPECT_EQ(range(Polynomial()), (Interval{0, 0}));
  EXPECT_EQ(range(-3), (Interval{-3, -3}));
  EXPECT_EQ(range(lane), (Interval{0, 7}));
  EXPECT_EQ(range(plus(5, lane, -2)), (Interval{-9, 5}));
  // The product of ends that are exact over the integers: no i32 wraps here.
  EXPECT_EQ(range(times(pid, 64)), (Interval{0, 64 * int64_t{INT32_MAX}}));
  EXPECT_EQ(range(times(lane, lane)), (Interval{0, 49}));
  // Ends that leave int64 are open.
  EXPECT_EQ(range(plus(x, 1)), Interval{});
  EXPECT_EQ(range(times(x, x)), Interval{});
  EXPECT_EQ(range(times(times(pid, pid), times(pid, pid))), (Interval{0, Max}));
}

TEST(ScalarTable, EmitsWhatIsNotAConstantAsOps) {
  NamedKernel k(Scalars);
  ScalarTable table;
  const Polynomial n = scalar(table.number(k["n"]));
  mlir::Operation *last = k.kernel().getBody().front().getTerminator();
  mlir::OpBuilder builder(last);
  // 8 - n: no negation, one difference of i64.
  mlir::Value made = table.emit(builder, last->getLoc(), plus(8, n, -1));
  auto difference = made.getDefiningOp<mlir::arith::SubIOp>();
  ASSERT_TRUE(difference);
  EXPECT_TRUE(made.getType().isInteger(64));
  auto wide = difference.getRhs().getDefiningOp<mlir::arith::ExtSIOp>();
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide.getIn(), k["n"]);
  mlir::Value zero = table.emit(builder, last->getLoc(), Polynomial());
  EXPECT_TRUE(zero.getDefiningOp<mlir::arith::ConstantOp>());
}

} // namespace
