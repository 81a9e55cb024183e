//===- VectorInteger.cpp - integer arithmetic of lanes --------------------===//
//
// What   VALU on integers and bits.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/Rows.h"

#include <algorithm>
#include <limits>

namespace tz::amd::sim {

namespace {

/// A bit of the table for the bits of three words: their number has the first
/// one's highest.
template <typename T>
void anyOfThree(Wave &wave, const Instruction &in) {
  const auto table = uint32_t(in.modifier("bitop3"));
  eachResult(wave, in, [&](unsigned lane) {
    const T words[] = {source<T>(wave, in, 1, lane),
                       source<T>(wave, in, 2, lane),
                       source<T>(wave, in, 3, lane)};
    T out = 0;
    for (unsigned entry = 0; entry < 8; ++entry) {
      T these = table >> entry & 1 ? T(~T(0)) : T(0);
      for (unsigned i = 0; i < 3; ++i) {
        these = T(these & (entry >> (2 - i) & 1 ? words[i] : T(~words[i])));
      }
      out = T(out | these);
    }
    result(wave, in, 0, lane, out);
  });
}

using U = uint32_t;
using I = int32_t;
using L = uint64_t;

/// Sums and differences with a carry out, and perhaps one in: operand 1 is the
/// mask that is written, the last one the mask that is read.
template <int Kind, bool WithCarry> // Kind: 0 a+b, 1 a-b, 2 b-a
void sum(Wave &wave, const Instruction &in) {
  const L carries = WithCarry ? wave.mask(in.operands.at(4)) : 0;
  L out = 0;
  eachResult(wave, in, [&](unsigned lane) {
    U a = source<U>(wave, in, 2, lane), b = source<U>(wave, in, 3, lane);
    if (Kind == 2) {
      std::swap(a, b);
    }
    const L carry = carries >> lane & 1;
    const L wide = Kind == 0 ? L{a} + b + carry : L{a} - b - carry;
    out |= L{(wide >> 32) != 0} << lane;
    result(wave, in, 0, lane, U(wide));
  });
  wave.setMask(in.operands.at(1), out);
}

/// Sums and differences that the modifier "clamp" keeps in the type's range.
template <typename T, int Kind> // as of sum()
void plainSum(Wave &wave, const Instruction &in) {
  using Limits = std::numeric_limits<T>;
  eachResult(wave, in, [&](unsigned lane) {
    int64_t a = source<T>(wave, in, 1, lane), b = source<T>(wave, in, 2, lane);
    if (Kind == 2) {
      std::swap(a, b);
    }
    int64_t value = Kind == 0 ? a + b : a - b;
    if (in.clamp) {
      value = std::clamp<int64_t>(value, Limits::min(), Limits::max());
    }
    unclampedResult(wave, in, 0, lane, T(value));
  });
}

template <typename T>
void multiplyAdd64(Wave &wave, const Instruction &in) {
  L out = 0;
  eachResult(wave, in, [&](unsigned lane) {
    const T a = source<T>(wave, in, 2, lane), b = source<T>(wave, in, 3, lane);
    using Wide =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    using Narrow = std::conditional_t<std::is_signed_v<T>, int64_t, L>;
    const Wide wide = Wide(a) * b + Narrow(source<L>(wave, in, 4, lane));
    out |= L{wide != Wide(Narrow(wide))} << lane;
    resultFromLow(wave, in, lane, L(wide));
  });
  wave.setMask(in.operands.at(1), out);
}

/// The selector is VCC where the text names none.
template <typename T>
void select(Wave &wave, const Instruction &in) {
  const L mask = in.operands.size() > 3 ? wave.mask(in.operands[3])
                                        : wave.scalar64(scalar::Vcc);
  eachResult(wave, in, [&](unsigned lane) {
    // Signs of floats are legal here, so it is read as one.
    result(wave, in, 0, lane,
           source<T>(wave, in, mask >> lane & 1 ? 2 : 1, lane));
  });
}

template <bool High>
void countLanesBelow(Wave &wave, const Instruction &in) {
  eachResult(wave, in, [&](unsigned lane) {
    const L below = (L{1} << lane) - 1;
    const U mask = High ? U(below >> 32) : U(below);
    result(wave, in, 0, lane,
           U(std::popcount(source<U>(wave, in, 1, lane) & mask)) +
               source<U>(wave, in, 2, lane));
  });
}

U bytesByIndex(U high, U low, U select) {
  const L both = L{high} << 32 | low;
  U out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const U at = select >> (8 * i) & 0xFF;
    U byte = 0;
    if (at < 8) {
      byte = U(both >> (8 * at)) & 0xFF;
    } else if (at < 12) {
      // The sign of one of the words.
      byte = both >> (16 * (at - 8) + 15) & 1 ? 0xFF : 0;
    } else if (at != 12) {
      byte = 0xFF;
    }
    out |= byte << (8 * i);
  }
  return out;
}

/// Upper bits that are like the highest one, itself among them; -1: all are.
I signBits(U value) {
  const U other = I(value) < 0 ? ~value : value;
  return other ? std::countl_zero(other) : -1;
}

I low24(U value) { return I(value << 8) >> 8; }

template <typename T>
T middle(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

template <typename T>
void addExtremes(std::vector<Row> &rows, std::string type) {
  auto add = [&](const char *name, auto run) {
    rows.push_back({name + type, run});
  };
  add("v_min_", each<[](T a, T b) { return std::min(a, b); }>);
  add("v_max_", each<[](T a, T b) { return std::max(a, b); }>);
  add("v_min3_", each<[](T a, T b, T c) { return std::min({a, b, c}); }>);
  add("v_max3_", each<[](T a, T b, T c) { return std::max({a, b, c}); }>);
  add("v_med3_", each<[](T a, T b, T c) { return middle(a, b, c); }>);
  add("v_maxmin_",
      each<[](T a, T b, T c) { return std::min(std::max(a, b), c); }>);
  add("v_minmax_",
      each<[](T a, T b, T c) { return std::max(std::min(a, b), c); }>);
}

void addShort(std::vector<Row> &rows) {
  using S = uint16_t;
  auto add = [&](const char *name, auto run) { rows.push_back({name, run}); };
  constexpr auto times = [](S a, S b) { return S(a * b); };
  add("v_mul_lo_u16", each<times>);
  add("v_mad_u16", each<[](S a, S b, S c) { return S(a * b + c); }>);
  add("v_mad_legacy_u16", each<[](S a, S b, S c) { return S(a * b + c); }>);
  add("v_mad_i16", each<[](S a, S b, S c) { return S(a * b + c); }>);
  add("v_lshlrev_b16", each<[](S n, S a) { return S(a << (n & 15)); }>);
  add("v_lshrrev_b16", each<[](S n, S a) { return S(a >> (n & 15)); }>);
  add("v_ashrrev_i16",
      each<[](S n, int16_t a) { return int16_t(a >> (n & 15)); }>);
  add("v_and_b16", each<[](S a, S b) { return S(a & b); }>);
  add("v_or_b16", each<[](S a, S b) { return S(a | b); }>);
  add("v_xor_b16", each<[](S a, S b) { return S(a ^ b); }>);
  add("v_not_b16", each<[](S a) { return S(~a); }>);
  add("v_mov_b16", each<[](S a) { return a; }>);
}

void addBits(std::vector<Row> &rows) {
  auto add = [&](const char *name, auto run) { rows.push_back({name, run}); };
  add("v_mov_b32", each<[](U a) { return a; }>);
  add("v_mov_b64", eachFromLow<[](L a) { return a; }>);
  add("v_not_b32", each<[](U a) { return ~a; }>);
  add("v_and_b32", each<[](U a, U b) { return a & b; }>);
  add("v_or_b32", each<[](U a, U b) { return a | b; }>);
  add("v_xor_b32", each<[](U a, U b) { return a ^ b; }>);
  add("v_xnor_b32", each<[](U a, U b) { return ~(a ^ b); }>);
  add("v_and_or_b32", each<[](U a, U b, U c) { return (a & b) | c; }>);
  add("v_or3_b32", each<[](U a, U b, U c) { return a | b | c; }>);
  add("v_xor3_b32", each<[](U a, U b, U c) { return a ^ b ^ c; }>);
  add("v_lshl_or_b32", each<[](U a, U n, U c) { return a << (n & 31) | c; }>);
  add("v_lshlrev_b32", each<[](U n, U a) { return a << (n & 31); }>);
  add("v_lshrrev_b32", each<[](U n, U a) { return a >> (n & 31); }>);
  add("v_ashrrev_i32", each<[](U n, I a) { return a >> (n & 31); }>);
  add("v_lshlrev_b64", eachFromLow<[](U n, L a) { return a << (n & 63); }>);
  add("v_lshrrev_b64", each<[](U n, L a) { return a >> (n & 63); }>);
  add("v_ashrrev_i64", each<[](U n, int64_t a) { return a >> (n & 63); }>);
  add("v_bfe_u32", each<[](U a, U first, U width) {
        return (a >> (first & 31)) & U((L{1} << (width & 31)) - 1);
      }>);
  add("v_bfe_i32", each<[](I a, U first, U width) {
        const unsigned bits = width & 31, unused = 32 - bits;
        const I moved = a >> (first & 31);
        return bits == 0 ? 0 : I(U(moved) << unused) >> unused;
      }>);
  add("v_bitop3_b32", anyOfThree<uint32_t>);
  add("v_bitop3_b16", anyOfThree<uint16_t>);
  add("v_bfi_b32", each<[](U m, U a, U b) { return (m & a) | (~m & b); }>);
  add("v_bfm_b32", each<[](U width, U first) {
        return ((U{1} << (width & 31)) - 1) << (first & 31);
      }>);
  add("v_alignbit_b32",
      each<[](U a, U b, U n) { return U((L{a} << 32 | b) >> (n & 31)); }>);
  add("v_alignbyte_b32",
      each<[](U a, U b, U n) { return U((L{a} << 32 | b) >> (8 * (n & 3))); }>);
  add("v_perm_b32", each<[](U a, U b, U c) { return bytesByIndex(a, b, c); }>);
  add("v_bcnt_u32_b32", each<[](U a, U b) { return U(std::popcount(a)) + b; }>);
  add("v_bfrev_b32", each<[](U a) { return U(__builtin_bitreverse32(a)); }>);
  constexpr auto leading = [](U a) { return a ? std::countl_zero(a) : -1; };
  constexpr auto trailing = [](U a) { return a ? std::countr_zero(a) : -1; };
  add("v_ffbh_u32", each<leading>);
  add("v_clz_i32_u32", each<leading>);
  add("v_ffbl_b32", each<trailing>);
  add("v_ctz_i32_b32", each<trailing>);
  constexpr auto signs = [](U a) { return signBits(a); };
  add("v_ffbh_i32", each<signs>);
  add("v_cls_i32", each<signs>);
  add("v_mbcnt_lo_u32_b32", countLanesBelow<false>);
  add("v_mbcnt_hi_u32_b32", countLanesBelow<true>);
  add("v_cndmask_b32", select<float>);
  add("v_cndmask_b16", select<half>);
}

void addSums(std::vector<Row> &rows) {
  auto add = [&](std::string name, auto run, uint8_t destinations = 1) {
    rows.push_back({std::move(name), run, Class::Vector, destinations});
  };
  for (const char *middle : {"_", "_nc_"}) {
    const std::string add_ = std::string("v_add") + middle;
    const std::string sub_ = std::string("v_sub") + middle;
    const std::string reverse = std::string("v_subrev") + middle;
    add(add_ + "u32", plainSum<U, 0>);
    add(add_ + "i32", plainSum<I, 0>);
    add(sub_ + "u32", plainSum<U, 1>);
    add(sub_ + "i32", plainSum<I, 1>);
    add(reverse + "u32", plainSum<U, 2>);
    add(add_ + "u16", plainSum<uint16_t, 0>);
    add(add_ + "i16", plainSum<int16_t, 0>);
    add(sub_ + "u16", plainSum<uint16_t, 1>);
    add(sub_ + "i16", plainSum<int16_t, 1>);
    add(reverse + "u16", plainSum<uint16_t, 2>);
  }
  add("v_add_co_u32", sum<0, false>, 2);
  add("v_sub_co_u32", sum<1, false>, 2);
  add("v_subrev_co_u32", sum<2, false>, 2);
  add("v_addc_co_u32", sum<0, true>, 2);
  add("v_subb_co_u32", sum<1, true>, 2);
  add("v_subbrev_co_u32", sum<2, true>, 2);
  add("v_add_co_ci_u32", sum<0, true>, 2);
  add("v_sub_co_ci_u32", sum<1, true>, 2);
  add("v_subrev_co_ci_u32", sum<2, true>, 2);
  add("v_add3_u32", each<[](U a, U b, U c) { return a + b + c; }>);
  add("v_lshl_add_u32",
      each<[](U a, U n, U c) { return (a << (n & 31)) + c; }>);
  add("v_add_lshl_u32",
      each<[](U a, U b, U n) { return (a + b) << (n & 31); }>);
  add("v_xad_u32", each<[](U a, U b, U c) { return (a ^ b) + c; }>);
  add("v_lshl_add_u64",
      eachFromLow<[](L a, U n, L c) { return (a << (n & 7)) + c; }>);
  add("v_mul_lo_u32", each<[](U a, U b) { return a * b; }>);
  add("v_mul_hi_u32", each<[](U a, U b) { return U(L{a} * b >> 32); }>);
  add("v_mul_hi_i32", each<[](I a, I b) { return I(int64_t{a} * b >> 32); }>);
  add("v_mul_u32_u24",
      each<[](U a, U b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); }>);
  add("v_mul_i32_i24",
      each<[](U a, U b) { return U(low24(a)) * U(low24(b)); }>);
  add("v_mul_hi_u32_u24",
      each<[](U a, U b) { return U(L{a & 0xFFFFFF} * (b & 0xFFFFFF) >> 32); }>);
  add("v_mul_hi_i32_i24",
      each<[](U a, U b) { return I(int64_t{low24(a)} * low24(b) >> 32); }>);
  add("v_mad_u32_u24",
      each<[](U a, U b, U c) { return (a & 0xFFFFFF) * (b & 0xFFFFFF) + c; }>);
  add("v_mad_i32_i24",
      each<[](U a, U b, U c) { return U(low24(a)) * U(low24(b)) + c; }>);
  add("v_mad_u32_u16",
      each<[](uint16_t a, uint16_t b, U c) { return U(a) * b + c; }>);
  add("v_mad_i32_i16",
      each<[](int16_t a, int16_t b, U c) { return U(I(a) * b) + c; }>);
  add("v_sad_u32",
      each<[](U a, U b, U c) { return (a > b ? a - b : b - a) + c; }>);
  add("v_mad_u64_u32", multiplyAdd64<U>, 2);
  add("v_mad_i64_i32", multiplyAdd64<I>, 2);
}

} // namespace

std::vector<Row> vectorIntegerRows() {
  std::vector<Row> rows;
  addBits(rows);
  addSums(rows);
  addShort(rows);
  addExtremes<U>(rows, "u32");
  addExtremes<I>(rows, "i32");
  addExtremes<uint16_t>(rows, "u16");
  addExtremes<int16_t>(rows, "i16");
  return rows;
}

} // namespace tz::amd::sim
