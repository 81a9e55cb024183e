//===- VectorReal.cpp - floats of lanes -----------------------------------===//
//
// What   VALU on floats of 16, 32 and 64 bits.
// Why    Approximations (reciprocal, square root, exp, log, sin, cos) are the
//        correctly rounded values or close to them: hardware may differ by an ulp.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/RealArithmetic.h"
#include "plugins/amd/simulator/execute/Rows.h"

#include <limits>
#include <numbers>

namespace tz::amd::sim {

namespace {

/// The result is added to what the destination holds.
template <typename T>
void multiplyInto(Wave &wave, const Instruction &in) {
  eachResult(wave, in, [&](unsigned lane) {
    const Operand &to = in.operands.at(0);
    uint64_t old = wave.dword(to, 0, lane);
    if (sizeof(T) == 8) {
      old |= uint64_t{wave.dword(to, 1, lane)} << 32;
    } else if (sizeof(T) == 2 && to.half == 1) {
      old >>= 16;
    }
    result(wave, in, 0, lane,
           fused(source<T>(wave, in, 1, lane), source<T>(wave, in, 2, lane),
                 std::bit_cast<T>(BitsOf<sizeof(T)>(old))));
  });
}

//===--- The steps of a division ------------------------------------------===//

template <typename T>
struct Division {
  static constexpr int Large = sizeof(T) == 8 ? 768 : 96;
  static constexpr int Scale = sizeof(T) == 8 ? 128 : 64;
  static constexpr int Small = sizeof(T) == 8 ? 53 : 23;
  static constexpr int Bias = sizeof(T) == 8 ? 1023 : 127;
};
template <typename T>
int biasedExponent(T value) {
  constexpr int mantissa = sizeof(T) == 8 ? 52 : 23;
  constexpr int ones = sizeof(T) == 8 ? 0x7FF : 0xFF;
  return int(std::bit_cast<BitsOf<sizeof(T)>>(value) >> mantissa) & ones;
}
template <typename T>
bool isDenormal(T value) {
  return std::fpclassify(value) == FP_SUBNORMAL;
}

/// Scales numerator or denominator (`which` is one of them) so that no step of
/// the division overflows or loses bits; `later`: the quotient is scaled too.
template <typename T>
T scaleForDivision(T which, T denominator, T numerator, bool &later) {
  using D = Division<T>;
  later = false;
  const bool isDenominator = std::bit_cast<BitsOf<sizeof(T)>>(which) ==
                             std::bit_cast<BitsOf<sizeof(T)>>(denominator);
  if (numerator == 0 || denominator == 0) {
    return std::numeric_limits<T>::quiet_NaN();
  }
  if (biasedExponent(numerator) - biasedExponent(denominator) >= D::Large) {
    later = true;
    return isDenominator ? std::ldexp(which, D::Scale) : which;
  }
  if (isDenormal(denominator)) {
    return std::ldexp(which, D::Scale);
  }
  const T reciprocal = T(1) / denominator, quotient = numerator / denominator;
  if (isDenormal(reciprocal) && isDenormal(quotient)) {
    // Down: the largest numbers would overflow the other way.
    later = true;
    return isDenominator ? std::ldexp(which, -D::Scale) : which;
  }
  if (isDenormal(reciprocal)) {
    return std::ldexp(which, -D::Scale);
  }
  if (isDenormal(quotient)) {
    later = true;
    return isDenominator ? which : std::ldexp(which, D::Scale);
  }
  return biasedExponent(numerator) <= D::Small ? std::ldexp(which, D::Scale)
                                               : which;
}

template <typename T>
void divisionScale(Wave &wave, const Instruction &in) {
  uint64_t mask = 0;
  eachResult(wave, in, [&](unsigned lane) {
    bool later;
    const T value = scaleForDivision(source<T>(wave, in, 2, lane),
                                     source<T>(wave, in, 3, lane),
                                     source<T>(wave, in, 4, lane), later);
    mask |= uint64_t{later} << lane;
    result(wave, in, 0, lane, value);
  });
  wave.setMask(in.operands.at(1), mask);
}

/// 2^scale * (a * b + c), rounded once: a quotient may be denormal. The sum is
/// taken in a type that holds the product, with its last bit set where bits
/// were lost; the second rounding is then that of the exact value.
template <typename T>
T scaledFused(T a, T b, T c, int scale) {
  using Wide = std::conditional_t<sizeof(T) == 8, __float128, double>;
  using Bits = std::conditional_t<sizeof(T) == 8, unsigned __int128, uint64_t>;
  const Wide product = Wide(a) * Wide(b), sum = product + Wide(c);
  if (!std::isfinite(T(sum)) || sum == 0) {
    return T(sum);
  }
  // What the sum lost (Knuth's sum of two).
  const Wide other = sum - product;
  const Wide lost = (product - (sum - other)) + (Wide(c) - other);
  Bits bits = std::bit_cast<Bits>(sum);
  if (lost != 0 && (bits & 1) == 0) {
    bits += (lost < 0) == (sum < 0) ? Bits(1) : ~Bits(0);
  }
  Wide value = std::bit_cast<Wide>(bits);
  for (int left = scale; left != 0; left += left < 0 ? 1 : -1) {
    value *= scale < 0 ? Wide(0.5) : Wide(2);
  }
  return T(value);
}

template <typename T>
void divisionStep(Wave &wave, const Instruction &in) {
  const uint64_t mask = wave.scalar64(scalar::Vcc);
  eachResult(wave, in, [&](unsigned lane) {
    const T add = source<T>(wave, in, 3, lane);
    using D = Division<T>;
    int scale = biasedExponent(add) > D::Bias ? D::Scale : -D::Scale;
    scale = mask >> lane & 1 ? scale : 0;
    result(wave, in, 0, lane,
           scaledFused(source<T>(wave, in, 1, lane),
                       source<T>(wave, in, 2, lane), add, scale));
  });
}

/// The quotient, with what the estimate does not get right.
template <typename T>
T fixDivision(T quotient, T denominator, T numerator) {
  const bool isNegative = isMinus(numerator) != isMinus(denominator);
  const double n = double(numerator), d = double(denominator);
  auto withSign = [&](T value) { return isNegative ? T(-value) : value; };
  if (isNan(numerator) || isNan(denominator)) {
    return isNan(numerator) ? numerator : denominator;
  }
  if ((n == 0 && d == 0) || (std::isinf(n) && std::isinf(d))) {
    return T(std::numeric_limits<float>::quiet_NaN());
  }
  if (d == 0 || std::isinf(n)) {
    return withSign(T(std::numeric_limits<float>::infinity()));
  }
  if (std::isinf(d) || n == 0) {
    return withSign(T(0));
  }
  if constexpr (sizeof(T) >= 4) {
    // The steps give no number for what is far too small or too large.
    constexpr int smallest = sizeof(T) == 8 ? -1075 : -150;
    if (biasedExponent(numerator) - biasedExponent(denominator) < smallest) {
      return withSign(T(0));
    }
  }
  if (isNan(quotient)) {
    return withSign(T(std::numeric_limits<float>::infinity()));
  }
  return T(std::copysign(double(quotient), isNegative ? -1.0 : 1.0));
}

//===--- Functions of one value -------------------------------------------===//

template <typename T>
T function(double value) {
  return T(value);
}
template <typename T>
T fraction(T value) {
  const double below = double(value) - std::floor(double(value));
  // Just below an integer the difference rounds to 1.
  const T out = T(below);
  return out == T(1) ? std::bit_cast<T>(BitsOf<sizeof(T)>(
                           std::bit_cast<BitsOf<sizeof(T)>>(T(1)) - 1))
                     : out;
}
template <typename T>
int exponentOf(T value) {
  const double wide = double(value);
  int exponent = 0;
  if (std::isfinite(wide)) {
    (void)std::frexp(wide, &exponent);
  }
  return exponent;
}
template <typename T>
T mantissaOf(T value) {
  const double wide = double(value);
  int exponent;
  return std::isfinite(wide) ? T(std::frexp(wide, &exponent)) : value;
}
/// Sine and cosine take revolutions.
double radians(double revolutions) {
  return revolutions * 2 * std::numbers::pi;
}

template <typename T>
void addArithmetic(std::vector<Row> &rows, std::string type) {
  auto add = [&](const char *name, auto run) {
    rows.push_back({name + type, run});
  };
  add("v_add_", each<[](T a, T b) { return T(a + b); }>);
  add("v_sub_", each<[](T a, T b) { return T(a - b); }>);
  add("v_subrev_", each<[](T a, T b) { return T(b - a); }>);
  add("v_mul_", each<[](T a, T b) { return T(a * b); }>);
  add("v_fma_", each<[](T a, T b, T c) { return fused(a, b, c); }>);
  add("v_fmac_", multiplyInto<T>);
  add("v_fmamk_", each<[](T a, T k, T b) { return fused(a, k, b); }>);
  add("v_fmaak_", each<[](T a, T b, T k) { return fused(a, b, k); }>);
  add("v_min_", each<[](T a, T b) { return smaller(a, b); }>);
  add("v_max_", each<[](T a, T b) { return larger(a, b); }>);
  add("v_min3_", each<[](T a, T b, T c) { return smaller(smaller(a, b), c); }>);
  add("v_max3_", each<[](T a, T b, T c) { return larger(larger(a, b), c); }>);
  add("v_minimum3_",
      each<[](T a, T b, T c) { return leastOrNan(leastOrNan(a, b), c); }>);
  add("v_maximum3_",
      each<[](T a, T b, T c) { return mostOrNan(mostOrNan(a, b), c); }>);
  add("v_med3_", each<[](T a, T b, T c) { return median(a, b, c); }>);
  add("v_maxmin_",
      each<[](T a, T b, T c) { return smaller(larger(a, b), c); }>);
  add("v_minmax_",
      each<[](T a, T b, T c) { return larger(smaller(a, b), c); }>);
  add("v_div_fixup_", each<[](T q, T d, T n) { return fixDivision(q, d, n); }>);
  add("v_rcp_", each<[](T a) { return function<T>(1.0 / double(a)); }>);
  add("v_rsq_",
      each<[](T a) { return function<T>(1.0 / std::sqrt(double(a))); }>);
  add("v_sqrt_", each<[](T a) { return function<T>(std::sqrt(double(a))); }>);
  add("v_floor_", each<[](T a) { return function<T>(std::floor(double(a))); }>);
  add("v_ceil_", each<[](T a) { return function<T>(std::ceil(double(a))); }>);
  add("v_trunc_", each<[](T a) { return function<T>(std::trunc(double(a))); }>);
  add("v_rndne_",
      each<[](T a) { return function<T>(std::nearbyint(double(a))); }>);
  add("v_fract_", each<[](T a) { return fraction(a); }>);
  add("v_frexp_mant_", each<[](T a) { return mantissaOf(a); }>);
  using Exponent = std::conditional_t<sizeof(T) == 2, int16_t, int32_t>;
  add("v_ldexp_", each<[](T a, Exponent n) {
        return function<T>(std::ldexp(double(a), n));
      }>);
  if (sizeof(T) < 8) {
    add("v_exp_", each<[](T a) { return function<T>(std::exp2(double(a))); }>);
    add("v_log_", each<[](T a) { return function<T>(std::log2(double(a))); }>);
    add("v_sin_",
        each<[](T a) { return function<T>(std::sin(radians(double(a)))); }>);
    add("v_cos_",
        each<[](T a) { return function<T>(std::cos(radians(double(a)))); }>);
  }
}

} // namespace

std::vector<Row> vectorRealRows() {
  std::vector<Row> rows;
  addArithmetic<float>(rows, "f32");
  addArithmetic<double>(rows, "f64");
  auto add = [&](const char *name, auto run, uint8_t destinations = 1) {
    rows.push_back({name, run, Class::Vector, destinations});
  };
  using F = float;
  add("v_mul_legacy_f32",
      each<[](F a, F b) { return a == 0 || b == 0 ? 0.0f : a * b; }>);
  add("v_mul_dx9_zero_f32",
      each<[](F a, F b) { return a == 0 || b == 0 ? 0.0f : a * b; }>);
  add("v_frexp_exp_i32_f32", each<[](F a) { return exponentOf(a); }>);
  add("v_frexp_exp_i32_f64", each<[](double a) { return exponentOf(a); }>);
  add("v_rcp_iflag_f32", each<[](F a) { return 1.0f / a; }>);
  add("v_div_scale_f32", divisionScale<F>, 2);
  add("v_div_scale_f64", divisionScale<double>, 2);
  add("v_div_fmas_f32", divisionStep<F>);
  add("v_div_fmas_f64", divisionStep<double>);
  add("v_max_num_f32", each<[](F a, F b) { return larger(a, b); }>);
  add("v_min_num_f32", each<[](F a, F b) { return smaller(a, b); }>);
  return rows;
}

std::vector<Row> vectorHalfRows() {
  std::vector<Row> rows;
  addArithmetic<half>(rows, "f16");
  rows.push_back({"v_frexp_exp_i16_f16",
                  each<[](half a) { return int16_t(exponentOf(a)); }>});
  // Its sources may have signs, as those of arithmetic.
  rows.push_back({"v_pack_b32_f16", each<[](half a, half b) {
                    return uint32_t(std::bit_cast<uint16_t>(a)) |
                           uint32_t(std::bit_cast<uint16_t>(b)) << 16;
                  }>});
  return rows;
}

} // namespace tz::amd::sim
