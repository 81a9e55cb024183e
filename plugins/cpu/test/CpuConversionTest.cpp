//===- CpuConversionTest.cpp - Conversions and total integer operations ---===//
//
// What   Every code of the narrow formats, every tie between two of them and
//        its neighbours, random patterns of the wide ones; against APFloat and,
//        for fp8, against a search through all values.
// Why    A conversion is exact or wrong: there is no tolerance to hide in.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"

#include "plugins/cpu/compiler/math/CpuMath.h"
#include "plugins/cpu/test/Jit.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace tz::cpu;
namespace lowering = tz::lowering;
using llvm::APFloat;
using tz::cpu::test::hostRuns;
using tz::cpu::test::Jit;
using tz::lowering::Fp8;
using tz::lowering::Rounding;

namespace {

template <typename To, typename From>
To bitsTo(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

struct Format8 {
  Fp8 format;
  const char *name;
  int mantissa, bias;
  unsigned largest; ///< code
  bool unsignedZero;
};

const Format8 Formats[] = {{Fp8::E4M3FN, "e4m3fn", 3, 7, 0x7e, false},
                           {Fp8::E5M2, "e5m2", 2, 15, 0x7b, false},
                           {Fp8::E4M3FNUZ, "e4m3fnuz", 3, 8, 0x7f, true},
                           {Fp8::E5M2FNUZ, "e5m2fnuz", 2, 16, 0x7f, true}};

/// The value of a code, by the definition of the format.
double valueOf(const Format8 &f, unsigned code) {
  unsigned a = code & 0x7f;
  double sign = code & 0x80 ? -1 : 1;
  if (f.unsignedZero && code == 0x80) {
    return NAN;
  }
  if (!f.unsignedZero && a > f.largest) {
    return f.format == Fp8::E5M2 && a == 0x7c ? sign * INFINITY : NAN;
  }
  int exponent = static_cast<int>(a >> f.mantissa);
  int fraction = static_cast<int>(a & ((1u << f.mantissa) - 1));
  if (exponent == 0) {
    return sign * std::ldexp(fraction, 1 - f.bias - f.mantissa);
  }
  return sign * std::ldexp((1 << f.mantissa) + fraction,
                           exponent - f.bias - f.mantissa);
}

/// The code that `x` converts to.
unsigned nearest8(const Format8 &f, double x, Rounding rounding) {
  if (std::isnan(x)) {
    return 0x1ff; // any NaN
  }
  double magnitude = std::fabs(x);
  unsigned code = 0;
  while (code < f.largest && valueOf(f, code + 1) <= magnitude) {
    ++code;
  }
  if (rounding == Rounding::NearestEven && code < f.largest) {
    double below = magnitude - valueOf(f, code);
    double above = valueOf(f, code + 1) - magnitude;
    if (above < below || (above == below && code % 2 == 1)) {
      ++code;
    }
  }
  bool negative = std::signbit(x) && !(f.unsignedZero && code == 0);
  return code | (negative ? 0x80 : 0);
}

std::vector<double> interesting8(const Format8 &f) {
  std::vector<double> x = {0.0,   INFINITY, NAN,   1e30,  1e-30,
                           1e300, 1e-300,   448.0, 464.0, 61440.0};
  for (unsigned code = 0; code < f.largest; ++code) {
    double low = valueOf(f, code), high = valueOf(f, code + 1);
    double middle = (low + high) / 2;
    for (double base : {low, middle}) {
      x.push_back(base);
      x.push_back(base * (1 + 0x1p-23));
      x.push_back(base * (1 - 0x1p-24));
      x.push_back(base * (1 + 0x1p-50)); // seen in f64 only
      x.push_back(base * (1 - 0x1p-50));
    }
  }
  size_t count = x.size();
  for (size_t i = 0; i < count; ++i) {
    x.push_back(-x[i]);
  }
  x.resize((x.size() + 63) / 64 * 64, 0.0);
  return x;
}

class Conversion : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (!hostRuns(GetParam())) {
      GTEST_SKIP() << "this CPU has no " << GetParam();
    }
  }
};

