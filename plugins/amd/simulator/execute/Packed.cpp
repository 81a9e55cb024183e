//===- Packed.cpp - two values in a register ------------------------------===//
//
// What   Packed arithmetic (v_pk_), mixed precision and dot products of lanes.
//        op_sel picks the half of each source for the low result, op_sel_hi for
//        the high one.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/RealArithmetic.h"
#include "plugins/amd/simulator/execute/Rows.h"

#include <cstring>

namespace tz::amd::sim {

namespace {

/// A half (or a dword of a pair) of the source behind the destination.
template <typename T>
T packedSource(Wave &wave, const Instruction &in, unsigned source, bool isHigh,
               unsigned lane) {
  using Bits = BitsOf<sizeof(T)>;
  const Operand &operand = in.operands.at(source + 1);
  const bool picksHigh = ((isHigh ? in.opSelHi : in.opSel) >> source & 1) != 0;
  Bits bits;
  if (operand.file == File::Immediate) {
    // A constant of 16 bits has its value below and 0 above; one of 32 bits is
    // the same for both.
    const uint64_t value = constantBits(operand, sizeof(T), IsReal<T>);
    bits = sizeof(T) == 2 && picksHigh ? Bits(value >> 16) : Bits(value);
  } else if constexpr (sizeof(T) == 2) {
    const uint32_t word = wave.dword(operand, 0, lane);
    bits = Bits(picksHigh ? word >> 16 : word);
  } else {
    bits = Bits(wave.dword(operand, picksHigh && operand.dwords == 2, lane));
  }
  if constexpr (IsReal<T>) {
    const bool negate = ((isHigh ? in.negHi : in.negLo) >> source & 1) != 0;
    bits = Bits(bits ^ Bits(Bits{negate} << (sizeof(T) * 8 - 1)));
  }
  return std::bit_cast<T>(bits);
}

void refuseShuffle(const Instruction &in) {
  if (in.shuffle.kind != LaneShuffle::None) {
    unsupportedForm(in, "a lane shuffle of a packed source");
  }
}

template <auto Lambda>
void eachPacked(Wave &wave, const Instruction &in) {
  refuseShuffle(in);
  auto split = [&]<typename R, typename... S>(R (*function)(S...)) {
    auto call = [&]<size_t... At>(bool isHigh, unsigned lane,
                                  std::index_sequence<At...>) {
      return scaled(in, function(packedSource<S>(wave, in, unsigned(At), isHigh,
                                                 lane)...));
    };
    using All = std::index_sequence_for<S...>;
    eachResult(wave, in, [&](unsigned lane) {
      const auto low =
          std::bit_cast<BitsOf<sizeof(R)>>(call(false, lane, All()));
      const auto high =
          std::bit_cast<BitsOf<sizeof(R)>>(call(true, lane, All()));
      const unsigned to = in.operands.at(0).index;
      if constexpr (sizeof(R) == 2) {
        wave.setVector(to, lane, uint32_t(low) | uint32_t(high) << 16);
      } else {
        wave.setVector(to, lane, uint32_t(low));
        wave.setVector(to + 1, lane, uint32_t(high));
      }
    });
  };
  split(+Lambda);
}

/// A source of a mixed product: op_sel_hi says that it is a half, op_sel which.
float mixedSource(Wave &wave, const Instruction &in, unsigned source,
                  unsigned lane) {
  const Operand &operand = in.operands.at(source + 1);
  const bool isHalf = (in.opSelHi >> source & 1) != 0;
  float value;
  if (operand.file == File::Immediate) {
    const uint64_t bits = constantBits(operand, isHalf ? 2 : 4, true);
    value = isHalf ? float(std::bit_cast<half>(uint16_t(bits)))
                   : std::bit_cast<float>(uint32_t(bits));
  } else {
    const uint32_t word = wave.dword(operand, 0, lane);
    const uint16_t part = uint16_t(in.opSel >> source & 1 ? word >> 16 : word);
    value =
        isHalf ? float(std::bit_cast<half>(part)) : std::bit_cast<float>(word);
  }
  value = operand.absolute ? std::fabs(value) : value;
  return operand.negate ? -value : value;
}

/// To: 0 a float, 1 the low half, 2 the high half.
template <int To>
void mixed(Wave &wave, const Instruction &in) {
  refuseShuffle(in);
  eachResult(wave, in, [&](unsigned lane) {
    const float value = scaled(in, std::fma(mixedSource(wave, in, 0, lane),
                                            mixedSource(wave, in, 1, lane),
                                            mixedSource(wave, in, 2, lane)));
    const unsigned to = in.operands.at(0).index;
    if (To == 0) {
      wave.setVector(to, lane, std::bit_cast<uint32_t>(value));
      return;
    }
    const uint32_t old = wave.vectors[size_t{to} * wave.lanes + lane];
    const uint32_t bits = std::bit_cast<uint16_t>(half(value));
    wave.setVector(to, lane,
                   To == 1 ? (old & 0xFFFF0000u) | bits
                           : (old & 0xFFFF) | bits << 16);
  });
}

/// Products of parts of two registers, added to the third source.
template <typename Part, typename Sum>
void dot(Wave &wave, const Instruction &in) {
  eachResult(wave, in, [&](unsigned lane) {
    const uint32_t a = source<uint32_t>(wave, in, 1, lane);
    const uint32_t b = source<uint32_t>(wave, in, 2, lane);
    // Without a third source the destination is one.
    const Operand &third =
        in.operands.size() > 3 ? in.operands[3] : in.operands[0];
    Sum sum =
        third.file == File::Immediate
            ? std::bit_cast<Sum>(uint32_t(constantBits(third, 4, IsReal<Sum>)))
            : std::bit_cast<Sum>(wave.dword(third, 0, lane));
    for (unsigned i = 0; i < 4 / sizeof(Part); ++i) {
      Part x, y;
      std::memcpy(&x, reinterpret_cast<const char *>(&a) + i * sizeof(Part),
                  sizeof(Part));
      std::memcpy(&y, reinterpret_cast<const char *>(&b) + i * sizeof(Part),
                  sizeof(Part));
      sum = Sum(sum + Sum(x) * Sum(y));
    }
    result(wave, in, 0, lane, sum);
  });
}

} // namespace

std::vector<Row> packedRows() {
  std::vector<Row> rows;
  auto add = [&](const char *name, auto run) { rows.push_back({name, run}); };
  using H = half;
  using F = float;
  using S = uint16_t;
  using I = int16_t;
  add("v_pk_add_f16", eachPacked<[](H a, H b) { return H(a + b); }>);
  add("v_pk_mul_f16", eachPacked<[](H a, H b) { return H(a * b); }>);
  add("v_pk_fma_f16", eachPacked<[](H a, H b, H c) { return fused(a, b, c); }>);
  add("v_pk_min_f16", eachPacked<[](H a, H b) { return smaller(a, b); }>);
  add("v_pk_max_f16", eachPacked<[](H a, H b) { return larger(a, b); }>);
  add("v_pk_minimum3_f16", eachPacked<[](H a, H b, H c) {
        return leastOrNan(leastOrNan(a, b), c);
      }>);
  add("v_pk_maximum3_f16",
      eachPacked<[](H a, H b, H c) { return mostOrNan(mostOrNan(a, b), c); }>);
  add("v_pk_add_f32", eachPacked<[](F a, F b) { return a + b; }>);
  add("v_pk_mul_f32", eachPacked<[](F a, F b) { return a * b; }>);
  add("v_pk_fma_f32",
      eachPacked<[](F a, F b, F c) { return std::fma(a, b, c); }>);
  add("v_pk_add_u16", eachPacked<[](S a, S b) { return S(a + b); }>);
  add("v_pk_add_i16", eachPacked<[](S a, S b) { return S(a + b); }>);
  add("v_pk_sub_u16", eachPacked<[](S a, S b) { return S(a - b); }>);
  add("v_pk_sub_i16", eachPacked<[](S a, S b) { return S(a - b); }>);
  add("v_pk_mul_lo_u16", eachPacked<[](S a, S b) { return S(a * b); }>);
  add("v_pk_mad_u16", eachPacked<[](S a, S b, S c) { return S(a * b + c); }>);
  add("v_pk_mad_i16", eachPacked<[](S a, S b, S c) { return S(a * b + c); }>);
  add("v_pk_min_u16", eachPacked<[](S a, S b) { return std::min(a, b); }>);
  add("v_pk_max_u16", eachPacked<[](S a, S b) { return std::max(a, b); }>);
  add("v_pk_min_i16", eachPacked<[](I a, I b) { return std::min(a, b); }>);
  add("v_pk_max_i16", eachPacked<[](I a, I b) { return std::max(a, b); }>);
  add("v_pk_lshlrev_b16",
      eachPacked<[](S n, S a) { return S(a << (n & 15)); }>);
  add("v_pk_lshrrev_b16",
      eachPacked<[](S n, S a) { return S(a >> (n & 15)); }>);
  add("v_pk_ashrrev_i16",
      eachPacked<[](S n, I a) { return I(a >> (n & 15)); }>);
  // The low result is of the first source, the high one of the second; op_sel
  // picks for both.
  rows.push_back({"v_pk_mov_b32", [](Wave &wave, const Instruction &in) {
                    eachResult(wave, in, [&](unsigned lane) {
                      const uint32_t low =
                          packedSource<uint32_t>(wave, in, 0, false, lane);
                      const uint32_t high =
                          packedSource<uint32_t>(wave, in, 1, false, lane);
                      wave.setVector(in.operands.at(0).index, lane, low);
                      wave.setVector(in.operands[0].index + 1u, lane, high);
                    });
                  }});
  add("v_fma_mix_f32", mixed<0>);
  add("v_fma_mixlo_f16", mixed<1>);
  add("v_fma_mixhi_f16", mixed<2>);
  add("v_dot2_f32_f16", dot<H, F>);
  add("v_dot2c_f32_f16", dot<H, F>);
  add("v_dot4_i32_i8", dot<int8_t, int32_t>);
  add("v_dot4c_i32_i8", dot<int8_t, int32_t>);
  add("v_dot4_u32_u8", dot<uint8_t, uint32_t>);
  return rows;
}

} // namespace tz::amd::sim
