//===- CpuMathTest.cpp - Accuracy of the emitted math ---------------------===//
//
// What   Sweeps each function over a million points and reports the largest
//        error in units of the last place against MPFR; then special values.
// Why    The bounds in the language's table are promises; a polynomial that is
//        good on average can be wrong in one place.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/math/CpuMath.h"

#include "gtest/gtest.h"

#include "plugins/cpu/compiler/math/Ops.h"
#include "plugins/cpu/test/Jit.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <mpfr.h>
#include <random>

using namespace tz::cpu;
using tz::cpu::math::Fn;
using tz::cpu::test::hostRuns;
using tz::cpu::test::Jit;

namespace {

struct Case {
  const char *name;
  Fn fn;
  int (*reference)(mpfr_t, const mpfr_t, mpfr_rnd_t);
  /// Where most of the points lie; the rest are random bit patterns.
  double from, to;
};

/// IEEE's: minus infinity at -0, where MPFR says plus.
int rsqrtOf(mpfr_t out, const mpfr_t x, mpfr_rnd_t r) {
  if (mpfr_zero_p(x)) {
    mpfr_set_inf(out, mpfr_signbit(x) ? -1 : 1);
    return 0;
  }
  return mpfr_rec_sqrt(out, x, r);
}
int rcpOf(mpfr_t out, const mpfr_t x, mpfr_rnd_t r) {
  return mpfr_ui_div(out, 1, x, r);
}

const Case Cases[] = {
    {"exp", Fn::Exp, mpfr_exp, -110, 95},
    {"exp2", Fn::Exp2, mpfr_exp2, -155, 135},
    {"log", Fn::Log, mpfr_log, 1e-6, 4},
    {"log2", Fn::Log2, mpfr_log2, 1e-6, 4},
    {"sin", Fn::Sin, mpfr_sin, -200, 200},
    {"cos", Fn::Cos, mpfr_cos, -200, 200},
    {"tanh", Fn::Tanh, mpfr_tanh, -12, 12},
    {"erf", Fn::Erf, mpfr_erf, -5, 5},
    {"sqrt", Fn::Sqrt, mpfr_sqrt, 0, 100},
    {"rsqrt", Fn::Rsqrt, rsqrtOf, 0, 100},
    {"rcp", Fn::Rcp, rcpOf, -10, 10},
};

template <typename T>
struct Traits;
template <>
struct Traits<float> {
  using Bits = uint32_t;
  static constexpr int mantissa = 23, minExponent = -126;
};
template <>
struct Traits<double> {
  using Bits = uint64_t;
  static constexpr int mantissa = 52, minExponent = -1022;
};

template <typename T>
T fromBits(uint64_t bits) {
  auto narrow = static_cast<typename Traits<T>::Bits>(bits);
  T out;
  std::memcpy(&out, &narrow, sizeof out);
  return out;
}

/// Distance of `got` from the exact value in units of the last place there.
template <typename T>
double ulpError(T got, const mpfr_t exact, mpfr_t scratch) {
  T nearest = sizeof(T) == 4 ? T(mpfr_get_flt(exact, MPFR_RNDN))
                             : T(mpfr_get_d(exact, MPFR_RNDN));
  if (std::isnan(nearest) || std::isnan(got)) {
    return std::isnan(nearest) && std::isnan(got) ? 0 : 1e30;
  }
  if (std::isinf(nearest) || std::isinf(got)) {
    return nearest == got ? 0 : 1e30;
  }
  long exponent =
      mpfr_zero_p(exact) ? Traits<T>::minExponent : mpfr_get_exp(exact) - 1;
  exponent = std::max<long>(exponent, Traits<T>::minExponent);
  mpfr_set_d(scratch, static_cast<double>(got), MPFR_RNDN);
  mpfr_sub(scratch, scratch, exact, MPFR_RNDN);
  mpfr_mul_2si(scratch, scratch, Traits<T>::mantissa - exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(scratch, MPFR_RNDN));
}

template <typename T>
std::vector<T> points(const Case &c, size_t count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> inRange(
      sizeof(T) == 8 && (c.fn == Fn::Exp || c.fn == Fn::Exp2) ? c.from * 8
                                                              : c.from,
      sizeof(T) == 8 && (c.fn == Fn::Exp || c.fn == Fn::Exp2) ? c.to * 8
                                                              : c.to);
  std::vector<T> x(count);
  for (size_t i = 0; i < count; ++i) {
    switch (i % 4) {
    case 0:
      x[i] = fromBits<T>(random()); // all magnitudes, NaN too
      break;
    case 1: // near 1, where logarithms vanish
      x[i] = T(1) + T(inRange(random) * 1e-4);
      break;
    case 2: // near multiples of pi/2
      x[i] = static_cast<T>(1.57079632679489661923 *
                            static_cast<double>(random() % 100000));
      break;
    default:
      x[i] = static_cast<T>(inRange(random));
    }
  }
  const T special[] = {T(0),
                       -T(0),
                       T(1),
                       -T(1),
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::denorm_min(),
                       std::numeric_limits<T>::infinity(),
                       -std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::quiet_NaN()};
  std::copy(std::begin(special), std::end(special), x.begin());
  return x;
}

llvm::Type *elementType(llvm::LLVMContext &context, bool isF64) {
  return isF64 ? llvm::Type::getDoubleTy(context)
               : llvm::Type::getFloatTy(context);
}

class Math : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (!hostRuns(GetParam())) {
      GTEST_SKIP() << "this CPU has no " << GetParam();
    }
  }

  template <typename T>
  void sweep(size_t count) {
    Jit jit(GetParam());
    llvm::Type *type = elementType(jit.context, sizeof(T) == 8);
    const unsigned lanes = jit.isa.lanes(sizeof(T) * 8);
    for (const Case &c : Cases) {
      jit.defineMap(c.name, lanes, {type}, type,
                    [&](llvm::IRBuilder<> &b, auto args) {
                      return math::emit(b, jit.isa, c.fn, args);
                    });
    }
    ASSERT_NO_THROW(jit.load());
    mpfr_t in, exact, scratch;
    mpfr_inits2(120, in, exact, scratch, nullptr);
    for (const Case &c : Cases) {
      std::vector<T> x = points<T>(c, count), out(count);
      jit.function<void (*)(const T *, T *, int64_t)>(c.name)(
          x.data(), out.data(), static_cast<int64_t>(count));
      double worst = 0;
      T where = 0, gave = 0;
      for (size_t i = 0; i < count; ++i) {
        mpfr_set_d(in, static_cast<double>(x[i]), MPFR_RNDN);
        c.reference(exact, in, MPFR_RNDN);
        double error = ulpError(out[i], exact, scratch);
        if (error > worst) {
          worst = error;
          where = x[i];
          gave = out[i];
        }
      }
      std::printf("  %-6s %s %-10s max %.3f ulp at %a\n", c.name,
                  sizeof(T) == 8 ? "f64" : "f32", GetParam().c_str(), worst,
                  static_cast<double>(where));
      EXPECT_LE(worst, math::ulpBound(c.fn, type) + 0.001)
          << c.name << "(" << where << ") gave " << gave;
    }
    mpfr_clears(in, exact, scratch, nullptr);
  }
};