template <typename T>
void checkToFp8(Jit &jit, const Format8 &f, const std::string &name,
                Rounding rounding) {
  std::vector<double> wide = interesting8(f);
  std::vector<T> x(wide.begin(), wide.end());
  std::vector<uint8_t> out(x.size());
  jit.function<void (*)(const T *, uint8_t *, int64_t)>(name.c_str())(
      x.data(), out.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    unsigned expected = nearest8(f, static_cast<double>(x[i]), rounding);
    if (expected == 0x1ff) {
      EXPECT_TRUE(std::isnan(valueOf(f, out[i]))) << name;
    } else {
      EXPECT_EQ(out[i], expected) << name << " of " << x[i];
    }
  }
}

TEST_P(Conversion, ToFp8) {
  Jit jit(GetParam());
  llvm::Type *f32 = llvm::Type::getFloatTy(jit.context);
  llvm::Type *f64 = llvm::Type::getDoubleTy(jit.context);
  llvm::Type *i8 = llvm::Type::getInt8Ty(jit.context);
  auto nameOf = [](const Format8 &f, bool wide, Rounding r) {
    return std::string(f.name) + (wide ? "_f64" : "_f32") +
           (r == Rounding::TowardZero ? "_z" : "");
  };
  for (const Format8 &f : Formats) {
    for (bool wide : {false, true}) {
      for (Rounding r : {Rounding::NearestEven, Rounding::TowardZero}) {
        jit.defineMap(nameOf(f, wide, r).c_str(), jit.isa.lanes(32),
                      {wide ? f64 : f32}, i8,
                      [&](llvm::IRBuilder<> &b, auto args) {
                        return lowering::emitToFp8(b, jit.isa.floatUnits(),
                                                   args[0], f.format, r);
                      });
      }
    }
  }
  ASSERT_NO_THROW(jit.load());
  for (const Format8 &f : Formats) {
    for (Rounding r : {Rounding::NearestEven, Rounding::TowardZero}) {
      checkToFp8<float>(jit, f, nameOf(f, false, r), r);
      checkToFp8<double>(jit, f, nameOf(f, true, r), r);
    }
  }
}

TEST_P(Conversion, FromFp8EveryCode) {
  Jit jit(GetParam());
  llvm::Type *i8 = llvm::Type::getInt8Ty(jit.context);
  llvm::Type *f32 = llvm::Type::getFloatTy(jit.context);
  llvm::Type *f16 = llvm::Type::getHalfTy(jit.context);
  llvm::Type *bf16 = llvm::Type::getBFloatTy(jit.context);
  for (const Format8 &f : Formats) {
    for (llvm::Type *to : {f32, f16, bf16}) {
      std::string name = std::string(f.name) + std::to_string(to->getTypeID());
      jit.defineMap(name.c_str(), jit.isa.lanes(32), {i8}, to,
                    [&](llvm::IRBuilder<> &b, auto args) {
                      return lowering::emitFromFp8(b, jit.isa.floatUnits(),
                                                   args[0], f.format, to);
                    });
    }
  }
  ASSERT_NO_THROW(jit.load());
  std::vector<uint8_t> codes(256);
  for (unsigned i = 0; i < 256; ++i) {
    codes[i] = static_cast<uint8_t>(i);
  }
  for (const Format8 &f : Formats) {
    std::vector<float> out(256);
    std::vector<uint16_t> half(256), bfloat(256);
    auto address = [&](llvm::Type *to) {
      return (std::string(f.name) + std::to_string(to->getTypeID()));
    };
    jit.function<void (*)(const uint8_t *, float *, int64_t)>(
        address(f32).c_str())(codes.data(), out.data(), 256);
    jit.function<void (*)(const uint8_t *, uint16_t *, int64_t)>(
        address(f16).c_str())(codes.data(), half.data(), 256);
    jit.function<void (*)(const uint8_t *, uint16_t *, int64_t)>(
        address(bf16).c_str())(codes.data(), bfloat.data(), 256);
    for (unsigned i = 0; i < 256; ++i) {
      double expected = valueOf(f, i);
      auto fromHalf = static_cast<double>(bitsTo<_Float16>(half[i]));
      double fromBfloat = static_cast<double>(
          bitsTo<float>(static_cast<uint32_t>(bfloat[i]) << 16));
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(out[i]) && std::isnan(fromHalf) &&
                    std::isnan(fromBfloat))
            << f.name << " " << i;
      } else {
        EXPECT_EQ(static_cast<double>(out[i]), expected) << f.name << " " << i;
        EXPECT_EQ(std::signbit(out[i]), std::signbit(expected));
        EXPECT_EQ(fromHalf, expected) << f.name << " " << i;
        EXPECT_EQ(fromBfloat, expected) << f.name << " " << i;
      }
    }
  }
}

