//===- FloatOps.cpp - float arithmetic, comparison, math ------------------===//
//
// What   arith and tile ops on floats, on double lanes.
// Why    + - x / and sqrt of f32 and narrower, done in double and rounded once
//        more, equal one correct rounding: 53 >= 2 * 24 + 2. fma does not, so
//        its sum is rounded to odd first.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Machine.h"
#include "core/interpreter/Math.h"

#include <cmath>

#pragma STDC FP_CONTRACT OFF

using namespace mlir;

namespace tz::interpreter {

namespace {

template <typename Body>
bool binary(Machine &m, const Instruction &in, Body body) {
  Floats a = floatLanes(m.operand(in, 0)), b = floatLanes(m.operand(in, 1));
  Floats out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = body(laneOf(a, i), laneOf(b, i));
  }
  m.setResult(in, fromFloats(in.resultKind, out));
  return true;
}

#define TZ_FLOAT(expression)                                                   \
  [](Machine &m, const Instruction &in) {                                      \
    return binary(m, in,                                                       \
                  [](double a, double b) -> double { return expression; });    \
  }

/// Minimum (maximum: of the negated order). A NaN wins or loses (P18).
double least(double a, double b, bool propagateNan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (propagateNan) {
      return std::isnan(a) ? a : b;
    }
    return std::isnan(a) ? b : a;
  }
  if (a == b) {
    return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}

bool minimum(Machine &m, const Instruction &in) {
  const bool nan = cast<tile::MinFOp>(in.op).getPropagateNan();
  return binary(m, in, [&](double a, double b) { return least(a, b, nan); });
}

bool maximum(Machine &m, const Instruction &in) {
  const bool nan = cast<tile::MaxFOp>(in.op).getPropagateNan();
  return binary(m, in, [&](double a, double b) { return -least(-a, -b, nan); });
}

/// a * b + c with one rounding, for f32 and narrower: the product is exact in
/// double, the sum is rounded to odd.
double fusedNarrow(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  return roundToOdd(sum, error);
}

bool fusedMultiplyAdd(Machine &m, const Instruction &in) {
  Floats a = floatLanes(m.operand(in, 0)), b = floatLanes(m.operand(in, 1)),
         c = floatLanes(m.operand(in, 2));
  Floats out(std::max({a.size(), b.size(), c.size()}));
  const bool isDouble = in.resultKind == Kind::F64;
  for (size_t i = 0; i < out.size(); ++i) {
    const double x = laneOf(a, i), y = laneOf(b, i), z = laneOf(c, i);
    out[i] = isDouble ? std::fma(x, y, z) : fusedNarrow(x, y, z);
  }
  m.setResult(in, fromFloats(in.resultKind, out));
  return true;
}

/// Flips or clears the sign bit, so a NaN keeps its payload.
template <bool kClear>
bool changeSign(Machine &m, const Instruction &in) {
  const TileValue &source = m.operand(in, 0);
  const Kind kind = in.resultKind;
  const unsigned bits = kind == Kind::E2M1 ? 4 : 8 * bytesOf(kind);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const bool oneZero = kind == Kind::E4M3FNUZ || kind == Kind::E5M2FNUZ;
  TileValue result(kind, source.count());
  for (int64_t i = 0; i < source.count(); ++i) {
    const uint64_t code = source.bitsAt(i);
    const bool keep = oneZero && (code & ~sign) == 0; // zero and NaN
    result.setBits(i, keep ? code : kClear ? code & ~sign : code ^ sign);
  }
  m.setResult(in, std::move(result));
  return true;
}

bool math(Machine &m, const Instruction &in) {
  const tile::MathFn fn = cast<tile::MathOp>(in.op).getFn();
  if (fn == tile::MathFn::abs) {
    return changeSign<true>(m, in);
  }
  Floats lanes = floatLanes(m.operand(in, 0));
  for (double &lane : lanes) {
    lane = evaluate(fn, in.resultKind, lane);
  }
  m.setResult(in, fromFloats(in.resultKind, lanes));
  return true;
}

bool raise(Machine &m, const Instruction &in) {
  return binary(m, in,
                [&](double a, double b) { return power(in.resultKind, a, b); });
}

bool holds(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  const bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

bool compareFloats(Machine &m, const Instruction &in) {
  const auto predicate = cast<arith::CmpFOp>(in.op).getPredicate();
  Floats a = floatLanes(m.operand(in, 0)), b = floatLanes(m.operand(in, 1));
  Unsigned out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = holds(predicate, laneOf(a, i), laneOf(b, i)) ? 1 : 0;
  }
  m.setResult(in, fromIntegers(Kind::I1, out));
  return true;
}

} // namespace

void addFloatHandlers(HandlerTable &table) {
  table["arith.addf"] = TZ_FLOAT(a + b);
  table["arith.subf"] = TZ_FLOAT(a - b);
  table["arith.mulf"] = TZ_FLOAT(a * b);
  table["tile.divf"] = TZ_FLOAT(a / b);
  table["tile.remf"] = TZ_FLOAT(std::fmod(a, b));
  table["tile.minf"] = minimum;
  table["tile.maxf"] = maximum;
  table["tile.fma"] = fusedMultiplyAdd;
  table["tile.math"] = math;
  table["tile.pow"] = raise;
  table["arith.negf"] = changeSign<false>;
  table["arith.cmpf"] = compareFloats;
}

} // namespace tz::interpreter
