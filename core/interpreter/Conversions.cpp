//===- Conversions.cpp - between element types ----------------------------===//
//
// What   Extension, truncation, int <-> float, bitcast, pointers as integers.
// Why    Every one rounds once: an i64 that no double holds is rounded to odd
//        on its way to a narrower float.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Errors.h"

#include <cmath>

using namespace mlir;

namespace tz::interpreter {

namespace {

bool extendSigned(Machine &m, const Instruction &in) {
  Signed lanes = signedLanes(m.operand(in, 0));
  m.setResult(
      in, fromIntegers(in.resultKind, Unsigned(lanes.begin(), lanes.end())));
  return true;
}

bool extendUnsigned(Machine &m, const Instruction &in) {
  m.setResult(in, fromIntegers(in.resultKind, unsignedLanes(m.operand(in, 0))));
  return true;
}

bool extendFloat(Machine &m, const Instruction &in) {
  const TileValue &source = m.operand(in, 0);
  TileValue result = fromFloats(in.resultKind, floatLanes(source));
  if (source.errors()) {
    result.setErrors(*source.errors());
  }
  m.setResult(in, std::move(result));
  return true;
}

bool truncateFloat(Machine &m, const Instruction &in) {
  const bool zero =
      cast<tile::TruncFOp>(in.op).getRounding() == tile::Rounding::rtz;
  const TileValue &source = m.operand(in, 0);
  TileValue result = fromFloats(in.resultKind, floatLanes(source),
                                zero ? RoundTo::Zero : RoundTo::NearestEven);
  if (source.errors()) {
    Floats errors = errorLanes(source), lanes = floatLanes(result);
    for (size_t i = 0; i < errors.size(); ++i) {
      errors[i] = afterRounding(m, in.resultKind, lanes[i], errors[i]);
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
  return true;
}

/// The double nearest to `value`, or the odd one beside it if the result is
/// rounded again. `Integer` is the 64-bit type of the lane.
template <typename Integer>
double fromInteger(Integer value, bool roundedAgain) {
  const auto nearest = static_cast<double>(value);
  if (!roundedAgain) {
    return nearest;
  }
  const __int128 error =
      static_cast<__int128>(value) - static_cast<__int128>(nearest);
  return roundToOdd(nearest, static_cast<double>(error));
}

template <typename Lanes>
bool integerToFloat(Machine &m, const Instruction &in, const Lanes &lanes) {
  Floats out(lanes.size());
  for (size_t i = 0; i < lanes.size(); ++i) {
    out[i] = fromInteger(lanes[i], in.resultKind != Kind::F64);
  }
  m.setResult(in, fromFloats(in.resultKind, out));
  return true;
}

/// Truncates and saturates to [low, 2^bits - 1]; NaN gives 0 (P15).
uint64_t saturate(double value, double low, unsigned bits) {
  if (std::isnan(value)) {
    return 0;
  }
  const double limit = std::ldexp(1.0, static_cast<int>(bits));
  if (value >= limit) {
    return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  }
  if (value <= low) {
    return static_cast<uint64_t>(static_cast<int64_t>(low));
  }
  return value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value))
                   : static_cast<uint64_t>(value);
}

bool floatToInteger(Machine &m, const Instruction &in) {
  const unsigned width = widthOf(in.resultKind);
  const bool isSigned = isa<tile::FPToSIOp>(in.op);
  const unsigned bits = isSigned ? width - 1 : width;
  const double low =
      isSigned ? -std::ldexp(1.0, static_cast<int>(width) - 1) : 0.0;
  Floats lanes = floatLanes(m.operand(in, 0));
  Unsigned out(lanes.size());
  for (size_t i = 0; i < lanes.size(); ++i) {
    out[i] = saturate(lanes[i], low, bits);
  }
  if (m.operand(in, 0).errors()) {
    Floats errors = errorLanes(m.operand(in, 0));
    for (size_t i = 0; i < lanes.size(); ++i) {
      const bool turns =
          std::trunc(lanes[i] - errors[i]) != std::trunc(lanes[i] + errors[i]);
      m.report.undecided += turns ? 1 : 0;
    }
  }
  m.setResult(in, fromIntegers(in.resultKind, out));
  return true;
}

bool bitcast(Machine &m, const Instruction &in) {
  m.setResult(in, m.operand(in, 0).recast(in.resultKind));
  return true;
}

} // namespace

void addConversionHandlers(HandlerTable &table) {
  table["arith.extsi"] = extendSigned;
  table["arith.extui"] = extendUnsigned;
  table["arith.trunci"] = extendUnsigned; // fromIntegers keeps the low bits
  table["arith.extf"] = extendFloat;
  table["tile.truncf"] = truncateFloat;
  table["tile.sitofp"] = [](Machine &m, const Instruction &in) {
    return integerToFloat(m, in, signedLanes(m.operand(in, 0)));
  };
  table["tile.uitofp"] = [](Machine &m, const Instruction &in) {
    return integerToFloat(m, in, unsignedLanes(m.operand(in, 0)));
  };
  table["tile.fptosi"] = floatToInteger;
  table["tile.fptoui"] = floatToInteger;
  table["tile.bitcast"] = bitcast;
  table["tile.ptr_to_int"] = bitcast;
  table["tile.int_to_ptr"] = bitcast;
}

} // namespace tz::interpreter