/// Bits of `x` converted by APFloat.
uint64_t converted(double x, const llvm::fltSemantics &semantics,
                   Rounding rounding) {
  APFloat value(x);
  bool lossy = false;
  value.convert(semantics,
                rounding == Rounding::TowardZero ? APFloat::rmTowardZero
                                                 : APFloat::rmNearestTiesToEven,
                &lossy);
  return value.bitcastToAPInt().getZExtValue();
}

std::vector<double> wideValues() {
  std::mt19937_64 random(17);
  std::vector<double> x = {0.0,     -0.0,    INFINITY, -INFINITY, NAN,
                           65504.0, 65519.9, 65520.0,  3.4e38,    1e308,
                           5e-324,  0x1p-24, 0x1p-25,  0x1p-149,  0x1p-150};
  for (int i = 0; i < 20000; ++i) {
    switch (i % 4) {
    case 0:
      x.push_back(bitsTo<double>(random()));
      break;
    case 1: { // in the range of f16, at ties and beside them
      auto code = static_cast<uint16_t>(random() & 0x7bff);
      double low = static_cast<double>(bitsTo<_Float16>(code));
      double high = static_cast<double>(
          bitsTo<_Float16>(static_cast<uint16_t>(code + 1)));
      double middle = std::isinf(high) ? 65520.0 : (low + high) / 2;
      const double offsets[] = {0, 0x1p-50, -0x1p-50, 0x1p-22, -0x1p-22};
      x.push_back(middle * (1 + offsets[random() % 5]));
      break;
    }
    case 2: // ties of bf16 and f32, one step beside them in f64
      x.push_back(bitsTo<double>((random() & 0xffffffff00000000u) |
                                 (0x8000000u << (random() % 3)) |
                                 (random() % 2)));
      break;
    default:
      x.push_back(
          static_cast<double>(bitsTo<float>(static_cast<uint32_t>(random()))));
    }
  }
  x.resize((x.size() + 63) / 64 * 64, 1.0);
  return x;
}

TEST_P(Conversion, NarrowingRoundsOnce) {
  struct Target {
    const char *name;
    llvm::Type *type;
    const llvm::fltSemantics *semantics;
    unsigned bytes;
  };
  Jit jit(GetParam());
  llvm::Type *f32 = llvm::Type::getFloatTy(jit.context);
  llvm::Type *f64 = llvm::Type::getDoubleTy(jit.context);
  const Target targets[] = {
      {"f16", llvm::Type::getHalfTy(jit.context), &APFloat::IEEEhalf(), 2},
      {"bf16", llvm::Type::getBFloatTy(jit.context), &APFloat::BFloat(), 2},
      {"f32", f32, &APFloat::IEEEsingle(), 4}};
  const Rounding roundings[] = {Rounding::NearestEven, Rounding::TowardZero};
  auto nameOf = [](const Target &t, bool wide, Rounding r) {
    return std::string(t.name) + (wide ? "_f64" : "_f32") +
           (r == Rounding::TowardZero ? "_z" : "");
  };
  for (const Target &t : targets) {
    for (Rounding r : roundings) {
      for (bool wide : {false, true}) {
        jit.defineMap(nameOf(t, wide, r).c_str(), jit.isa.lanes(32),
                      {wide ? f64 : f32}, t.type,
                      [&](llvm::IRBuilder<> &b, auto args) {
                        return lowering::emitFpCast(b, jit.isa.floatUnits(),
                                                    args[0], t.type, r);
                      });
      }
    }
  }
  ASSERT_NO_THROW(jit.load());
  std::vector<double> x = wideValues();
  std::vector<float> narrow(x.begin(), x.end());
  for (const Target &t : targets) {
    for (Rounding r : roundings) {
      for (bool wide : {false, true}) {
        if (!wide && t.bytes == 4) {
          continue;
        }
        std::vector<unsigned char> out(x.size() * t.bytes);
        jit.function<void (*)(const void *, void *, int64_t)>(
            nameOf(t, wide, r).c_str())(
            wide ? static_cast<const void *>(x.data()) : narrow.data(),
            out.data(), static_cast<int64_t>(x.size()));
        for (size_t i = 0; i < x.size(); ++i) {
          uint32_t got = 0;
          std::memcpy(&got, out.data() + i * t.bytes, t.bytes);
          double input = wide ? x[i] : static_cast<double>(narrow[i]);
          if (std::isnan(input)) {
            APFloat value(*t.semantics, llvm::APInt(t.bytes * 8, got));
            ASSERT_TRUE(value.isNaN());
          } else {
            ASSERT_EQ(got, converted(input, *t.semantics, r))
                << nameOf(t, wide, r) << " of " << input;
          }
        }
      }
    }
  }
}

