//===- Conversion.cpp - conversions between types -------------------------===//
//
// What   VALU conversions. Floats to integers saturate, and NaN becomes 0.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/Rows.h"
#include "plugins/amd/simulator/execute/SmallFloats.h"

#include <limits>

namespace tz::amd::sim {

namespace {

template <typename To>
To toInteger(double value) {
  if (value != value) {
    return 0;
  }
  using Limits = std::numeric_limits<To>;
  value = std::trunc(value);
  return value <= double(Limits::min())   ? Limits::min()
         : value >= double(Limits::max()) ? Limits::max()
                                          : To(value);
}

/// Towards zero: what the nearest half overshoots is one step less.
uint16_t towardsZero(float value) {
  const half nearest = half(value);
  uint16_t bits = std::bit_cast<uint16_t>(nearest);
  if (std::fabs(double(nearest)) > std::fabs(double(value)) &&
      !std::isinf(value)) {
    --bits;
  }
  return bits;
}

template <unsigned Byte>
float byteOf(uint32_t value) {
  return float(value >> (8 * Byte) & 0xFF);
}

/// The byte's format is the processor's.
template <unsigned Mantissa>
float fromSmall(const Wave &wave, uint8_t bits) {
  return wave.environment.machine.hasOcpFloats ? fromOcp<Mantissa>(bits)
                                               : fromFnuz<Mantissa>(bits);
}

/// Two floats to two floats of 8 bits, in one half of the destination. What
/// OCP's formats make of large numbers depends on a mode.
template <unsigned Mantissa>
void packSmall(Wave &wave, const Instruction &in) {
  if (wave.environment.machine.hasOcpFloats) {
    unsupportedForm(in, "OCP's formats");
  }
  eachResult(wave, in, [&](unsigned lane) {
    const Operand &to = in.operands.at(0);
    const bool high = (in.opSel >> 2 & 1) != 0;
    const uint32_t old = wave.vectors[size_t{to.index} * wave.lanes + lane];
    const uint32_t both =
        toFnuz<Mantissa>(source<float>(wave, in, 1, lane)) |
        uint32_t{toFnuz<Mantissa>(source<float>(wave, in, 2, lane))} << 8;
    wave.setVector(to.index, lane,
                   high ? (old & 0xFFFF) | both << 16
                        : (old & 0xFFFF0000u) | both);
  });
}
template <unsigned Mantissa>
void unpackSmall(Wave &wave, const Instruction &in) {
  eachResult(wave, in, [&](unsigned lane) {
    uint32_t word = source<uint32_t>(wave, in, 1, lane);
    if (in.opSel & 1) {
      word >>= 16;
    }
    const Operand &to = in.operands.at(0);
    for (unsigned i = 0; i < 2; ++i) {
      wave.setVector(to.index + i, lane,
                     std::bit_cast<uint32_t>(
                         fromSmall<Mantissa>(wave, uint8_t(word >> (8 * i)))));
    }
  });
}

template <unsigned Mantissa>
void unpackOne(Wave &wave, const Instruction &in) {
  eachResult(wave, in, [&](unsigned lane) {
    result(wave, in, 0, lane,
           fromSmall<Mantissa>(wave,
                               uint8_t(source<uint32_t>(wave, in, 1, lane))));
  });
}

/// To the nearest, ties to even.
uint32_t toBf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return std::isnan(value) ? bits >> 16 | 0x40
                           : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

} // namespace

std::vector<Row> conversionRows() {
  std::vector<Row> rows;
  auto add = [&](const char *name, auto run) { rows.push_back({name, run}); };
  using F = float;
  using D = double;
  using U = uint32_t;
  add("v_cvt_f32_i32", each<[](int32_t a) { return F(a); }>);
  add("v_cvt_f32_u32", each<[](U a) { return F(a); }>);
  add("v_cvt_i32_f32", each<[](F a) { return toInteger<int32_t>(a); }>);
  add("v_cvt_u32_f32", each<[](F a) { return toInteger<U>(a); }>);
  add("v_cvt_i32_i16", each<[](int16_t a) { return int32_t(a); }>);
  add("v_cvt_u32_u16", each<[](uint16_t a) { return U(a); }>);
  add("v_cvt_f64_i32", each<[](int32_t a) { return D(a); }>);
  add("v_cvt_f64_u32", each<[](U a) { return D(a); }>);
  add("v_cvt_i32_f64", each<[](D a) { return toInteger<int32_t>(a); }>);
  add("v_cvt_u32_f64", each<[](D a) { return toInteger<U>(a); }>);
  add("v_cvt_f32_f64", each<[](D a) { return F(a); }>);
  add("v_cvt_f64_f32", each<[](F a) { return D(a); }>);
  add("v_cvt_f16_f32", each<[](F a) { return half(a); }>);
  add("v_cvt_f32_f16", each<[](half a) { return F(a); }>);
  add("v_cvt_f16_i16", each<[](int16_t a) { return half(a); }>);
  add("v_cvt_f16_u16", each<[](uint16_t a) { return half(a); }>);
  add("v_cvt_i16_f16", each<[](half a) { return toInteger<int16_t>(D(a)); }>);
  add("v_cvt_u16_f16", each<[](half a) { return toInteger<uint16_t>(D(a)); }>);
  add("v_cvt_flr_i32_f32",
      each<[](F a) { return toInteger<int32_t>(std::floor(a)); }>);
  add("v_cvt_floor_i32_f32",
      each<[](F a) { return toInteger<int32_t>(std::floor(a)); }>);
  add("v_cvt_rpi_i32_f32",
      each<[](F a) { return toInteger<int32_t>(std::floor(a + 0.5f)); }>);
  add("v_cvt_nearest_i32_f32",
      each<[](F a) { return toInteger<int32_t>(std::floor(a + 0.5f)); }>);
  add("v_cvt_f32_ubyte0", each<byteOf<0>>);
  add("v_cvt_f32_ubyte1", each<byteOf<1>>);
  add("v_cvt_f32_ubyte2", each<byteOf<2>>);
  add("v_cvt_f32_ubyte3", each<byteOf<3>>);
  constexpr auto packHalves = [](F a, F b) {
    return U(towardsZero(a)) | U(towardsZero(b)) << 16;
  };
  add("v_cvt_pkrtz_f16_f32", each<packHalves>);
  add("v_cvt_pk_rtz_f16_f32", each<packHalves>);
  add("v_cvt_pk_i16_i32", each<[](int32_t a, int32_t b) {
        return U(uint16_t(toInteger<int16_t>(a))) |
               U(uint16_t(toInteger<int16_t>(b))) << 16;
      }>);
  add("v_cvt_pk_u16_u32", each<[](U a, U b) {
        return std::min(a, U(0xFFFF)) | std::min(b, U(0xFFFF)) << 16;
      }>);
  add("v_cvt_pk_fp8_f32", packSmall<3>);
  add("v_cvt_pk_bf8_f32", packSmall<2>);
  add("v_cvt_pk_f32_fp8", unpackSmall<3>);
  add("v_cvt_pk_f32_bf8", unpackSmall<2>);
  // The byte is a part of SDWA.
  add("v_cvt_f32_fp8", unpackOne<3>);
  add("v_cvt_f32_bf8", unpackOne<2>);
  add("v_cvt_pk_f16_f32", each<[](F a, F b) {
        return U(std::bit_cast<uint16_t>(half(a))) |
               U(std::bit_cast<uint16_t>(half(b))) << 16;
      }>);
  add("v_cvt_pk_bf16_f32",
      each<[](F a, F b) { return toBf16(a) | toBf16(b) << 16; }>);
  return rows;
}

} // namespace tz::amd::sim
