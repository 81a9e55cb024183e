//===- FloatOps.cpp - float arithmetic and comparison ---------------------===//
//
// What   arith and tile ops on floats, on double lanes, each with its bound.
// Why    + - x / and sqrt of f32 and narrower, done in double and rounded once
//        more, equal one correct rounding: 53 >= 2 * 24 + 2. fma does not, so
//        its sum is rounded to odd first.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Compare.h"
#include "core/interpreter/Errors.h"

#include <cmath>
#include <limits>

#pragma STDC FP_CONTRACT OFF

using namespace mlir;

namespace tz::interpreter {

namespace {

/// Operands of one lane with their bounds, and the result before and after
/// rounding.
struct Lane {
  double a, b, ea, eb, exact, result;

  bool isExact() const { return ea == 0 && eb == 0; }
};

/// The bound of an op on an infinity or a NaN: all corners of the operands'
/// ranges give the same, or anything is possible.
template <typename Body>
double boundAtInfinity(Body body, const Lane &l) {
  if (l.isExact()) {
    return 0;
  }
  for (double a : {l.a - l.ea, l.a + l.ea}) {
    for (double b : {l.b - l.eb, l.b + l.eb}) {
      const double corner = body(a, b);
      const bool same =
          corner == l.exact || (std::isnan(corner) && std::isnan(l.exact));
      if (!same || l.ea == Unknown || l.eb == Unknown) {
        return Unknown;
      }
    }
  }
  return 0;
}

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
      const Lane lane{laneOf(a, i),  laneOf(b, i), laneOf(ea, i),
                      laneOf(eb, i), out[i],       rounded[i]};
      errors[i] = std::isfinite(lane.a) && std::isfinite(lane.b)
                      ? bound(lane)
                      : boundAtInfinity(body, lane);
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
  return true;
}

bool add(Machine &m, const Instruction &in) {
  Accumulation left, right;
  if (m.options.trackErrors) {
    left = accumulationOf(m, in.op->getOperand(0));
    right = accumulationOf(m, in.op->getOperand(1));
  }
  return binary(
      m, in, [](double a, double b) { return a + b; },
      [&](const Lane &l) {
        const double accumulated =
            std::max(left.off(in.resultKind, l.ea, l.b, l.eb),
                     right.off(in.resultKind, l.eb, l.a, l.ea));
        return afterRounding(m, in.resultKind, l.exact,
                             l.ea + l.eb + accumulated);
      });
}

bool subtract(Machine &m, const Instruction &in) {
  return binary(
      m, in, [](double a, double b) { return a - b; },
      [&](const Lane &l) {
        return afterRounding(m, in.resultKind, l.exact, l.ea + l.eb);
      });
}

double productBound(const Lane &l) {
  return scaled(l.a, l.eb) + scaled(l.b, l.ea) + scaled(l.ea, l.eb);
}

/// What rounding took away from the product, at most.
double productRounding(const Lane &l) {
  const double lost = std::fabs(std::fma(l.a, l.b, -l.result));
  // Of a small product of f64 it is too small for a double.
  const bool isTiny = std::fabs(l.result) < std::ldexp(1.0, -960);
  return lost == 0 && isTiny && l.a != 0 && l.b != 0
             ? std::numeric_limits<double>::denorm_min()
             : lost;
}

/// By what may be a sum, also behind a change of shape; not only stored.
bool isUsed(const Instruction &in) {
  return llvm::any_of(in.op->getUsers(), [](Operation *user) {
    return !isa<tile::StoreOp, tile::StoreViewOp>(user);
  });
}

bool multiply(Machine &m, const Instruction &in) {
  return binary(
      m, in, [](double a, double b) { return a * b; },
      [&](const Lane &l) {
        const double propagated = productBound(l);
        const double rounded =
            afterRounding(m, in.resultKind, l.exact, propagated);
        if (!m.contract) {
          return rounded;
        }
        if (std::isinf(l.result)) {
          // Unrounded it is finite, and so may the sum be.
          return std::isfinite(l.a) && std::isfinite(l.b) && isUsed(in)
                     ? Unknown
                     : rounded;
        }
        return std::max(rounded, propagated + productRounding(l)); // E2
      });
}

bool divide(Machine &m, const Instruction &in) {
  const bool approx =
      cast<tile::DivFOp>(in.op).getMode() == tile::DivMode::approx;
  return binary(
      m, in, [](double a, double b) { return a / b; },
      [&](const Lane &l) {
        const double divisor = std::fabs(l.b) - l.eb; // at least
        double propagated = 0;
        if (!l.isExact()) {
          propagated =
              divisor > 0 ? (l.ea + scaled(l.exact, l.eb)) / divisor : Unknown;
        }
        return approx ? afterUlps(in.resultKind, l.exact, propagated,
                                  divisionUlps())
                      : afterRounding(m, in.resultKind, l.exact, propagated);
      });
}

bool remainder(Machine &m, const Instruction &in) {
  return binary(
      m, in, [](double a, double b) { return std::fmod(a, b); },
      [&](const Lane &l) {
        if (l.isExact()) {
          return 0.0;
        }
        const double divisor = std::fabs(l.b) - l.eb;
        if (!(divisor > 0)) {
          return Unknown;
        }
        const double quotient = l.a / l.b;
        const double off = (l.ea + scaled(quotient, l.eb)) / divisor;
        if (std::trunc(quotient - off) == std::trunc(quotient + off)) {
          return afterRounding(m, in.resultKind, l.exact,
                               l.ea + scaled(std::trunc(quotient), l.eb));
        }
        // Near a multiple of b it jumps, inside (-|b|, |b|).
        return std::fabs(l.exact) + std::fabs(l.b) + l.eb;
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

/// The larger of two inexact numbers; one that is surely smaller does not
/// matter, however inexact.
double boundOfLarger(const Lane &l) {
  if (l.isExact()) {
    return 0;
  }
  const double low = std::max(l.a - l.ea, l.b - l.eb);
  const double high = std::max(l.a + l.ea, l.b + l.eb);
  const double larger = std::max(l.a, l.b);
  return std::max(high - larger, larger - low);
}

/// As `boundOfLarger`, for numbers of which one is an infinity or a NaN.
double boundOfLargerAtInfinity(const Lane &l, bool propagateNan) {
  auto other = [&](double x, double ex, double ey) {
    if (std::isnan(x)) { // exact: it loses, or it wins
      return ex != 0 ? Unknown : propagateNan ? 0.0 : ey;
    }
    if (x == HUGE_VAL) {
      return ex;
    }
    return ex != 0 ? Unknown : ey; // -infinity
  };
  if (!std::isfinite(l.a) && !std::isfinite(l.b)) {
    return l.isExact() ? 0 : Unknown;
  }
  return std::isfinite(l.a) ? other(l.b, l.eb, l.ea) : other(l.a, l.ea, l.eb);
}

/// `sign` -1: the minimum, as a maximum of negated numbers.
bool extremum(Machine &m, const Instruction &in, bool propagateNan,
              double sign) {
  const TileValue &lhs = m.operand(in, 0), &rhs = m.operand(in, 1);
  Floats a = floatLanes(lhs), b = floatLanes(rhs);
  Floats out(std::max(a.size(), b.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] =
        -sign * least(-sign * laneOf(a, i), -sign * laneOf(b, i), propagateNan);
  }
  TileValue result = fromFloats(in.resultKind, out);
  if (anyErrors(m, in)) {
    Floats ea = errorLanes(lhs), eb = errorLanes(rhs), errors(out.size());
    for (size_t i = 0; i < out.size(); ++i) {
      const Lane lane{sign * laneOf(a, i), sign * laneOf(b, i), laneOf(ea, i),
                      laneOf(eb, i),       sign * out[i],       sign * out[i]};
      errors[i] = std::isfinite(lane.a) && std::isfinite(lane.b)
                      ? boundOfLarger(lane)
                      : boundOfLargerAtInfinity(lane, propagateNan);
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
  return true;
}

bool minimum(Machine &m, const Instruction &in) {
  return extremum(m, in, cast<tile::MinFOp>(in.op).getPropagateNan(), -1);
}

bool maximum(Machine &m, const Instruction &in) {
  return extremum(m, in, cast<tile::MaxFOp>(in.op).getPropagateNan(), 1);
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
  if (anyErrors(m, in)) {
    Floats ea = errorLanes(m.operand(in, 0)), eb = errorLanes(m.operand(in, 1)),
           ec = errorLanes(m.operand(in, 2));
    Floats errors(out.size());
    for (size_t i = 0; i < out.size(); ++i) {
      const Lane lane{laneOf(a, i),  laneOf(b, i), laneOf(ea, i),
                      laneOf(eb, i), out[i],       out[i]};
      const double ez = laneOf(ec, i);
      const bool isPlain = std::isfinite(lane.a) && std::isfinite(lane.b) &&
                           std::isfinite(laneOf(c, i));
      errors[i] = isPlain ? afterRounding(m, in.resultKind, out[i],
                                          productBound(lane) + ez)
                  : lane.isExact() && ez == 0 ? 0
                                              : Unknown;
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
  return true;
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
  TileValue result = fromIntegers(Kind::I1, out);
  if (anyErrors(m, in)) {
    Floats ea = errorLanes(m.operand(in, 0)), eb = errorLanes(m.operand(in, 1));
    Floats errors(out.size());
    for (size_t i = 0; i < out.size(); ++i) {
      const double x = laneOf(a, i), y = laneOf(b, i);
      const double error = laneOf(ea, i) + laneOf(eb, i);
      // A NaN decides alone; an infinity is far from every finite number.
      const bool hasNan = (std::isnan(x) && laneOf(ea, i) == 0) ||
                          (std::isnan(y) && laneOf(eb, i) == 0);
      errors[i] =
          error == 0 || hasNan || std::fabs(x - y) > error ? 0 : Unknown;
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
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
  table["arith.cmpf"] = compareFloats;
}

} // namespace tz::interpreter
