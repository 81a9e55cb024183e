//===- FloatOps.cpp - float arithmetic, comparison, math ------------------===//
//
// What   arith and tile ops on floats, on double lanes.
// Why    + - x / and sqrt of f32 and narrower, done in double and rounded once
//        more, equal one correct rounding: 53 >= 2 * 24 + 2. fma does not, so
//        its sum is rounded to odd first.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Compare.h"
#include "core/interpreter/Errors.h"
#include "core/interpreter/Math.h"

#include <cmath>

#pragma STDC FP_CONTRACT OFF

using namespace mlir;

namespace tz::interpreter {

namespace {

/// Operands of one lane with their bounds, and the result.
struct Lane {
  double a, b, ea, eb, result;
};

/// `body(a, b)` on all lanes; `bound(lane)` is how far the result may be off.
template <typename Body, typename Bound>
bool binary(Machine &m, const Instruction &in, Body body, Bound bound) {
  const TileValue &lhs = m.operand(in, 0), &rhs = m.operand(in, 1);
  Floats a = floatLanes(lhs), b = floatLanes(rhs);
  Floats out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = body(laneOf(a, i), laneOf(b, i));
  }
  TileValue result = fromFloats(in.resultKind, out);
  if (m.options.trackErrors) {
    Floats ea = errorLanes(lhs), eb = errorLanes(rhs);
    Floats rounded = floatLanes(result), errors(out.size());
    for (size_t i = 0; i < out.size(); ++i) {
      errors[i] = bound(Lane{laneOf(a, i), laneOf(b, i), laneOf(ea, i),
                             laneOf(eb, i), rounded[i]});
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
  return true;
}

bool add(Machine &m, const Instruction &in) {
  return binary(
      m, in, [](double a, double b) { return a + b; },
      [&](const Lane &l) {
        return afterRounding(m, in.resultKind, l.result, l.ea + l.eb);
      });
}

bool subtract(Machine &m, const Instruction &in) {
  return binary(
      m, in, [](double a, double b) { return a - b; },
      [&](const Lane &l) {
        return afterRounding(m, in.resultKind, l.result, l.ea + l.eb);
      });
}

double productBound(const Lane &l) {
  return std::fabs(l.a) * l.eb + std::fabs(l.b) * l.ea + l.ea * l.eb;
}

bool multiply(Machine &m, const Instruction &in) {
  return binary(
      m, in, [](double a, double b) { return a * b; },
      [&](const Lane &l) {
        const double propagated = productBound(l);
        return propagated == 0 && m.contract
                   ? ulpOf(in.resultKind, l.result) / 2
                   : afterRounding(m, in.resultKind, l.result, propagated);
      });
}

bool divide(Machine &m, const Instruction &in) {
  const bool approx =
      cast<tile::DivFOp>(in.op).getMode() == tile::DivMode::approx;
  return binary(
      m, in, [](double a, double b) { return a / b; },
      [&](const Lane &l) {
        const double divisor = std::fabs(l.b) - l.eb; // at least
        const double propagated =
            l.ea == 0 && l.eb == 0
                ? 0.0
                : (divisor > 0 ? (l.ea + std::fabs(l.result) * l.eb) / divisor
                               : HUGE_VAL);
        return approx ? propagated + 2.5 * ulpOf(in.resultKind, l.result)
                      : afterRounding(m, in.resultKind, l.result, propagated);
      });
}

bool remainder(Machine &m, const Instruction &in) {
  return binary(
      m, in, [](double a, double b) { return std::fmod(a, b); },
      [&](const Lane &l) {
        if (l.ea == 0 && l.eb == 0) {
          return 0.0;
        }
        ++m.report.undecided; // near a multiple of b, it jumps
        return l.ea + std::fabs(std::trunc(l.a / l.b)) * l.eb +
               ulpOf(in.resultKind, l.result);
      });
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
  return binary(
      m, in, [&](double a, double b) { return least(a, b, nan); },
      [](const Lane &l) { return std::max(l.ea, l.eb); });
}

bool maximum(Machine &m, const Instruction &in) {
  const bool nan = cast<tile::MaxFOp>(in.op).getPropagateNan();
  return binary(
      m, in, [&](double a, double b) { return -least(-a, -b, nan); },
      [](const Lane &l) { return std::max(l.ea, l.eb); });
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
  TileValue result = fromFloats(in.resultKind, out);
  if (m.options.trackErrors) {
    Floats ea = errorLanes(m.operand(in, 0)), eb = errorLanes(m.operand(in, 1)),
           ec = errorLanes(m.operand(in, 2));
    Floats rounded = floatLanes(result), errors(out.size());
    for (size_t i = 0; i < out.size(); ++i) {
      const Lane lane{laneOf(a, i), laneOf(b, i), laneOf(ea, i), laneOf(eb, i),
                      rounded[i]};
      errors[i] = afterRounding(m, in.resultKind, rounded[i],
                                productBound(lane) + laneOf(ec, i));
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
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
  if (source.errors()) {
    result.setErrors(*source.errors());
  }
  m.setResult(in, std::move(result));
  return true;
}

/// How far fn of a value within `e` of `x` may be from `result` on a target.
double mathBound(Machine &m, Kind kind, tile::MathFn fn, double x, double e,
                 double result) {
  using tile::MathFn;
  auto function = [&](double at) { return evaluate(fn, kind, at); };
  const bool steps = fn == MathFn::floor || fn == MathFn::ceil ||
                     fn == MathFn::trunc || fn == MathFn::rint;
  const bool waves = fn == MathFn::sin || fn == MathFn::cos;
  const double propagated =
      waves ? std::min(e, 2.0) : propagatedError(function, x, e);
  if (steps) {
    m.report.undecided += propagated != 0 ? 1 : 0;
    return propagated;
  }
  const double ulps = mathUlps(fn, x);
  if (ulps == 0) {
    return afterRounding(m, kind, result, propagated);
  }
  // Denormal results may be flushed (P13).
  const double least =
      kind == Kind::F64 ? 0 : ulpOf(kind, 0) / unitRoundoff(kind);
  const double flushed = std::fabs(result) < least ? std::fabs(result) : 0;
  return propagated + ulps * ulpOf(kind, result) + flushed;
}

bool math(Machine &m, const Instruction &in) {
  const tile::MathFn fn = cast<tile::MathOp>(in.op).getFn();
  if (fn == tile::MathFn::abs) {
    return changeSign<true>(m, in);
  }
  const TileValue &source = m.operand(in, 0);
  Floats lanes = floatLanes(source), out(lanes.size());
  auto function = [&](double x) { return evaluate(fn, in.resultKind, x); };
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = function(lanes[i]);
  }
  TileValue result = fromFloats(in.resultKind, out);
  if (m.options.trackErrors) {
    Floats given = errorLanes(source), errors(out.size());
    for (size_t i = 0; i < out.size(); ++i) {
      errors[i] = mathBound(m, in.resultKind, fn, lanes[i], laneOf(given, i),
                            decodeFloat(in.resultKind, result.bitsAt(i)));
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
  return true;
}

bool raise(Machine &m, const Instruction &in) {
  const Kind kind = in.resultKind;
  return binary(
      m, in, [&](double a, double b) { return power(kind, a, b); },
      [&](const Lane &l) {
        auto ofBase = [&](double x) { return power(kind, x, l.b); };
        auto ofExponent = [&](double y) { return power(kind, l.a, y); };
        return propagatedError(ofBase, l.a, l.ea) +
               propagatedError(ofExponent, l.b, l.eb) +
               kPowUlps * ulpOf(kind, l.result);
      });
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
  if (m.options.trackErrors) {
    Floats ea = errorLanes(m.operand(in, 0)), eb = errorLanes(m.operand(in, 1));
    for (size_t i = 0; i < out.size(); ++i) {
      const double error = laneOf(ea, i) + laneOf(eb, i);
      m.report.undecided +=
          error != 0 && std::fabs(laneOf(a, i) - laneOf(b, i)) <= error ? 1 : 0;
    }
  }
  m.setResult(in, fromIntegers(Kind::I1, out));
  return true;
}

} // namespace

void addFloatHandlers(HandlerTable &table) {
  table["arith.addf"] = add;
  table["arith.subf"] = subtract;
  table["arith.mulf"] = multiply;
  table["tile.divf"] = divide;
  table["tile.remf"] = remainder;
  table["tile.minf"] = minimum;
  table["tile.maxf"] = maximum;
  table["tile.fma"] = fusedMultiplyAdd;
  table["tile.math"] = math;
  table["tile.pow"] = raise;
  table["arith.negf"] = changeSign<false>;
  table["arith.cmpf"] = compareFloats;
}

} // namespace tz::interpreter
