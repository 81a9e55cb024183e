//===- Mfma.cpp - products of small matrices ------------------------------===//
//
// What   MFMA. All lanes take part whatever the mask says.
// Why    Sums of a product are exact or in double and rounded once to the sum's
//        type; the order of a device is not published.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/MatrixLayouts.h"
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/Rows.h"
#include "plugins/amd/simulator/execute/SmallFloats.h"

namespace tz::amd::sim {

namespace {

/// `isOcp`: of the formats of 8-bit floats.
double toDouble(Element element, uint64_t bits, bool isOcp) {
  switch (element) {
  case Element::F64:
    return std::bit_cast<double>(bits);
  case Element::F32:
    return std::bit_cast<float>(uint32_t(bits));
  case Element::Xf32:
    // 10 bits of the mantissa count.
    return std::bit_cast<float>(uint32_t(bits) & 0xFFFFE000u);
  case Element::F16:
    return double(std::bit_cast<half>(uint16_t(bits)));
  case Element::Bf16:
    return fromBf16(uint16_t(bits));
  case Element::Fp8:
    return isOcp ? fromOcp<3>(uint8_t(bits)) : fromFnuz<3>(uint8_t(bits));
  case Element::Bf8:
    return isOcp ? fromOcp<2>(uint8_t(bits)) : fromFnuz<2>(uint8_t(bits));
  case Element::I8:
    return int8_t(bits);
  case Element::I32:
    return int32_t(uint32_t(bits));
  }
  return 0;
}

/// Element `at` of a lane's registers, packed without gaps.
uint64_t elementBits(Wave &wave, const Operand &operand, Element element,
                     unsigned lane, unsigned at) {
  const unsigned bits = bitsOf(element);
  if (operand.file == File::Immediate) {
    return constantBits(operand, bits / 8, element != Element::I32);
  }
  if (bits == 64) {
    return wave.dword(operand, 2 * at, lane) |
           uint64_t{wave.dword(operand, 2 * at + 1, lane)} << 32;
  }
  const unsigned perDword = 32 / bits;
  return wave.dword(operand, at / perDword, lane) >> (at % perDword * bits);
}

std::vector<double> readSource(Wave &wave, const MatrixShape &shape,
                               const Operand &operand, Element element) {
  std::vector<double> out(size_t{shape.blocks} * shape.rows * shape.depth);
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned at = 0; at < shape.sourceElements(); ++at) {
      const MatrixPlace place = sourcePlace(shape, lane, at);
      out[(place.block * shape.rows + place.outer) * shape.depth +
          place.inner] =
          toDouble(element, elementBits(wave, operand, element, lane, at),
                   wave.environment.machine.hasOcpFloats);
    }
  }
  return out;
}

void writeSum(Wave &wave, const Operand &to, Element element, unsigned lane,
              unsigned at, double value) {
  if (element == Element::F64) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    wave.setVector(to.index + 2 * at, lane, uint32_t(bits));
    wave.setVector(to.index + 2 * at + 1, lane, uint32_t(bits >> 32));
    return;
  }
  const uint32_t bits = element == Element::I32
                            ? uint32_t(int64_t(value))
                            : std::bit_cast<uint32_t>(float(value));
  wave.setVector(to.index + at, lane, bits);
}

/// Signs of the operands (blgp of doubles, negations) and broadcasts of blocks
/// are not executed.
void refuseForms(const Instruction &in) {
  for (const char *what : {"cbsz", "abid", "blgp", "neg"}) {
    if (in.has(what)) {
      unsupportedForm(in, what);
    }
  }
}

void product(Wave &wave, const Instruction &in) {
  refuseForms(in);
  const MatrixShape &shape = matrixShapes()[in.row->detail];
  wave.tainted = false;
  const auto a = readSource(wave, shape, in.operands.at(1), shape.a);
  const auto b = readSource(wave, shape, in.operands.at(2), shape.b);
  const bool isTainted = wave.tainted;
  std::vector<double> sums;
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned at = 0; at < shape.sumElements(); ++at) {
      const MatrixPlace place = sumPlace(shape, lane, at);
      const double *row =
          &a[(place.block * shape.rows + place.outer) * shape.depth];
      const double *column =
          &b[(place.block * shape.columns + place.inner) * shape.depth];
      double sum = toDouble(
          shape.sum, elementBits(wave, in.operands.at(3), shape.sum, lane, at),
          wave.environment.machine.hasOcpFloats);
      for (unsigned k = 0; k < shape.depth; ++k) {
        sum = std::fma(row[k], column[k], sum);
      }
      sums.push_back(sum);
    }
  }
  wave.tainted |= isTainted;
  const double *next = sums.data();
  for (unsigned lane = 0; lane < 64; ++lane) {
    for (unsigned at = 0; at < shape.sumElements(); ++at) {
      writeSum(wave, in.operands.at(0), shape.sum, lane, at, *next++);
    }
  }
}

} // namespace

std::vector<Row> matrixRows() {
  std::vector<Row> rows;
  for (size_t i = 0; i < matrixShapes().size(); ++i) {
    rows.push_back({std::string(matrixShapes()[i].name), product, Class::Matrix,
                    1, uint16_t(i)});
  }
  return rows;
}

} // namespace tz::amd::sim