// The full sweep takes minutes in MPFR: ci runs a part, TERRAZZO_TEST_FULL all.
size_t sweepPoints() {
  return std::getenv("TERRAZZO_TEST_FULL") ? 1 << 20 : 1 << 14;
}

TEST_P(Math, F32WithinTheTable) { sweep<float>(sweepPoints()); }
TEST_P(Math, F64WithinTheTable) { sweep<double>(sweepPoints()); }

template <typename T>
void checkSigns(Jit &jit) {
  T zero = -T(0), out = 1;
  for (const char *name : {"sin", "tanh", "erf", "sqrt"}) {
    jit.function<void (*)(const T *, T *, int64_t)>(name)(&zero, &out, 1);
    EXPECT_EQ(out, T(0));
    EXPECT_TRUE(std::signbit(out)) << name;
  }
}

TEST_P(Math, ScalarsWorkAndKeepTheSignOfZero) {
  for (bool isF64 : {false, true}) {
    Jit jit(GetParam());
    llvm::Type *type = elementType(jit.context, isF64);
    for (const Case &c : Cases) {
      jit.defineMap(c.name, 0, {type}, type,
                    [&](llvm::IRBuilder<> &b, auto args) {
                      return math::emit(b, jit.isa, c.fn, args);
                    });
    }
    ASSERT_NO_THROW(jit.load());
    isF64 ? checkSigns<double>(jit) : checkSigns<float>(jit);
  }
}

