//===- SmallFloats.h - bf16 and floats of 8 bits --------------------------===//
//
// What   To float and, for 8 bits, back.
// Why    gfx942 has the FNUZ formats: no infinity, no -0, one NaN (0x80), and
//        an exponent bias that is one more than that of OCP, which gfx950 has.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_SMALLFLOATS_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_SMALLFLOATS_H

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tz::amd::sim {

inline float fromBf16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

/// The number that the fields stand for.
template <unsigned MantissaBits>
float ofFields(uint8_t bits, int bias) {
  const int mantissa = bits & ((1 << MantissaBits) - 1);
  const int exponent = (bits & 0x7F) >> MantissaBits;
  const float value =
      exponent == 0 ? std::ldexp(float(mantissa), 1 - bias - int(MantissaBits))
                    : std::ldexp(float(mantissa + (1 << MantissaBits)),
                                 exponent - bias - int(MantissaBits));
  return bits & 0x80 ? -value : value;
}

/// fp8 has 3 bits of mantissa, bf8 has 2.
template <unsigned MantissaBits>
float fromFnuz(uint8_t bits) {
  return bits == 0x80
             ? std::numeric_limits<float>::quiet_NaN()
             : ofFields<MantissaBits>(bits, MantissaBits == 3 ? 8 : 16);
}

/// bf8 has infinities and NaNs as IEEE's formats, fp8 one NaN of each sign.
template <unsigned MantissaBits>
float fromOcp(uint8_t bits) {
  const uint8_t magnitude = bits & 0x7F;
  if (MantissaBits == 3 ? magnitude == 0x7F : magnitude > 0x7C) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (MantissaBits == 2 && magnitude == 0x7C) {
    const float infinity = std::numeric_limits<float>::infinity();
    return bits & 0x80 ? -infinity : infinity;
  }
  return ofFields<MantissaBits>(bits, MantissaBits == 3 ? 7 : 15);
}

/// Rounds to nearest even; what is too large becomes NaN.
template <unsigned MantissaBits>
uint8_t toFnuz(float value) {
  constexpr int bias = MantissaBits == 3 ? 8 : 16;
  if (!std::isfinite(value)) {
    return 0x80;
  }
  int exponent;
  (void)std::frexp(value, &exponent);
  // The unit in the last place, not below that of the denormals.
  const int unit = std::max(exponent - 1, 1 - bias) - int(MantissaBits);
  const float rounded =
      std::ldexp(std::nearbyint(std::ldexp(std::fabs(value), -unit)), unit);
  if (rounded == 0) {
    return 0;
  }
  (void)std::frexp(rounded, &exponent);
  const int biased = exponent - 1 + bias;
  uint32_t bits;
  if (biased <= 0) {
    bits = uint32_t(std::ldexp(rounded, bias - 1 + int(MantissaBits)));
  } else {
    bits = uint32_t(biased) << MantissaBits |
           (uint32_t(std::ldexp(rounded, int(MantissaBits) - exponent + 1)) &
            ((1u << MantissaBits) - 1));
  }
  if (bits > 0x7F) {
    return 0x80;
  }
  return uint8_t(bits | (value < 0 ? 0x80 : 0));
}

} // namespace tz::amd::sim

#endif
