//===- ConversionTest.cpp - every code of the narrow floats ---------------===//
//
// What   Decoding of all codes of f16, bf16 and f8, and encoding of all midway
//        points and their neighbours, against a second implementation.
// Why    The second one is slow and plain: a sorted list of all finite values,
//        searched for the nearest; no bit of it is shared with the first.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/ElementKind.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <map>

using namespace tz::interpreter;

namespace {

/// A format by its textbook parameters.
struct Plain {
  Kind kind;
  int exponentBits, mantissaBits, bias;
  bool ieee;   ///< the top exponent is infinity and NaN
  bool fnuz;   ///< -0's code is the NaN, no infinity
  bool hasNan; ///< e4m3fn: all ones
};

const Plain Formats[] = {
    {Kind::F16, 5, 10, 15, true, false, true},
    {Kind::BF16, 8, 7, 127, true, false, true},
    {Kind::F8E5M2, 5, 2, 15, true, false, true},
    {Kind::F8E4M3FN, 4, 3, 7, false, false, true},
    {Kind::F8E4M3FNUZ, 4, 3, 8, false, true, true},
    {Kind::F8E5M2FNUZ, 5, 2, 16, false, true, true},
    {Kind::F4E2M1FN, 2, 1, 1, false, false, false},
};

unsigned bitsOf(const Plain &f) { return 1 + f.exponentBits + f.mantissaBits; }

double plainDecode(const Plain &f, unsigned code) {
  const unsigned mantissa = code % (1u << f.mantissaBits);
  const unsigned exponent =
      code / (1u << f.mantissaBits) % (1u << f.exponentBits);
  const bool negative = code / (1u << (f.mantissaBits + f.exponentBits)) != 0;
  const unsigned top = (1u << f.exponentBits) - 1;
  double value;
  if (f.ieee && exponent == top) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else if (f.fnuz && negative && exponent == 0 && mantissa == 0) {
    value = NAN;
  } else if (!f.ieee && !f.fnuz && f.hasNan && exponent == top &&
             mantissa == (1u << f.mantissaBits) - 1) {
    value = NAN;
  } else {
    const double fraction = mantissa / std::pow(2.0, f.mantissaBits);
    value = exponent == 0
                ? fraction * std::pow(2.0, 1 - f.bias)
                : (1 + fraction) *
                      std::pow(2.0, static_cast<int>(exponent) - f.bias);
  }
  return negative ? -value : value;
}

class Conversions : public testing::TestWithParam<Plain> {
protected:
  /// Codes of the finite values that are not negative, by value.
  std::map<double, unsigned> values() {
    std::map<double, unsigned> result;
    for (unsigned code = 0; code < 1u << (bitsOf(GetParam()) - 1); ++code) {
      const double value = plainDecode(GetParam(), code);
      if (std::isfinite(value)) {
        result[value] = code;
      }
    }
    return result;
  }
};

TEST_P(Conversions, DecodeEveryCode) {
  const Plain &f = GetParam();
  for (unsigned code = 0; code < 1u << bitsOf(f); ++code) {
    const double expected = plainDecode(f, code);
    const double actual = decodeFloat(f.kind, code);
    ASSERT_TRUE(std::isnan(expected)
                    ? std::isnan(actual)
                    : expected == actual &&
                          std::signbit(expected) == std::signbit(actual))
        << code << ": " << actual << ", expected " << expected;
  }
}

TEST_P(Conversions, EveryCodeComesBack) {
  const Plain &f = GetParam();
  for (unsigned code = 0; code < 1u << bitsOf(f); ++code) {
    const double value = plainDecode(f, code);
    const bool saturates = f.kind == Kind::F8E5M2 && std::isinf(value);
    if (!std::isnan(value) && !saturates) {
      ASSERT_EQ(encodeFloat(f.kind, value), code);
      ASSERT_EQ(encodeFloat(f.kind, value, RoundTo::Zero), code);
    }
  }
}

TEST_P(Conversions, RoundToNearestEvenAndToZero) {
  const Plain &f = GetParam();
  auto all = values();
  const unsigned sign = 1u << (bitsOf(f) - 1);
  auto negated = [&](unsigned code) {
    return f.fnuz && code == 0 ? 0u : code | sign;
  };
  for (auto low = all.begin(), high = std::next(low); high != all.end();
       ++low, ++high) {
    const double middle = (low->first + high->first) / 2; // exact
    const unsigned even = low->second % 2 == 0 ? low->second : high->second;
    const double below = std::nextafter(middle, 0.0);
    const double above = std::nextafter(middle, INFINITY);
    ASSERT_EQ(encodeFloat(f.kind, middle), even) << middle;
    ASSERT_EQ(encodeFloat(f.kind, -middle), negated(even));
    ASSERT_EQ(encodeFloat(f.kind, below), low->second) << middle;
    ASSERT_EQ(encodeFloat(f.kind, above), high->second) << middle;
    for (double value : {middle, below, above}) {
      ASSERT_EQ(encodeFloat(f.kind, value, RoundTo::Zero), low->second);
      ASSERT_EQ(encodeFloat(f.kind, -value, RoundTo::Zero),
                negated(low->second));
    }
    const double last = std::nextafter(high->first, 0.0);
    ASSERT_EQ(encodeFloat(f.kind, last, RoundTo::Zero), low->second);
    ASSERT_EQ(encodeFloat(f.kind, last), high->second);
  }
}

TEST_P(Conversions, OverflowAndNan) {
  const Plain &f = GetParam();
  auto all = values();
  const double largest = all.rbegin()->first;
  const unsigned largestCode = all.rbegin()->second;
  const bool saturates = bitsOf(f) <= 8;
  const double step = largest - std::next(all.rbegin())->first;
  const unsigned overflowed = saturates ? largestCode : largestCode + 1;
  // Up to half a step beyond the largest value rounds down to it.
  EXPECT_EQ(encodeFloat(f.kind, largest + step * 0.49), largestCode);
  EXPECT_EQ(encodeFloat(f.kind, largest + step * 0.5), overflowed);
  for (double huge : {largest * 4, 1e200, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(encodeFloat(f.kind, huge), overflowed);
    EXPECT_EQ(encodeFloat(f.kind, huge, RoundTo::Zero), largestCode);
  }
  EXPECT_EQ(encodeFloat(f.kind, INFINITY), overflowed);
  EXPECT_EQ(encodeFloat(f.kind, INFINITY, RoundTo::Zero), overflowed);
  if (f.hasNan) {
    EXPECT_TRUE(std::isnan(decodeFloat(f.kind, encodeFloat(f.kind, NAN))));
  }
}

INSTANTIATE_TEST_SUITE_P(AllNarrowFloats, Conversions,
                         testing::ValuesIn(Formats));

TEST(F32Conversions, RoundToZero) {
  auto bits = [](float value) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof(word));
    return static_cast<uint64_t>(word);
  };
  const double below2 = std::nextafter(2.0, 0.0);
  EXPECT_EQ(encodeFloat(Kind::F32, below2), bits(2.0f));
  EXPECT_EQ(encodeFloat(Kind::F32, below2, RoundTo::Zero),
            bits(std::nextafterf(2.0f, 0.0f)));
  EXPECT_EQ(encodeFloat(Kind::F32, -1e300, RoundTo::Zero),
            bits(-std::numeric_limits<float>::max()));
  EXPECT_EQ(encodeFloat(Kind::F32, -1e300), bits(-INFINITY));
}

} // namespace
