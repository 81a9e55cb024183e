//===- MemoryForms.cpp - what a memory instruction moves ------------------===//
//
// What   See MemoryForms.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/MemoryForms.h"

#include "plugins/amd/simulator/execute/RealArithmetic.h"
#include "plugins/amd/simulator/execute/SmallFloats.h"

#include <cstring>

namespace tz::amd::sim {

std::span<const AccessForm> loadForms() {
  static constexpr AccessForm forms[] = {
      {"ubyte", "u8", 1},
      {"sbyte", "i8", 1, true},
      {"ushort", "u16", 2},
      {"sshort", "i16", 2, true},
      {"dword", "b32", 4},
      {"dwordx2", "b64", 8},
      {"dwordx3", "b96", 12},
      {"dwordx4", "b128", 16},
      {"ubyte_d16", "d16_u8", 1, false, true},
      {"ubyte_d16_hi", "d16_hi_u8", 1, false, true, true},
      {"sbyte_d16", "d16_i8", 1, true, true},
      {"sbyte_d16_hi", "d16_hi_i8", 1, true, true, true},
      {"short_d16", "d16_b16", 2, false, true},
      {"short_d16_hi", "d16_hi_b16", 2, false, true, true},
  };
  return forms;
}

std::span<const AccessForm> storeForms() {
  static constexpr AccessForm forms[] = {
      {"byte", "b8", 1},
      {"short", "b16", 2},
      {"dword", "b32", 4},
      {"dwordx2", "b64", 8},
      {"dwordx3", "b96", 12},
      {"dwordx4", "b128", 16},
      {"byte_d16_hi", "d16_hi_b8", 1, false, true, true},
      {"short_d16_hi", "d16_hi_b16", 2, false, true, true},
  };
  return forms;
}

void writeLoaded(Wave &wave, const Operand &to, unsigned lane,
                 const AccessForm &form, const uint8_t *bytes) {
  if (form.bytes >= 4) {
    for (unsigned i = 0; i < form.bytes / 4u; ++i) {
      uint32_t word;
      std::memcpy(&word, bytes + 4 * size_t{i}, 4);
      wave.setVector(to.index + i, lane, word);
    }
    return;
  }
  uint32_t value = bytes[0];
  if (form.bytes == 2) {
    value |= uint32_t{bytes[1]} << 8;
  }
  if (form.isSigned) {
    value =
        form.bytes == 1 ? uint32_t(int8_t(value)) : uint32_t(int16_t(value));
  }
  if (form.isHalf) {
    const uint32_t old = wave.vectors[size_t{to.index} * wave.lanes + lane];
    value = form.isHigh ? (old & 0xFFFF) | value << 16
                        : (old & 0xFFFF0000u) | (value & 0xFFFF);
  }
  wave.setVector(to.index, lane, value);
}

void readStored(Wave &wave, const Operand &from, unsigned lane,
                const AccessForm &form, uint8_t *bytes) {
  for (unsigned i = 0; i < (form.bytes + 3u) / 4u; ++i) {
    uint32_t word = wave.dword(from, i, lane);
    if (form.isHigh) {
      word >>= 16;
    }
    std::memcpy(bytes + 4 * size_t{i}, &word, 4);
  }
}

//===--- Atomics ----------------------------------------------------------===//

namespace {

template <typename T>
T as(uint64_t bits) {
  return std::bit_cast<T>(BitsOf<sizeof(T)>(bits));
}
template <typename T>
uint64_t bits(T value) {
  return std::bit_cast<BitsOf<sizeof(T)>>(value);
}
template <typename T, auto Lambda>
uint64_t compute(uint64_t old, uint64_t data, uint64_t) {
  return bits<T>(T(Lambda(as<T>(old), as<T>(data))));
}
template <typename T>
uint64_t exchangeIf(uint64_t old, uint64_t data, uint64_t expected) {
  return as<T>(old) == as<T>(expected) ? data : old;
}
uint64_t addHalves(uint64_t old, uint64_t data, uint64_t) {
  uint64_t out = 0;
  for (unsigned shift = 0; shift < 32; shift += 16) {
    out |= bits(half(as<half>(old >> shift) + as<half>(data >> shift)))
           << shift;
  }
  return out;
}
uint16_t toBf16(float value) {
  const uint32_t word = std::bit_cast<uint32_t>(value);
  return isNan(value) ? uint16_t(word >> 16 | 0x40)
                      : uint16_t((word + 0x7FFF + (word >> 16 & 1)) >> 16);
}
uint64_t addBf16(uint64_t old, uint64_t data, uint64_t) {
  uint64_t out = 0;
  for (unsigned shift = 0; shift < 32; shift += 16) {
    const float sum =
        fromBf16(uint16_t(old >> shift)) + fromBf16(uint16_t(data >> shift));
    out |= uint64_t{toBf16(sum)} << shift;
  }
  return out;
}

constexpr auto Plus = [](auto a, auto b) { return a + b; };
constexpr auto Minus = [](auto a, auto b) { return a - b; };
constexpr auto Back = [](auto a, auto b) { return b - a; };
constexpr auto Least = [](auto a, auto b) { return a < b ? a : b; };
constexpr auto Most = [](auto a, auto b) { return a > b ? a : b; };
constexpr auto Both = [](auto a, auto b) { return a & b; };
constexpr auto Either = [](auto a, auto b) { return a | b; };
constexpr auto One = [](auto a, auto b) { return a ^ b; };
constexpr auto Second = [](auto, auto b) { return b; };
constexpr auto WrapUp = [](auto a, auto b) { return a >= b ? 0 : a + 1; };
constexpr auto WrapDown = [](auto a, auto b) {
  return a == 0 || a > b ? b : a - 1;
};

} // namespace

std::span<const AtomicForm> atomicForms() {
  using U = uint32_t;
  using I = int32_t;
  using V = uint64_t;
  using W = int64_t;
  // Names of LDS on both processors, then those of memory on gfx9 and gfx11.
  static constexpr AtomicForm forms[] = {
      {"add_u32", 4, compute<U, Plus>},
      {"sub_u32", 4, compute<U, Minus>},
      {"rsub_u32", 4, compute<U, Back>},
      {"inc_u32", 4, compute<U, WrapUp>},
      {"dec_u32", 4, compute<U, WrapDown>},
      {"min_i32", 4, compute<I, Least>},
      {"max_i32", 4, compute<I, Most>},
      {"min_u32", 4, compute<U, Least>},
      {"max_u32", 4, compute<U, Most>},
      {"and_b32", 4, compute<U, Both>},
      {"or_b32", 4, compute<U, Either>},
      {"xor_b32", 4, compute<U, One>},
      {"wrxchg_b32", 4, compute<U, Second>},
      {"storexchg_b32", 4, compute<U, Second>},
      {"add_u64", 8, compute<V, Plus>},
      {"sub_u64", 8, compute<V, Minus>},
      {"inc_u64", 8, compute<V, WrapUp>},
      {"dec_u64", 8, compute<V, WrapDown>},
      {"min_i64", 8, compute<W, Least>},
      {"max_i64", 8, compute<W, Most>},
      {"min_u64", 8, compute<V, Least>},
      {"max_u64", 8, compute<V, Most>},
      {"and_b64", 8, compute<V, Both>},
      {"or_b64", 8, compute<V, Either>},
      {"xor_b64", 8, compute<V, One>},
      {"wrxchg_b64", 8, compute<V, Second>},
      {"storexchg_b64", 8, compute<V, Second>},
      {"add_f32", 4, compute<float, Plus>},
      {"min_f32", 4,
       compute<float, [](float a, float b) { return smaller(a, b); }>},
      {"max_f32", 4,
       compute<float, [](float a, float b) { return larger(a, b); }>},
      {"add_f64", 8, compute<double, Plus>},
      {"min_f64", 8,
       compute<double, [](double a, double b) { return smaller(a, b); }>},
      {"max_f64", 8,
       compute<double, [](double a, double b) { return larger(a, b); }>},
      {"pk_add_f16", 4, addHalves},
      {"pk_add_bf16", 4, addBf16},
      {"cmpst_b32", 4, exchangeIf<U>, true},
      {"cmpst_b64", 8, exchangeIf<V>, true},
      {"cmpstore_b32", 4, exchangeIf<U>, true, true},
      {"cmpstore_b64", 8, exchangeIf<V>, true, true},
      {"add", 4, compute<U, Plus>},
      {"sub", 4, compute<U, Minus>},
      {"inc", 4, compute<U, WrapUp>},
      {"dec", 4, compute<U, WrapDown>},
      {"smin", 4, compute<I, Least>},
      {"smax", 4, compute<I, Most>},
      {"umin", 4, compute<U, Least>},
      {"umax", 4, compute<U, Most>},
      {"and", 4, compute<U, Both>},
      {"or", 4, compute<U, Either>},
      {"xor", 4, compute<U, One>},
      {"swap", 4, compute<U, Second>},
      {"cmpswap", 4, exchangeIf<U>, true},
      {"add_x2", 8, compute<V, Plus>},
      {"sub_x2", 8, compute<V, Minus>},
      {"inc_x2", 8, compute<V, WrapUp>},
      {"dec_x2", 8, compute<V, WrapDown>},
      {"smin_x2", 8, compute<W, Least>},
      {"smax_x2", 8, compute<W, Most>},
      {"umin_x2", 8, compute<V, Least>},
      {"umax_x2", 8, compute<V, Most>},
      {"and_x2", 8, compute<V, Both>},
      {"or_x2", 8, compute<V, Either>},
      {"xor_x2", 8, compute<V, One>},
      {"swap_x2", 8, compute<V, Second>},
      {"cmpswap_x2", 8, exchangeIf<V>, true},
      {"swap_b32", 4, compute<U, Second>},
      {"swap_b64", 8, compute<V, Second>},
      {"cmpswap_b32", 4, exchangeIf<U>, true},
      {"cmpswap_b64", 8, exchangeIf<V>, true},
  };
  return forms;
}

uint64_t runAtomic(const AtomicForm &form, uint8_t *at, uint64_t data,
                   uint64_t expected) {
  uint64_t old = 0;
  std::memcpy(&old, at, form.bytes);
  const uint64_t now = form.compute(old, data, expected);
  std::memcpy(at, &now, form.bytes);
  return old;
}

} // namespace tz::amd::sim
