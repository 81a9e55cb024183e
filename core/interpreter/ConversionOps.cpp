//===- ConversionOps.cpp - between element types --------------------------===//
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

/// Sets a result that is off by as much as the operand; by anything where the
/// bound reaches past what the narrower of the two types holds.
bool setSameInteger(Machine &m, const Instruction &in, TileValue result,
                    bool isSigned) {
  const TileValue &source = m.operand(in, 0);
  if (source.errors()) {
    const unsigned width =
        std::min(widthOf(source.kind()), widthOf(in.resultKind));
    const double low =
        isSigned ? -std::ldexp(1.0, static_cast<int>(width) - 1) : 0.0;
    const double high = low + std::ldexp(1.0, static_cast<int>(width));
    Floats errors = errorLanes(source);
    Signed lanes = signedLanes(source);
    Unsigned bits = unsignedLanes(source);
    for (size_t i = 0; i < errors.size(); ++i) {
      const double value = isSigned ? static_cast<double>(lanes[i])
                                    : static_cast<double>(bits[i]);
      const bool stays = value - errors[i] >= low && value + errors[i] < high;
      if (errors[i] != 0 && !stays) {
        errors[i] = source.kind() == Kind::I1 ? 1 : Unknown;
      }
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
  return true;
}

bool extendSigned(Machine &m, const Instruction &in) {
  Signed lanes = signedLanes(m.operand(in, 0));
  return setSameInteger(
      m, in, fromIntegers(in.resultKind, Unsigned(lanes.begin(), lanes.end())),
      /*isSigned=*/true);
}

bool extendUnsigned(Machine &m, const Instruction &in) {
  return setSameInteger(
      m, in, fromIntegers(in.resultKind, unsignedLanes(m.operand(in, 0))),
      /*isSigned=*/false);
}

bool truncateInteger(Machine &m, const Instruction &in) {
  return setSameInteger( // fromIntegers keeps the low bits
      m, in, fromIntegers(in.resultKind, unsignedLanes(m.operand(in, 0))),
      /*isSigned=*/true);
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
    Floats errors = errorLanes(source), lanes = floatLanes(source);
    for (size_t i = 0; i < errors.size(); ++i) {
      errors[i] = afterRounding(m, in.resultKind, lanes[i], errors[i],
                                zero ? RoundTo::Zero : RoundTo::NearestEven);
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
  TileValue result = fromFloats(in.resultKind, out);
  if (hasErrors(m.operand(in, 0))) {
    Floats errors = errorLanes(m.operand(in, 0));
    const bool isBool = m.operand(in, 0).kind() == Kind::I1;
    for (size_t i = 0; i < errors.size(); ++i) {
      const double given = isBool ? std::min(errors[i], 1.0) : errors[i];
      errors[i] = afterRounding(m, in.resultKind, out[i], given);
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
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
  TileValue result = fromIntegers(in.resultKind, out);
  if (m.operand(in, 0).errors()) {
    Floats errors = errorLanes(m.operand(in, 0));
    for (size_t i = 0; i < lanes.size(); ++i) {
      auto number = [&](double at) {
        const uint64_t word = saturate(at, low, bits);
        return isSigned ? static_cast<double>(static_cast<int64_t>(word))
                        : static_cast<double>(word);
      };
      errors[i] = propagatedError(number, lanes[i], errors[i]);
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
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
  table["arith.trunci"] = truncateInteger;
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
  table["tile.bitcast"] = unknownIfInexact<bitcast>;
  table["tile.ptr_to_int"] = unknownIfInexact<bitcast>;
  table["tile.int_to_ptr"] = unknownIfInexact<bitcast>;
}

} // namespace tz::interpreter