TEST_P(Conversion, WideningIsExactForEveryCode) {
  Jit jit(GetParam());
  llvm::Type *f16 = llvm::Type::getHalfTy(jit.context);
  llvm::Type *bf16 = llvm::Type::getBFloatTy(jit.context);
  llvm::Type *f64 = llvm::Type::getDoubleTy(jit.context);
  for (llvm::Type *from : {f16, bf16}) {
    jit.defineMap(from == f16 ? "f16" : "bf16", jit.isa.lanes(32), {from}, f64,
                  [&](llvm::IRBuilder<> &b, auto args) {
                    return lowering::emitFpCast(b, jit.isa.floatUnits(),
                                                args[0], f64);
                  });
  }
  ASSERT_NO_THROW(jit.load());
  std::vector<uint16_t> codes(65536);
  for (unsigned i = 0; i < 65536; ++i) {
    codes[i] = static_cast<uint16_t>(i);
  }
  std::vector<double> out(65536);
  for (bool half : {true, false}) {
    jit.function<void (*)(const uint16_t *, double *, int64_t)>(
        half ? "f16" : "bf16")(codes.data(), out.data(), 65536);
    for (unsigned i = 0; i < 65536; ++i) {
      double expected = half ? static_cast<double>(bitsTo<_Float16>(codes[i]))
                             : static_cast<double>(bitsTo<float>(i << 16));
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(out[i]));
      } else {
        ASSERT_EQ(out[i], expected) << i;
      }
    }
  }
}

template <typename From, typename To>
void checkToInt(const std::string &level) {
  Jit jit(level);
  auto *from = sizeof(From) == 8 ? llvm::Type::getDoubleTy(jit.context)
                                 : llvm::Type::getFloatTy(jit.context);
  auto *to = llvm::Type::getIntNTy(jit.context, sizeof(To) * 8);
  jit.defineMap("convert", jit.isa.lanes(32), {from}, to,
                [&](llvm::IRBuilder<> &b, auto args) {
                  return lowering::emitFpToInt(b, jit.isa.floatUnits(), args[0],
                                               to, std::is_signed_v<To>);
                });
  ASSERT_NO_THROW(jit.load());
  std::mt19937_64 random(23);
  std::vector<From> x = {From(0),
                         From(-0.9),
                         From(0.9),
                         From(INFINITY),
                         -From(INFINITY),
                         From(NAN),
                         From(127.9),
                         From(-128.9),
                         From(255.5),
                         From(2147483648.0),
                         From(-2147483649.0),
                         From(4294967296.0),
                         From(9223372036854775808.0),
                         From(-9223372036854775808.0),
                         From(1.9e19)};
  for (int i = 0; i < 4000; ++i) {
    x.push_back(
        static_cast<From>(std::ldexp(static_cast<double>(random()) - 0x1p63,
                                     -static_cast<int>(random() % 70))));
  }
  x.resize((x.size() + 63) / 64 * 64, From(1));
  std::vector<To> out(x.size());
  jit.function<void (*)(const From *, To *, int64_t)>("convert")(
      x.data(), out.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    using Limits = std::numeric_limits<To>;
    To expected;
    if (std::isnan(x[i])) {
      expected = 0;
    } else if (static_cast<double>(x[i]) >= std::ldexp(1.0, Limits::digits)) {
      expected = Limits::max();
    } else if (static_cast<double>(x[i]) <=
               static_cast<double>(Limits::min())) {
      expected = Limits::min();
    } else {
      expected = static_cast<To>(x[i]);
    }
    ASSERT_EQ(out[i], expected) << x[i] << " to " << sizeof(To);
  }
}

