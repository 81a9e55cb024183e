//===- Scalar.cpp - scalar arithmetic -------------------------------------===//
//
// What   SALU: one value for the whole wave, and the bit SCC.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/Rows.h"

namespace tz::amd::sim {

namespace {

template <typename T>
T scalarSource(Wave &wave, const Instruction &in, unsigned at) {
  const Operand &operand = in.operands.at(at);
  if (operand.file == File::Immediate) {
    return T(constantBits(operand, sizeof(T), false));
  }
  if (operand.file != File::Scalar) {
    unsupportedForm(in, "an operand that is no scalar register");
  }
  uint64_t bits = wave.dword(operand, 0, 0);
  if (sizeof(T) == 8 && operand.dwords == 2) {
    bits |= uint64_t{wave.dword(operand, 1, 0)} << 32;
  }
  return T(bits);
}

template <typename T>
void scalarResult(Wave &wave, const Instruction &in, T value, unsigned at = 0) {
  const Operand &operand = in.operands.at(at);
  if constexpr (sizeof(T) == 8) {
    wave.setScalar64(operand.index, uint64_t(value));
  } else {
    wave.setScalar(operand.index, uint32_t(value));
  }
}

/// What SCC becomes.
enum class Sets : uint8_t { Nothing, NotZero };

template <auto Lambda, Sets Scc = Sets::Nothing>
void scalarEach(Wave &wave, const Instruction &in) {
  auto run = [&]<typename R, typename... S, size_t... At>(
                 R (*function)(S...), std::index_sequence<At...>) {
    const R value = function(scalarSource<S>(wave, in, unsigned(At + 1))...);
    scalarResult(wave, in, value);
    if constexpr (Scc == Sets::NotZero) {
      wave.setScc(value != 0);
    }
  };
  auto split = [&]<typename R, typename... S>(R (*function)(S...)) {
    run(function, std::index_sequence_for<S...>{});
  };
  split(+Lambda);
}

/// Sums and differences: SCC is the carry, or the signed overflow.
template <bool Subtracts, bool IsSigned, bool WithCarry>
void scalarSum(Wave &wave, const Instruction &in) {
  const uint32_t a = scalarSource<uint32_t>(wave, in, 1);
  const uint32_t b = scalarSource<uint32_t>(wave, in, 2);
  const uint64_t carry = WithCarry && wave.scc();
  const uint64_t wide =
      Subtracts ? uint64_t{a} - b - carry : a + uint64_t{b} + carry;
  const uint32_t sum = uint32_t(wide);
  scalarResult(wave, in, sum);
  if (IsSigned) {
    const uint32_t other = Subtracts ? ~b : b;
    wave.setScc(((a ^ sum) & (other ^ sum)) >> 31);
  } else {
    wave.setScc(wide >> 32 != 0);
  }
}

template <typename T, bool Largest>
void scalarExtreme(Wave &wave, const Instruction &in) {
  const T a = scalarSource<T>(wave, in, 1), b = scalarSource<T>(wave, in, 2);
  const bool first = Largest ? a > b : a < b;
  scalarResult(wave, in, first ? a : b);
  wave.setScc(first);
}

template <typename T>
void select(Wave &wave, const Instruction &in) {
  scalarResult(wave, in, scalarSource<T>(wave, in, wave.scc() ? 1 : 2));
}
template <typename T>
void moveIf(Wave &wave, const Instruction &in) {
  if (wave.scc()) {
    scalarResult(wave, in, scalarSource<T>(wave, in, 1));
  }
}
/// The constants of these are 16 bits with a sign.
int32_t shortConstant(const Instruction &in, unsigned at) {
  return int16_t(in.operands.at(at).integer);
}
void moveShort(Wave &wave, const Instruction &in) {
  scalarResult(wave, in, shortConstant(in, 1));
}
void moveShortIf(Wave &wave, const Instruction &in) {
  if (wave.scc()) {
    moveShort(wave, in);
  }
}
void addShort(Wave &wave, const Instruction &in) {
  const int32_t a = int32_t(scalarSource<uint32_t>(wave, in, 0));
  int32_t sum;
  wave.setScc(__builtin_add_overflow(a, shortConstant(in, 1), &sum));
  scalarResult(wave, in, sum);
}
void multiplyShort(Wave &wave, const Instruction &in) {
  scalarResult(wave, in,
               scalarSource<uint32_t>(wave, in, 0) *
                   uint32_t(shortConstant(in, 1)));
}

/// The mask of lanes is saved and changed.
template <typename T, auto Lambda>
void saveExec(Wave &wave, const Instruction &in) {
  const T old = T(wave.exec());
  const T now = T(Lambda(scalarSource<T>(wave, in, 1), old));
  scalarResult(wave, in, old);
  wave.setScalar(scalar::Exec, uint32_t(now));
  if (sizeof(T) == 8) {
    wave.setScalar(scalar::Exec + 1, uint32_t(uint64_t(now) >> 32));
  }
  wave.setScc(now != 0);
}

template <typename T, bool Sets>
void setBit(Wave &wave, const Instruction &in) {
  const T bit = T{1} << (scalarSource<uint32_t>(wave, in, 1) % (sizeof(T) * 8));
  const T old = scalarSource<T>(wave, in, 0);
  scalarResult(wave, in, Sets ? T(old | bit) : T(old & ~bit));
}
template <typename T, bool Wanted>
void testBit(Wave &wave, const Instruction &in) {
  const T bits = scalarSource<T>(wave, in, 0);
  const unsigned at = scalarSource<uint32_t>(wave, in, 1) % (sizeof(T) * 8);
  wave.setScc((bits >> at & 1) == Wanted);
}
/// SCC: the result is not 0.
template <typename T, bool Ones>
void countBits(Wave &wave, const Instruction &in) {
  const T value = scalarSource<T>(wave, in, 1);
  const int count = std::popcount(Ones ? value : T(~value));
  scalarResult(wave, in, count);
  wave.setScc(count != 0);
}

template <typename T, auto Lambda>
void compare(Wave &wave, const Instruction &in) {
  wave.setScc(
      Lambda(scalarSource<T>(wave, in, 0), scalarSource<T>(wave, in, 1)));
}
template <typename T, auto Lambda>
void compareShort(Wave &wave, const Instruction &in) {
  const T constant = std::is_signed_v<T>
                         ? T(shortConstant(in, 1))
                         : T(uint16_t(in.operands.at(1).integer));
  wave.setScc(Lambda(scalarSource<T>(wave, in, 0), constant));
}

template <typename T>
T field(T value, uint32_t control) {
  const unsigned bits = sizeof(T) * 8, first = control & (bits - 1);
  const unsigned width = control >> 16 & 0x7F;
  if (width == 0) {
    return 0;
  }
  const T moved = T(value >> first);
  if (first + width >= bits) {
    return moved;
  }
  const unsigned unused = bits - width;
  return T(T(std::make_unsigned_t<T>(moved) << unused) >> unused);
}

template <typename T>
T bitMask(uint32_t width, uint32_t first) {
  const unsigned bits = sizeof(T) * 8;
  return T(((T{1} << (width % bits)) - 1) << (first % bits));
}

template <unsigned Bits>
void shiftAndAdd(Wave &wave, const Instruction &in) {
  const uint64_t sum = (uint64_t{scalarSource<uint32_t>(wave, in, 1)} << Bits) +
                       scalarSource<uint32_t>(wave, in, 2);
  scalarResult(wave, in, uint32_t(sum));
  wave.setScc(sum >> 32 != 0);
}

int32_t leading(uint32_t value) { return value ? std::countl_zero(value) : -1; }
int32_t leading64(uint64_t value) {
  return value ? std::countl_zero(value) : -1;
}

/// Upper bits that are like the highest one, itself among them; -1: all are.
template <typename T>
int32_t signBits(T value) {
  const T other = value >> (sizeof(T) * 8 - 1) ? T(~value) : value;
  return other ? std::countl_zero(other) : -1;
}

constexpr auto NotZero = Sets::NotZero;

template <typename T>
std::vector<Row> bitRows(std::string type) {
  auto row = [&](const char *name, auto run) {
    return Row{name + type, run, Class::Scalar, 1};
  };
  return {
      row("s_mov_", scalarEach<[](T a) { return a; }>),
      row("s_cmov_", moveIf<T>),
      row("s_not_", scalarEach<[](T a) { return T(~a); }, NotZero>),
      row("s_and_", scalarEach<[](T a, T b) { return T(a & b); }, NotZero>),
      row("s_or_", scalarEach<[](T a, T b) { return T(a | b); }, NotZero>),
      row("s_xor_", scalarEach<[](T a, T b) { return T(a ^ b); }, NotZero>),
      row("s_andn2_", scalarEach<[](T a, T b) { return T(a & ~b); }, NotZero>),
      row("s_and_not1_",
          scalarEach<[](T a, T b) { return T(a & ~b); }, NotZero>),
      row("s_orn2_", scalarEach<[](T a, T b) { return T(a | ~b); }, NotZero>),
      row("s_or_not1_",
          scalarEach<[](T a, T b) { return T(a | ~b); }, NotZero>),
      row("s_nand_", scalarEach<[](T a, T b) { return T(~(a & b)); }, NotZero>),
      row("s_nor_", scalarEach<[](T a, T b) { return T(~(a | b)); }, NotZero>),
      row("s_xnor_", scalarEach<[](T a, T b) { return T(~(a ^ b)); }, NotZero>),
      row("s_lshl_", scalarEach<[](T a, uint32_t n) {
            return T(a << (n % (sizeof(T) * 8)));
          },
                                NotZero>),
      row("s_lshr_", scalarEach<[](T a, uint32_t n) {
            return T(a >> (n % (sizeof(T) * 8)));
          },
                                NotZero>),
      row("s_cselect_", select<T>),
      row("s_bfm_",
          scalarEach<[](uint32_t a, uint32_t b) { return bitMask<T>(a, b); }>),
      row("s_bitset0_", setBit<T, false>),
      row("s_bitset1_", setBit<T, true>),
      row("s_bcnt0_i32_", countBits<T, false>),
      row("s_bcnt1_i32_", countBits<T, true>),
      row("s_ff0_i32_", scalarEach<[](T a) {
            return a == T(~T(0)) ? -1 : std::countr_one(a);
          }>),
      row("s_ff1_i32_",
          scalarEach<[](T a) { return a == 0 ? -1 : std::countr_zero(a); }>),
      row("s_ctz_i32_",
          scalarEach<[](T a) { return a == 0 ? -1 : std::countr_zero(a); }>),
      row("s_brev_", scalarEach<[](T a) {
            T out = 0;
            for (unsigned i = 0; i < sizeof(T) * 8; ++i) {
              out = T(out << 1 | (a >> i & 1));
            }
            return out;
          }>),
      row("s_and_saveexec_", saveExec<T, [](T a, T e) { return a & e; }>),
      row("s_or_saveexec_", saveExec<T, [](T a, T e) { return a | e; }>),
      row("s_xor_saveexec_", saveExec<T, [](T a, T e) { return a ^ e; }>),
      row("s_andn2_saveexec_", saveExec<T, [](T a, T e) { return a & ~e; }>),
      row("s_and_not1_saveexec_", saveExec<T, [](T a, T e) { return a & ~e; }>),
      row("s_andn1_saveexec_", saveExec<T, [](T a, T e) { return ~a & e; }>),
      row("s_and_not0_saveexec_", saveExec<T, [](T a, T e) { return ~a & e; }>),
      row("s_orn2_saveexec_", saveExec<T, [](T a, T e) { return a | ~e; }>),
      row("s_or_not1_saveexec_", saveExec<T, [](T a, T e) { return a | ~e; }>),
      row("s_orn1_saveexec_", saveExec<T, [](T a, T e) { return ~a | e; }>),
      {"s_bitcmp0_" + type, testBit<T, false>, Class::Scalar, 0},
      {"s_bitcmp1_" + type, testBit<T, true>, Class::Scalar, 0},
  };
}

void addComparisons(std::vector<Row> &rows) {
  auto add = [&](const char *name, auto run) {
    rows.push_back({name, run, Class::Scalar, 0});
  };
#define COMPARE(TEXT, OPERATOR)                                                \
  add("s_cmp_" TEXT "_i32",                                                    \
      compare<int32_t, [](auto a, auto b) { return a OPERATOR b; }>);          \
  add("s_cmp_" TEXT "_u32",                                                    \
      compare<uint32_t, [](auto a, auto b) { return a OPERATOR b; }>);         \
  add("s_cmp_" TEXT "_u64",                                                    \
      compare<uint64_t, [](auto a, auto b) { return a OPERATOR b; }>);         \
  add("s_cmpk_" TEXT "_i32",                                                   \
      compareShort<int32_t, [](auto a, auto b) { return a OPERATOR b; }>);     \
  add("s_cmpk_" TEXT "_u32",                                                   \
      compareShort<uint32_t, [](auto a, auto b) { return a OPERATOR b; }>);
  COMPARE("eq", ==)
  COMPARE("lg", !=)
  COMPARE("gt", >)
  COMPARE("ge", >=)
  COMPARE("lt", <)
  COMPARE("le", <=)
#undef COMPARE
}

} // namespace

std::vector<Row> scalarRows() {
  std::vector<Row> rows = {
      {"s_add_u32", scalarSum<false, false, false>, Class::Scalar, 1},
      {"s_sub_u32", scalarSum<true, false, false>, Class::Scalar, 1},
      {"s_add_i32", scalarSum<false, true, false>, Class::Scalar, 1},
      {"s_sub_i32", scalarSum<true, true, false>, Class::Scalar, 1},
      {"s_addc_u32", scalarSum<false, false, true>, Class::Scalar, 1},
      {"s_subb_u32", scalarSum<true, false, true>, Class::Scalar, 1},
      {"s_min_i32", scalarExtreme<int32_t, false>, Class::Scalar, 1},
      {"s_max_i32", scalarExtreme<int32_t, true>, Class::Scalar, 1},
      {"s_min_u32", scalarExtreme<uint32_t, false>, Class::Scalar, 1},
      {"s_max_u32", scalarExtreme<uint32_t, true>, Class::Scalar, 1},
      {"s_movk_i32", moveShort, Class::Scalar, 1},
      {"s_cmovk_i32", moveShortIf, Class::Scalar, 1},
      {"s_addk_i32", addShort, Class::Scalar, 1},
      {"s_mulk_i32", multiplyShort, Class::Scalar, 1},
      {"s_lshl1_add_u32", shiftAndAdd<1>, Class::Scalar, 1},
      {"s_lshl2_add_u32", shiftAndAdd<2>, Class::Scalar, 1},
      {"s_lshl3_add_u32", shiftAndAdd<3>, Class::Scalar, 1},
      {"s_lshl4_add_u32", shiftAndAdd<4>, Class::Scalar, 1},
  };
  auto add = [&](const char *name, auto run) {
    rows.push_back({name, run, Class::Scalar, 1});
  };
  using U = uint32_t;
  add("s_ashr_i32",
      scalarEach<[](int32_t a, U n) { return a >> (n & 31); }, NotZero>);
  add("s_ashr_i64",
      scalarEach<[](int64_t a, U n) { return a >> (n & 63); }, NotZero>);
  add("s_mul_i32", scalarEach<[](U a, U b) { return a * b; }>);
  add("s_mul_hi_u32",
      scalarEach<[](U a, U b) { return U(uint64_t{a} * b >> 32); }>);
  add("s_mul_hi_i32", scalarEach<[](int32_t a, int32_t b) {
        return int32_t(int64_t{a} * b >> 32);
      }>);
  add("s_bfe_u32",
      scalarEach<[](U a, U n) { return field<U>(a, n); }, NotZero>);
  add("s_bfe_i32",
      scalarEach<[](int32_t a, U n) { return field<int32_t>(a, n); }, NotZero>);
  add("s_bfe_u64",
      scalarEach<[](uint64_t a, U n) { return field<uint64_t>(a, n); },
                 NotZero>);
  add("s_bfe_i64",
      scalarEach<[](int64_t a, U n) { return field<int64_t>(a, n); }, NotZero>);
  add("s_abs_i32",
      scalarEach<[](int32_t a) { return a < 0 ? U(0) - U(a) : U(a); },
                 NotZero>);
  add("s_absdiff_i32", scalarEach<[](int32_t a, int32_t b) {
        return a > b ? U(a) - U(b) : U(b) - U(a);
      },
                                  NotZero>);
  add("s_sext_i32_i8", scalarEach<[](U a) { return int32_t(int8_t(a)); }>);
  add("s_sext_i32_i16", scalarEach<[](U a) { return int32_t(int16_t(a)); }>);
  for (const char *name : {"s_flbit_i32", "s_cls_i32"}) {
    add(name, scalarEach<[](U a) { return signBits(a); }>);
  }
  for (const char *name : {"s_flbit_i32_i64", "s_cls_i32_i64"}) {
    add(name, scalarEach<[](uint64_t a) { return signBits(a); }>);
  }
  add("s_flbit_i32_b32", scalarEach<[](U a) { return leading(a); }>);
  add("s_clz_i32_u32", scalarEach<[](U a) { return leading(a); }>);
  add("s_flbit_i32_b64", scalarEach<[](uint64_t a) { return leading64(a); }>);
  add("s_clz_i32_u64", scalarEach<[](uint64_t a) { return leading64(a); }>);
  add("s_pack_ll_b32_b16",
      scalarEach<[](U a, U b) { return (a & 0xFFFF) | b << 16; }>);
  add("s_pack_lh_b32_b16",
      scalarEach<[](U a, U b) { return (a & 0xFFFF) | (b & 0xFFFF0000u); }>);
  add("s_pack_hh_b32_b16",
      scalarEach<[](U a, U b) { return a >> 16 | (b & 0xFFFF0000u); }>);
  add("s_pack_hl_b32_b16",
      scalarEach<[](U a, U b) { return a >> 16 | b << 16; }>);
  for (auto list : {bitRows<uint32_t>("b32"), bitRows<uint64_t>("b64")}) {
    rows.insert(rows.end(), list.begin(), list.end());
  }
  addComparisons(rows);
  return rows;
}

} // namespace tz::amd::sim
