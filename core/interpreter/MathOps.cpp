//===- MathOps.cpp - elementary functions and signs -----------------------===//
//
// What   tile.math, tile.pow, arith.negf and their bounds.
// Why    Their bounds come from the ULP table and from how steep the function
//        is over the operand's range, not from rounding alone.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Compare.h"
#include "core/interpreter/Errors.h"
#include "core/interpreter/ReferenceMath.h"

#pragma STDC FP_CONTRACT OFF

using namespace mlir;

namespace tz::interpreter {

namespace {

/// Flips or clears the sign bit, so a NaN keeps its payload.
template <bool Clears>
bool changeSign(Machine &m, const Instruction &in) {
  const TileValue &source = m.operand(in, 0);
  const Kind kind = in.resultKind;
  const unsigned bits = kind == Kind::F4E2M1FN ? 4 : 8 * bytesOf(kind);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const bool oneZero = kind == Kind::F8E4M3FNUZ || kind == Kind::F8E5M2FNUZ;
  TileValue result(kind, source.count());
  for (int64_t i = 0; i < source.count(); ++i) {
    const uint64_t code = source.bitsAt(i);
    const bool keep = oneZero && (code & ~sign) == 0; // zero and NaN
    result.setBits(i, keep ? code : Clears ? code & ~sign : code ^ sign);
  }
  if (source.errors()) {
    result.setErrors(*source.errors());
  }
  m.setResult(in, std::move(result));
  return true;
}

/// How far fn over [x - e, x + e] gets from fn(x).
double reachOf(tile::MathFn fn, Kind kind, double x, double e) {
  using tile::MathFn;
  auto function = [&](double at) { return evaluate(fn, kind, at); };
  if (e == 0) {
    return 0;
  }
  double reach = 0;
  switch (fn) {
  case MathFn::sin:
  case MathFn::cos: // steepness at most 1, never leaves [-1, 1]
    reach = std::isfinite(x) ? std::min(e, 2.0) : Unknown;
    break;
  case MathFn::tan: { // monotone between poles
    constexpr double pi = 3.14159265358979323846;
    const bool hasPole =
        !(std::floor((x - e) / pi - 0.5) == std::floor((x + e) / pi - 0.5));
    reach = hasPole ? Unknown : propagatedError(function, x, e);
    break;
  }
  default: // the others are monotone where they are defined
    reach = propagatedError(function, x, e);
  }
  // In f64 the ends were rounded themselves.
  return kind == Kind::F64 ? reach + ulpOf(kind, function(x)) : reach;
}

double mathBound(Machine &m, Kind kind, tile::MathFn fn, double x, double e,
                 double exact) {
  if (!std::isfinite(x) && e == 0) {
    return 0; // the same everywhere: exp(-inf) = 0
  }
  const double reach = reachOf(fn, kind, x, e);
  const double ulps = mathUlps(fn, std::fabs(x) + e);
  return ulps == 0 ? afterRounding(m, kind, exact, reach)
                   : afterUlps(kind, exact, reach, ulps);
}

bool math(Machine &m, const Instruction &in) {
  const tile::MathFn fn = cast<tile::MathOp>(in.op).getFn();
  if (fn == tile::MathFn::abs) {
    return changeSign<true>(m, in);
  }
  const TileValue &source = m.operand(in, 0);
  Floats lanes = floatLanes(source), out(lanes.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = evaluate(fn, in.resultKind, lanes[i]);
  }
  TileValue result = fromFloats(in.resultKind, out);
  if (m.options.trackErrors) {
    Floats given = errorLanes(source), errors(out.size());
    for (size_t i = 0; i < out.size(); ++i) {
      errors[i] =
          mathBound(m, in.resultKind, fn, lanes[i], laneOf(given, i), out[i]);
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
  return true;
}

/// x^y is monotone in each operand where x > 0: its ends are at the corners.
double powerBound(Kind kind, double x, double ex, double y, double ey,
                  double exact) {
  if ((!std::isfinite(x) || !std::isfinite(y)) && ex == 0 && ey == 0) {
    return 0;
  }
  double reach = 0;
  if (ex != 0 || ey != 0) {
    // A negative base has a power for whole exponents only.
    const bool isWhole =
        ey == 0 && std::trunc(y) == y && y >= 0 && std::fabs(x) > ex;
    if (!(x - ex > 0) && !isWhole) {
      return Unknown;
    }
    for (double base : {x - ex, x + ex}) {
      for (double exponent : {y - ey, y + ey}) {
        const double off = std::fabs(power(kind, base, exponent) - exact);
        reach = std::isfinite(off) ? std::max(reach, off) : Unknown;
      }
    }
    reach += kind == Kind::F64 ? ulpOf(kind, exact) : 0;
  }
  return afterUlps(kind, exact, reach, powUlps());
}

bool raise(Machine &m, const Instruction &in) {
  const TileValue &base = m.operand(in, 0), &exponent = m.operand(in, 1);
  Floats x = floatLanes(base), y = floatLanes(exponent);
  Floats out(std::max(x.size(), y.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = power(in.resultKind, laneOf(x, i), laneOf(y, i));
  }
  TileValue result = fromFloats(in.resultKind, out);
  if (m.options.trackErrors) {
    Floats ex = errorLanes(base), ey = errorLanes(exponent);
    Floats errors(out.size());
    for (size_t i = 0; i < out.size(); ++i) {
      errors[i] = powerBound(in.resultKind, laneOf(x, i), laneOf(ex, i),
                             laneOf(y, i), laneOf(ey, i), out[i]);
    }
    attachErrors(result, std::move(errors));
  }
  m.setResult(in, std::move(result));
  return true;
}

} // namespace

void addMathHandlers(HandlerTable &table) {
  table["tile.math"] = math;
  table["tile.pow"] = raise;
  table["arith.negf"] = changeSign<false>;
}

} // namespace tz::interpreter