/// Wide vectors, as fused loops use them, must not lead to calls either.
TEST_P(Math, FourRegisterVectorsHaveNoForeignSymbols) {
  Jit jit(GetParam());
  for (bool isF64 : {false, true}) {
    llvm::Type *type = elementType(jit.context, isF64);
    unsigned lanes = 4 * jit.isa.lanes(isF64 ? 64 : 32);
    for (int i = 0; i <= static_cast<int>(Fn::Pow); ++i) {
      auto fn = static_cast<Fn>(i);
      if (!math::supports(fn, type)) {
        continue;
      }
      bool binary = fn == Fn::Div || fn == Fn::Fmod || fn == Fn::Pow;
      llvm::SmallVector<llvm::Type *> inputs(binary ? 2 : 1, type);
      std::string name = (isF64 ? "d" : "f") + std::to_string(i);
      jit.defineMap(name.c_str(), lanes, inputs, type,
                    [&](llvm::IRBuilder<> &b, auto args) {
                      return math::emit(b, jit.isa, fn, args);
                    });
    }
  }
  EXPECT_NO_THROW(jit.load());
}

template <typename T>
void checkFmod(const std::string &level, size_t count) {
  Jit jit(level);
  llvm::Type *type = elementType(jit.context, sizeof(T) == 8);
  unsigned lanes = jit.isa.lanes(sizeof(T) * 8);
  jit.defineMap("fmod", lanes, {type, type}, type,
                [&](llvm::IRBuilder<> &b, auto args) {
                  return math::emit(b, jit.isa, Fn::Fmod, args);
                });
  ASSERT_NO_THROW(jit.load());
  std::mt19937_64 random(3);
  std::vector<T> x(count), y(count), out(count);
  for (size_t i = 0; i < count; ++i) {
    x[i] = fromBits<T>(random());
    y[i] = fromBits<T>(random());
    if (i % 3 == 0) {
      x[i] = static_cast<T>(static_cast<double>(random() % 100000) * 0.25);
      y[i] = static_cast<T>(static_cast<double>(random() % 100) * -0.5);
    }
  }
  jit.function<void (*)(const T *, const T *, T *, int64_t)>("fmod")(
      x.data(), y.data(), out.data(), static_cast<int64_t>(count));
  for (size_t i = 0; i < count; ++i) {
    T expected = std::fmod(x[i], y[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(out[i])) << x[i] << " " << y[i];
    } else {
      ASSERT_EQ(out[i], expected) << x[i] << " " << y[i];
      ASSERT_EQ(std::signbit(out[i]), std::signbit(expected));
    }
  }
}

TEST_P(Math, FmodIsExact) {
  checkFmod<float>(GetParam(), 1 << 14);
  checkFmod<double>(GetParam(), 1 << 14);
}