TEST_P(Conversion, FloatToIntSaturates) {
  checkToInt<float, int8_t>(GetParam());
  checkToInt<float, uint8_t>(GetParam());
  checkToInt<float, int16_t>(GetParam());
  checkToInt<float, int32_t>(GetParam());
  checkToInt<float, uint32_t>(GetParam());
  checkToInt<float, int64_t>(GetParam());
  checkToInt<double, int32_t>(GetParam());
  checkToInt<double, int64_t>(GetParam());
  checkToInt<double, uint64_t>(GetParam());
}

TEST_P(Conversion, IntToNarrowFloatRoundsOnce) {
  Jit jit(GetParam());
  llvm::Type *i64 = llvm::Type::getInt64Ty(jit.context);
  llvm::Type *f16 = llvm::Type::getHalfTy(jit.context);
  llvm::Type *bf16 = llvm::Type::getBFloatTy(jit.context);
  llvm::Type *f32 = llvm::Type::getFloatTy(jit.context);
  struct Row {
    const char *name;
    llvm::Type *to;
    bool doubles; // some machines have none
  };
  for (Row one : {Row{"f16", f16, true},
                  {"bf16", bf16, true},
                  {"bf16_without_f64", bf16, false},
                  {"f32", f32, true}}) {
    lowering::FloatUnits units = jit.isa.floatUnits();
    units.doubles = one.doubles;
    jit.defineMap(one.name, jit.isa.lanes(32), {i64}, one.to,
                  [&](llvm::IRBuilder<> &b, auto args) {
                    return lowering::emitIntToFp(b, units, args[0], one.to,
                                                 true);
                  });
  }
  ASSERT_NO_THROW(jit.load());
  std::mt19937_64 random(29);
  std::vector<int64_t> x = {0, 1, -1, INT64_MAX, INT64_MIN, 65519, 65520};
  for (int i = 0; i < 8000; ++i) {
    int64_t v = static_cast<int64_t>(random()) >> (random() % 64);
    // Ties and their neighbours.
    x.push_back(
        i % 2 ? v : ((v >> 20) << 20) + static_cast<int64_t>(random() % 3) - 1);
  }
  x.resize((x.size() + 63) / 64 * 64, 7);
  std::vector<uint32_t> out(x.size());
  for (auto [name, semantics] :
       {std::pair<const char *, const llvm::fltSemantics *>{
            "f16", &APFloat::IEEEhalf()},
        {"bf16", &APFloat::BFloat()},
        {"bf16_without_f64", &APFloat::BFloat()},
        {"f32", &APFloat::IEEEsingle()}}) {
    jit.function<void (*)(const int64_t *, void *, int64_t)>(name)(
        x.data(), out.data(), static_cast<int64_t>(x.size()));
    size_t bytes = semantics == &APFloat::IEEEsingle() ? 4 : 2;
    for (size_t i = 0; i < x.size(); ++i) {
      APFloat expected(*semantics);
      expected.convertFromAPInt(llvm::APInt(64, static_cast<uint64_t>(x[i])),
                                true, APFloat::rmNearestTiesToEven);
      uint32_t got = 0;
      std::memcpy(&got, reinterpret_cast<char *>(out.data()) + i * bytes,
                  bytes);
      ASSERT_EQ(got, expected.bitcastToAPInt().getZExtValue())
          << name << " of " << x[i];
    }
  }
}

//===--- Integers ---------------------------------------------------------===//

