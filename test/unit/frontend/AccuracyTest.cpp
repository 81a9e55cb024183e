//===- AccuracyTest.cpp - how far functions of the library are off --------===//
//
// What   Runs each function of core/frontend/Accuracy.def on numbers of its
//        range in the reference interpreter and compares with long double.
// Why    docs/reference/language.md promises the figures of that table.
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/RunText.h"

#include <cmath>
#include <map>
#include <random>

using namespace tz::frontend::test;
using tz::interpreter::ArgValue;

namespace {

using Wide = long double;

/// fn(x, y) and where: most functions look at x alone.
struct Truth {
  Wide (*of)(Wide x, Wide y);
  Wide low, high;
  Wide lowY = 0, highY = 1;
};

Wide bisect(Wide (*rising)(Wide), Wide y, Wide low, Wide high) {
  for (int i = 0; i < 200; ++i) {
    Wide middle = (low + high) / 2;
    (rising(middle) < y ? low : high) = middle;
  }
  return (low + high) / 2;
}
Wide normcdf(Wide x) { return erfcl(-x / sqrtl(2.0L)) / 2; }

const std::map<std::string, Truth> &truths() {
#define TZ_OF(expression)                                                      \
  +[](Wide x, Wide y) -> Wide {                                                \
    (void)y;                                                                   \
    return expression;                                                         \
  }
  static const Wide pi = acosl(-1.0L);
  static const std::map<std::string, Truth> all = {
      {"acos", {TZ_OF(acosl(x)), -1, 1}},
      {"acosh", {TZ_OF(acoshl(x)), 1, 1e4L}},
      {"asin", {TZ_OF(asinl(x)), -1, 1}},
      {"asinh", {TZ_OF(asinhl(x)), -1e4L, 1e4L}},
      {"atan", {TZ_OF(atanl(x)), -50, 50}},
      {"atan2", {TZ_OF(atan2l(x, y)), -9, 9, -9, 9}},
      {"atanh", {TZ_OF(atanhl(x)), -0.99L, 0.99L}},
      {"cbrt", {TZ_OF(cbrtl(x)), -1e6L, 1e6L}},
      {"rcbrt", {TZ_OF(1 / cbrtl(x)), 1e-3L, 1e6L}},
      {"sinh", {TZ_OF(sinhl(x)), -20, 20}},
      {"cosh", {TZ_OF(coshl(x)), -20, 20}},
      {"sinpi", {TZ_OF(sinl(pi * remainderl(x, 2))), 0.01L, 0.99L}},
      {"cospi", {TZ_OF(cosl(pi * remainderl(x, 2))), -0.49L, 0.49L}},
      {"exp10", {TZ_OF(powl(10, x)), -30, 30}},
      {"log10", {TZ_OF(log10l(x)), 1e-6L, 1e6L}},
      {"erfc", {TZ_OF(erfcl(x)), -5, 8}},
      {"erfinv",
       {TZ_OF(bisect([](Wide t) { return erfl(t); }, x, -7, 7)), -0.999L,
        0.999L}},
      {"erfcinv",
       {TZ_OF(bisect([](Wide t) { return -erfcl(t); }, -x, -7, 12)), 1e-9L,
        1.999L}},
      {"erfcx", {TZ_OF(expl(x * x) * erfcl(x)), -3, 20}},
      {"normcdf", {TZ_OF(normcdf(x)), -8, 5}},
      {"normcdfinv", {TZ_OF(bisect(normcdf, x, -9, 9)), 1e-9L, 0.999L}},
      {"lgamma", {TZ_OF(lgammal(x)), 2.5L, 1000}},
      {"tgamma", {TZ_OF(tgammal(x)), 0.1L, 30}},
      {"hypot", {TZ_OF(hypotl(x, y)), -1e3L, 1e3L, -1e3L, 1e3L}},
      {"rhypot", {TZ_OF(1 / hypotl(x, y)), 1, 1e3L, 1, 1e3L}},
      {"cyl_bessel_i0", {TZ_OF(std::cyl_bessel_il(0, x)), 0.01L, 50}},
      {"cyl_bessel_i1", {TZ_OF(std::cyl_bessel_il(1, x)), 0.01L, 50}},
      {"rsqrt_rn", {TZ_OF(1 / sqrtl(x)), 1e-3L, 1e6L}},
      {"norm3d", {TZ_OF(sqrtl(x * x + 2 * y * y)), -1e3L, 1e3L, -1e3L, 1e3L}},
      {"rnorm3d", {TZ_OF(1 / sqrtl(x * x + 2 * y * y)), 1, 1e3L, 1, 1e3L}},
      {"norm4d", {TZ_OF(sqrtl(2 * (x * x + y * y))), -1e3L, 1e3L, -1e3L, 1e3L}},
      {"rnorm4d", {TZ_OF(1 / sqrtl(2 * (x * x + y * y))), 1, 1e3L, 1, 1e3L}},
      {"j0", {TZ_OF(j0l(x)), -40, 40}},
      {"j1", {TZ_OF(j1l(x)), -40, 40}},
      {"y0", {TZ_OF(y0l(x)), 0.1L, 40}},
      {"y1", {TZ_OF(y1l(x)), 0.1L, 40}},
      {"jn", {TZ_OF(jnl(3, x)), -40, 40}},
      {"yn", {TZ_OF(ynl(3, x)), 1, 40}},
  };
#undef TZ_OF
  return all;
}

constexpr size_t Count = 4096;

/// Of x and y, which the kernel calls a and b.
std::string argumentsOf(const std::string &name) {
  if (name == "jn" || name == "yn") {
    return "3, a";
  }
  if (name.ends_with("norm3d") || name.ends_with("norm4d")) {
    return name.ends_with("3d") ? "a, b, b" : "a, b, b, a";
  }
  return name == "atan2" || name.ends_with("hypot") ? "a, b" : "a";
}

template <typename T>
std::vector<T> run(const std::string &name, std::vector<T> x,
                   std::vector<T> y) {
  const std::string type = sizeof(T) == 4 ? "*fp32" : "*fp64";
  std::vector<T> out(Count, T(-7));
  runText("@triton.jit\ndef k(o, x, y):\n"
          "    i = tl.arange(0, 4096)\n"
          "    a = tl.load(x + i)\n"
          "    b = tl.load(y + i)\n"
          "    tl.store(o + i, libdevice." +
              name + "(" + argumentsOf(name) + "))\n",
          "k o=" + type + " x=" + type + " y=" + type,
          {ArgValue::pointer(out.data()), ArgValue::pointer(x.data()),
           ArgValue::pointer(y.data())});
  return out;
}

/// The largest error in units of the last place of T; near the zeros of Bessel
/// functions in those of 1.
template <typename T>
double worst(const std::string &name, const Truth &t) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<T> x(Count), y(Count);
  for (size_t i = 0; i < Count; ++i) {
    x[i] = T(t.low + (t.high - t.low) * unit(random));
    y[i] = T(t.lowY + (t.highY - t.lowY) * unit(random));
  }
  const std::vector<T> out = run(name, x, y);
  const bool waves = name.size() == 2;
  double most = 0;
  for (size_t i = 0; i < Count; ++i) {
    const Wide exact = t.of(x[i], y[i]);
    const Wide size = waves ? std::max(fabsl(exact), Wide(1)) : fabsl(exact);
    const Wide ulp =
        ldexpl(1, ilogbl(size) - (std::numeric_limits<T>::digits - 1));
    const double off = double(fabsl(Wide(out[i]) - exact) / ulp);
    most = std::isnan(off) ? HUGE_VAL : std::max(most, off);
  }
  return most;
}

struct Row {
  const char *name;
  double single, wide;
};
const Row Rows[] = {
#define TZ_ACCURACY(name, single, wide) {#name, single, wide},
#define TZ_ROUNDED(name)
#include "core/frontend/Accuracy.def"
};

class Accuracy : public testing::TestWithParam<Row> {};

TEST_P(Accuracy, IsAsTheTableSays) {
  const Row &row = GetParam();
  auto truth = truths().find(row.name);
  ASSERT_NE(truth, truths().end()) << "nothing to compare with";
  EXPECT_LE(worst<float>(row.name, truth->second), row.single);
  EXPECT_LE(worst<double>(row.name, truth->second), row.wide);
}

INSTANTIATE_TEST_SUITE_P(Names, Accuracy, testing::ValuesIn(Rows),
                         [](const auto &info) { return info.param.name; });

} // namespace