/// Operands whose sum is hard to round: edges, bits at random, and sums that
/// nearly cancel, lie near a tie, or leave the range.
template <typename T>
std::array<std::vector<T>, 3> fmaOperands() {
  using Limits = std::numeric_limits<T>;
  std::array<std::vector<T>, 3> operands;
  auto add = [&](T x, T y, T z) {
    operands[0].push_back(x);
    operands[1].push_back(y);
    operands[2].push_back(z);
  };
  std::vector<T> edges;
  for (T v :
       {T(0), T(1), T(3), 1 + Limits::epsilon(), 1 - Limits::epsilon() / 2,
        Limits::max(), Limits::min(), Limits::denorm_min(), Limits::infinity(),
        Limits::min() - Limits::denorm_min(), std::sqrt(Limits::max()),
        std::sqrt(Limits::min())}) {
    edges.push_back(v);
    edges.push_back(-v);
  }
  edges.push_back(Limits::quiet_NaN());
  for (T x : edges) {
    for (T y : edges) {
      for (T z : edges) {
        add(x, y, z);
      }
    }
  }
  std::mt19937_64 random(11);
  for (int i = 0; i < (1 << 15); ++i) {
    T x = fromBits<T>(random()), y = fromBits<T>(random());
    if (i & 1) { // of moderate size, so that z's distance decides
      int unused;
      x = std::ldexp(std::frexp(x, &unused), int(random() % 40));
      y = std::ldexp(std::frexp(y, &unused), int(random() % 40));
    }
    const T product = x * y;
    const int apart = int(random() % 260) - 130;
    add(x, y, i & 2 ? std::ldexp(product, apart) * T(0.9) : -product);
    if (product != 0 && std::isfinite(product)) { // else it has no exponent
      add(x, y, std::ldexp(T(1), std::ilogb(product) + apart));
    }
  }
  while (operands[0].size() % 64) {
    add(1, 1, 1);
  }
  return operands;
}

template <typename T>
void checkFma(const std::string &level) {
  Jit jit(level);
  constexpr bool isF64 = sizeof(T) == 8;
  llvm::Type *type = elementType(jit.context, isF64);
  jit.defineMap("fma", jit.isa.lanes(8 * sizeof(T)), {type, type, type}, type,
                [&](llvm::IRBuilder<> &b, auto args) {
                  const math::Ops ops(b, jit.isa, args[0]->getType());
                  return ops.fma(args[0], args[1], args[2]);
                });
  ASSERT_NO_THROW(jit.load());
  const auto [x, y, z] = fmaOperands<T>();
  std::vector<T> out(x.size());
  jit.function<void (*)(const T *, const T *, const T *, T *, int64_t)>("fma")(
      x.data(), y.data(), z.data(), out.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    const T expected = std::fma(x[i], y[i], z[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(out[i])) << x[i] << " " << y[i] << " " << z[i];
    } else {
      ASSERT_EQ(std::memcmp(&out[i], &expected, sizeof(T)), 0)
          << std::hexfloat << x[i] << " * " << y[i] << " + " << z[i] << " = "
          << expected << ", not " << out[i];
    }
  }
}

TEST_P(Math, FmaRoundsOnce) {
  checkFma<float>(GetParam());
  checkFma<double>(GetParam());
}

TEST_P(Math, PowF32) {
  Jit jit(GetParam());
  llvm::Type *type = elementType(jit.context, false);
  jit.defineMap("pow", jit.isa.lanes(32), {type, type}, type,
                [&](llvm::IRBuilder<> &b, auto args) {
                  return math::emit(b, jit.isa, Fn::Pow, args);
                });
  ASSERT_NO_THROW(jit.load());
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> values = {0,   -0.0f, 1,   -1,   2,    -2,   3,
                               0.5, -0.5,  inf, -inf, 2.5,  -2.5, 1e-30f,
                               NAN, 1e30f, 4,   7,    -3.0f};
  std::mt19937_64 random(5);
  for (int i = 0; i < 45; ++i) {
    values.push_back(
        static_cast<float>(static_cast<double>(random() % 4000) * 0.01));
  }
  std::vector<float> x, y;
  for (float a : values) {
    for (float b : values) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  std::vector<float> out(x.size());
  jit.function<void (*)(const float *, const float *, float *, int64_t)>("pow")(
      x.data(), y.data(), out.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    auto expected = static_cast<float>(
        std::pow(static_cast<double>(x[i]), static_cast<double>(y[i])));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(out[i])) << x[i] << "^" << y[i];
    } else if (std::isinf(expected) || expected == 0) {
      EXPECT_EQ(out[i], expected) << x[i] << "^" << y[i];
    } else {
      EXPECT_LE(std::fabs(out[i] - expected),
                2 * std::fabs(expected) * 0x1p-23f)
          << x[i] << "^" << y[i];
    }
  }
}