template <typename T>
void checkIntegers(const std::string &level, unsigned lanes) {
  constexpr bool isSigned = std::is_signed_v<T>;
  constexpr unsigned width = sizeof(T) * 8;
  Jit jit(level);
  auto *type = llvm::Type::getIntNTy(jit.context, width);
  auto map = [&](const char *name, auto emit) {
    jit.defineMap(name, lanes, {type, type}, type,
                  [&](llvm::IRBuilder<> &b, auto args) {
                    return emit(b, args[0], args[1]);
                  });
  };
  map("div", isSigned ? lowering::emitDivS : lowering::emitDivU);
  map("rem", isSigned ? lowering::emitRemS : lowering::emitRemU);
  map("shl", lowering::emitShl);
  map("shr", isSigned ? lowering::emitShrS : lowering::emitShrU);
  map("mulhi", [](llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y) {
    return lowering::emitMulHi(b, x, y, std::is_signed_v<T>);
  });
  ASSERT_NO_THROW(jit.load());
  std::mt19937_64 random(31);
  using Limits = std::numeric_limits<T>;
  const std::vector<T> special = {T(0),          T(1), T(-1),    Limits::min(),
                                  Limits::max(), T(2), T(width), T(width - 1)};
  std::vector<T> x, y;
  for (T a : special) {
    for (T b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  for (int i = 0; i < 4032; ++i) {
    x.push_back(static_cast<T>(random()));
    y.push_back(static_cast<T>(static_cast<T>(random()) >> (random() % width)));
  }
  auto run = [&](const char *name) {
    std::vector<T> out(x.size());
    jit.function<void (*)(const T *, const T *, T *, int64_t)>(name)(
        x.data(), y.data(), out.data(), static_cast<int64_t>(x.size()));
    return out;
  };
  auto div = run("div"), rem = run("rem"), shl = run("shl"), shr = run("shr"),
       mulhi = run("mulhi");
  for (size_t i = 0; i < x.size(); ++i) {
    T a = x[i], b = y[i];
    bool minusOne = isSigned && b == T(-1);
    T negated = static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a));
    T quotient = b == 0 ? T(0) : minusOne ? negated : static_cast<T>(a / b);
    T remainder = b == 0 ? a : minusOne ? T(0) : static_cast<T>(a % b);
    ASSERT_EQ(div[i], quotient) << +a << " / " << +b;
    ASSERT_EQ(rem[i], remainder) << +a << " % " << +b;
    auto amount = static_cast<std::make_unsigned_t<T>>(b);
    bool inside = amount < width;
    ASSERT_EQ(shl[i], inside
                          ? static_cast<T>(static_cast<uint64_t>(a) << amount)
                          : T(0));
    T over = isSigned && a < 0 ? T(-1) : T(0);
    ASSERT_EQ(shr[i], inside ? static_cast<T>(a >> amount) : over);
    using Wide = std::conditional_t<isSigned, __int128, unsigned __int128>;
    ASSERT_EQ(
        mulhi[i],
        static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> width));
  }
}

TEST_P(Conversion, IntegerOperationsAreTotal) {
  const unsigned lanes = Jit(GetParam()).isa.lanes(32);
  checkIntegers<int8_t>(GetParam(), lanes);
  checkIntegers<uint8_t>(GetParam(), lanes);
  checkIntegers<int16_t>(GetParam(), lanes);
  checkIntegers<int32_t>(GetParam(), lanes);
  checkIntegers<uint32_t>(GetParam(), lanes);
  checkIntegers<int64_t>(GetParam(), lanes);
  checkIntegers<uint64_t>(GetParam(), lanes);
  checkIntegers<int32_t>(GetParam(), 0);
  checkIntegers<int64_t>(GetParam(), 0);
}

TEST_P(Conversion, MinimumAndMaximum) {
  Jit jit(GetParam());
  llvm::Type *f32 = llvm::Type::getFloatTy(jit.context);
  for (int mode = 0; mode < 4; ++mode) {
    jit.defineMap(("m" + std::to_string(mode)).c_str(), jit.isa.lanes(32),
                  {f32, f32}, f32, [&](llvm::IRBuilder<> &b, auto args) {
                    return lowering::emitMinMax(b, args[0], args[1], mode & 1,
                                                mode & 2);
                  });
  }
  ASSERT_NO_THROW(jit.load());
  const float values[] = {1, -1, 2.5, NAN, INFINITY, -INFINITY, 7, -3};
  std::vector<float> x, y;
  for (float a : values) {
    for (float b : values) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  for (int mode = 0; mode < 4; ++mode) {
    std::vector<float> out(x.size());
    jit.function<void (*)(const float *, const float *, float *, int64_t)>(
        ("m" + std::to_string(mode)).c_str())(x.data(), y.data(), out.data(),
                                              64);
    for (size_t i = 0; i < x.size(); ++i) {
      bool keep = (mode & 2) && (std::isnan(x[i]) || std::isnan(y[i]));
      float expected = keep       ? NAN
                       : mode & 1 ? std::fmax(x[i], y[i])
                                  : std::fmin(x[i], y[i]);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(out[i]));
      } else {
        EXPECT_EQ(out[i], expected) << x[i] << " " << y[i] << " mode " << mode;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Conversion,
                         testing::Values("x86-64-v2", "x86-64-v3", "x86-64-v4"),
                         [](const auto &info) {
                           return "v" + info.param.substr(8);
                         });

} // namespace
