//===- Wmma.cpp - products of small matrices, waves of 32 lanes -----------===//
//
// What   WMMA of gfx11: 16 x 16 x 16. All lanes take part whatever the mask
//        says.
// Why    Lane l holds row l % 16 of A and column l % 16 of B with all 16
//        elements along the depth, so both halves of a wave hold the same (RDNA3
//        manual of the instruction set, "Wave Matrix Multiply Accumulate"). A
//        wave whose halves differ is told. Sums are in double and rounded once;
//        the order of a device is not published.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/decode/Text.h"
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/Rows.h"
#include "plugins/amd/simulator/execute/SmallFloats.h"

namespace tz::amd::sim {

namespace {

constexpr unsigned Side = 16;
enum class Source : uint8_t { F16, Bf16, I8, I4 };

unsigned bitsOf(Source kind) {
  return kind == Source::I4 ? 4 : kind == Source::I8 ? 8 : 16;
}

double toDouble(Source kind, uint32_t bits, bool isSigned) {
  switch (kind) {
  case Source::F16:
    return double(std::bit_cast<half>(uint16_t(bits)));
  case Source::Bf16:
    return fromBf16(uint16_t(bits));
  case Source::I8:
    return isSigned ? double(int8_t(bits)) : double(bits & 0xFF);
  case Source::I4:
    return isSigned ? double(int32_t(bits << 28) >> 28) : double(bits & 0xF);
  }
  return 0;
}

/// The 16 x 16 elements of operand `at`, a row of A or a column of B together.
std::vector<double> readSource(Wave &wave, const Instruction &in, unsigned at,
                               Source kind) {
  const Operand &operand = in.operands.at(at);
  if (operand.file != File::Vector) {
    unsupportedForm(in, "a constant as a matrix");
  }
  const unsigned bits = bitsOf(kind), perDword = 32 / bits;
  const bool isSigned = (in.negLo >> (at - 1) & 1) != 0;
  std::vector<double> out(size_t{Side} * Side);
  for (unsigned row = 0; row < Side; ++row) {
    for (unsigned k = 0; k < Side; ++k) {
      const uint32_t word = wave.dword(operand, k / perDword, row);
      if (word != wave.dword(operand, k / perDword, row + Side)) {
        wave.found(Found::Matrix,
                   text("lanes {} and {} hold different dwords {} of matrix "
                        "{}; both halves of a wave must hold the same",
                        row, row + Side, k / perDword, at == 1 ? "A" : "B"));
      }
      out[row * Side + k] =
          toDouble(kind, word >> (k % perDword * bits), isSigned);
    }
  }
  return out;
}

/// Register r of lane l is row 2 r + l / 16, column l % 16 of the sums.
template <Source Kind, typename Sum>
void product(Wave &wave, const Instruction &in) {
  constexpr bool isInteger = std::is_integral_v<Sum>;
  if (in.clamp || in.negHi != 0 || (!isInteger && in.negLo != 0)) {
    unsupportedForm(in, "a sign or a clamp");
  }
  wave.tainted = false;
  const auto a = readSource(wave, in, 1, Kind),
             b = readSource(wave, in, 2, Kind);
  const Operand &to = in.operands.at(0), &add = in.operands.at(3);
  const bool isTainted = wave.tainted;
  // Sources and sums may share registers: all is read before any is written.
  std::vector<Sum> sums;
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    for (unsigned at = 0; at < Side / 2; ++at) {
      const double *row = &a[(2 * at + lane / Side) * size_t{Side}];
      const double *column = &b[lane % Side * size_t{Side}];
      const uint32_t bits = add.file == File::Immediate
                                ? uint32_t(constantBits(add, 4, !isInteger))
                                : wave.dword(add, at, lane);
      double sum = double(std::bit_cast<Sum>(bits));
      for (unsigned k = 0; k < Side; ++k) {
        sum = std::fma(row[k], column[k], sum);
      }
      sums.push_back(isInteger ? Sum(uint32_t(int64_t(sum))) : Sum(sum));
    }
  }
  wave.tainted |= isTainted;
  const Sum *next = sums.data();
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    for (unsigned at = 0; at < Side / 2; ++at) {
      wave.setVector(to.index + at, lane, std::bit_cast<uint32_t>(*next++));
    }
  }
}

} // namespace

std::vector<Row> waveMatrixRows() {
  return {
      {"v_wmma_f32_16x16x16_f16", product<Source::F16, float>, Class::Matrix},
      {"v_wmma_f32_16x16x16_bf16", product<Source::Bf16, float>, Class::Matrix},
      {"v_wmma_i32_16x16x16_iu8", product<Source::I8, int32_t>, Class::Matrix},
      {"v_wmma_i32_16x16x16_iu4", product<Source::I4, int32_t>, Class::Matrix},
  };
}

} // namespace tz::amd::sim