TEST_P(Math, PowF64) {
  Jit jit(GetParam());
  llvm::Type *type = elementType(jit.context, true);
  jit.defineMap("pow", jit.isa.lanes(64), {type, type}, type,
                [&](llvm::IRBuilder<> &b, auto args) {
                  return math::emit(b, jit.isa, Fn::Pow, args);
                });
  ASSERT_NO_THROW(jit.load());
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> special = {0,      -0.0, 1,    -1,   2,   -2,
                                 3,      0.5,  inf,  -inf, 2.5, -2.5,
                                 1e-300, NAN,  -3.0, 1e300};
  std::vector<double> x, y;
  for (double a : special) {
    for (double b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < 8192; ++i) {
    // Results over the whole range of exponents, and bases near 1.
    double base =
        i % 2 ? std::exp(uniform(random) * 20) : 1 + uniform(random) * 1e-3;
    x.push_back(base);
    y.push_back(uniform(random) * 700 /
                std::max(std::fabs(std::log(base)), 1e-6));
  }
  std::vector<double> out(x.size());
  jit.function<void (*)(const double *, const double *, double *, int64_t)>(
      "pow")(x.data(), y.data(), out.data(), static_cast<int64_t>(x.size()));
  mpfr_t base, power, exact, scratch;
  mpfr_inits2(160, base, power, exact, scratch, nullptr);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    mpfr_set_d(base, x[i], MPFR_RNDN);
    mpfr_set_d(power, y[i], MPFR_RNDN);
    mpfr_pow(exact, base, power, MPFR_RNDN);
    double error = ulpError(out[i], exact, scratch);
    EXPECT_LE(error, math::ulpBound(Fn::Pow, type))
        << x[i] << " ^ " << y[i] << " gave " << out[i];
    worst = std::max(worst, error);
  }
  mpfr_clears(base, power, exact, scratch, nullptr);
  std::printf("  pow    f64 %-10s max %.3f ulp\n", GetParam().c_str(), worst);
}

TEST_P(Math, RoundingFunctions) {
  Jit jit(GetParam());
  llvm::Type *type = elementType(jit.context, false);
  const Fn fns[] = {Fn::Floor, Fn::Ceil, Fn::Trunc, Fn::Round, Fn::RoundEven};
  for (Fn fn : fns) {
    jit.defineMap(("r" + std::to_string(static_cast<int>(fn))).c_str(),
                  jit.isa.lanes(32), {type}, type,
                  [&](llvm::IRBuilder<> &b, auto args) {
                    return math::emit(b, jit.isa, fn, args);
                  });
  }
  ASSERT_NO_THROW(jit.load());
  std::vector<float> x;
  for (float base : {0.0f, 0.25f, 0.5f, 0.75f, 1.0f, 1.5f, 2.5f, 3.5f, 1e6f,
                     8388607.5f, 8388608.0f, 1e9f, 3e38f, 0x1.fffffep-2f}) {
    x.push_back(base);
    x.push_back(-base);
  }
  x.resize(32, 0.1f);
  std::vector<float> out(x.size());
  float (*const expected[])(float) = {std::floor, std::ceil, std::trunc,
                                      std::round, std::nearbyint};
  for (size_t k = 0; k < std::size(fns); ++k) {
    jit.function<void (*)(const float *, float *, int64_t)>(
        ("r" + std::to_string(static_cast<int>(fns[k]))).c_str())(
        x.data(), out.data(), 32);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(out[i], expected[k](x[i])) << k << " of " << x[i];
      EXPECT_EQ(std::signbit(out[i]), std::signbit(expected[k](x[i])));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Math,
                         testing::Values("x86-64-v2", "x86-64-v3", "x86-64-v4"),
                         [](const auto &info) {
                           return "v" + info.param.substr(8);
                         });

} // namespace
