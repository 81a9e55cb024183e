//===- Errors.h - bounds of what a correct target may answer ----*- C++ -*-===//
//
// What   Per lane, how far a correct target's value may be from the
//        interpreter's: a running error analysis (Options::trackErrors).
// Why    A tolerance that is derived needs no guess: it is tight where a kernel
//        only copies, and grows with the terms of a sum where it must.
//
// Rules  E1 A correctly rounded op on exact operands is exact. On others, the
//        target's value before rounding lies in [x - p, x + p], p being what
//        the operands bring along; rounding is monotone, so its result lies
//        between the rounded ends.
//        E2 A product may be fused into a sum: it may also come unrounded. Where
//        it overflows only when it is rounded, nothing is known of the sum.
//        E3 Math adds its row of Tolerances.def (P13), at the far end of p.
//        E4 A sum of n terms in any order is off by at most (n - 1) u times
//        sum (|x| + e), u the unit roundoff of the accumulator, besides what our
//        own order is off (SumBound.h); matrix products and atomics, which also
//        round products or meet old values, by g(n) = n u / (1 - n u) times it.
//        E5 Integers and conditions carry bounds, too: a comparison that the
//        bounds could turn is Unknown, and selecting by it costs the distance
//        of the two arms.
//        E6 Unknown is no number: the target may answer anything. So may it
//        where x and x +- p do not agree on being infinite or NaN.
//        E7 Regions that round otherwise than a sum or a product (reduce, scan)
//        are taken to round as often as a chain of all their terms, each time
//        by a ULP: half for our order, half for the other. Products in another
//        grouping lie in other binades: half a unit roundoff more each. Of a
//        product that leaves the range in another grouping nothing is known
//        (ProductBound.h).
//        E8 What is added to a matrix product without accumulator may be its
//        accumulator: each addition of the product may round at its size.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_ERRORS_H
#define TERRAZZO_CORE_INTERPRETER_ERRORS_H

#include "core/interpreter/Machine.h"
#include "core/interpreter/Tolerances.h"

#include <cmath>

namespace tz::interpreter {

/// No bound.
constexpr double Unknown = HUGE_VAL;

/// The bounds of a value's lanes; one zero for all if it is exact.
Floats errorLanes(const TileValue &value);
/// Gives a value its bounds; none if all are zero. A finite float whose bound
/// reaches past the largest one gets Unknown (E6).
void attachErrors(TileValue &value, Floats lanes);
inline bool hasErrors(const TileValue &value) { return value.errors(); }
/// Some lane has a bound other than zero. (Bounds of zero are not kept.)
bool anyErrors(const Machine &m, const Instruction &in);

/// A magnitude times an error; an exact operand adds nothing to anything.
inline double scaled(double magnitude, double error) {
  return error == 0 ? 0 : std::fabs(magnitude) * error;
}

/// The bound after a correctly rounded op that gave `exact` before rounding
/// and whose operands brought along `propagated` (E1).
double afterRounding(const Machine &m, Kind kind, double exact,
                     double propagated,
                     RoundTo rounding = RoundTo::NearestEven);
/// The same for an op that may be off by `ulps` besides, and may give zero for
/// a denormal.
double afterUlps(Kind kind, double exact, double propagated, double ulps);
/// Unit roundoff: half a ULP of 1.
double unitRoundoff(Kind kind);
/// g(n) of E4.
double growth(Kind kind, double roundings);
/// How an addition that `value` goes into may be made by the product that
/// `value` is (E8).
struct Accumulation {
  double roundings = 0; ///< of the product's sums; 0: it is no such product
  double inexact = 0;   ///< what the sums lose besides, relatively
  /// How far that may be from the product, which may be off by `error`, and
  /// `addend` added after.
  double off(Kind kind, double error, double addend, double addendError) const;
};
Accumulation accumulationOf(const Machine &m, mlir::Value value);
/// The largest finite value; infinite for types that saturate.
double largestOf(Kind kind);
/// The least normal value.
double leastNormalOf(Kind kind);

/// The result of fn over [x - e, x + e] is at most so far from fn(x), for a
/// function that is monotone there.
template <typename Function>
double propagatedError(Function fn, double x, double e) {
  if (e == 0) {
    return 0;
  }
  const double y = fn(x), low = fn(x - e), high = fn(x + e);
  const auto same = [&](double end) {
    return end == y || (std::isnan(end) && std::isnan(y));
  };
  if (e == Unknown) {
    return Unknown;
  }
  if (same(low) && same(high)) {
    return 0; // also infinities and NaN
  }
  const double off = std::max(std::fabs(low - y), std::fabs(high - y));
  return std::isnan(low) || std::isnan(high) || !std::isfinite(off) ? Unknown
                                                                    : off;
}

/// Runs a handler that only moves elements a second time, on the bounds.
/// Operands from `firstControl` on say which elements: if they are inexact, no
/// bound is known.
template <Handler handler, unsigned firstControl = ~0u>
bool moveWithErrors(Machine &m, const Instruction &in) {
  if (!anyErrors(m, in)) {
    return handler(m, in);
  }
  llvm::SmallVector<TileValue, 3> operands;
  bool isKnown = true;
  for (unsigned i = 0; i < in.operands.size(); ++i) {
    operands.push_back(m.valueIn(in.operands[i]));
    isKnown = isKnown && (i < firstControl || !hasErrors(operands[i]));
  }
  if (!handler(m, in)) {
    return false;
  }
  llvm::SmallVector<TileValue, 2> results;
  for (uint32_t slot : in.results) {
    results.push_back(m.valueIn(slot));
  }
  for (unsigned i = 0; i < operands.size() && i < firstControl; ++i) {
    const TileValue *errors = operands[i].errors();
    m.setValue(in.operands[i],
               errors ? *errors : TileValue(Kind::F64, operands[i].count()));
  }
  const bool done = handler(m, in);
  for (unsigned i = 0; done && i < results.size(); ++i) {
    Floats lanes = floatLanes(m.valueIn(in.results[i]));
    if (!isKnown) {
      lanes.assign(lanes.size(), Unknown);
    }
    attachErrors(results[i], std::move(lanes));
    m.setValue(in.results[i], results[i]);
  }
  for (unsigned i = 0; i < operands.size(); ++i) {
    m.setValue(in.operands[i], operands[i]);
  }
  return done;
}

/// Runs a handler that does not look at bounds: if an operand has any, the
/// results' lanes (all of them, where lanes do not correspond) are unknown.
template <Handler handler>
bool unknownIfInexact(Machine &m, const Instruction &in) {
  if (!anyErrors(m, in)) {
    return handler(m, in);
  }
  Floats errors(1, 0.0);
  for (uint32_t slot : in.operands) {
    Floats lanes = errorLanes(m.valueIn(slot));
    if (lanes.size() > errors.size()) {
      errors.resize(lanes.size(), errors[0]);
    }
    for (size_t i = 0; i < errors.size(); ++i) {
      errors[i] = errors[i] != 0 || laneOf(lanes, i) != 0 ? Unknown : 0.0;
    }
  }
  if (!handler(m, in)) {
    return false;
  }
  for (uint32_t slot : in.results) {
    TileValue result = m.valueIn(slot);
    const bool fits = result.count() == static_cast<int64_t>(errors.size());
    attachErrors(result, fits ? errors : Floats(result.count(), Unknown));
    m.setValue(slot, std::move(result));
  }
  return true;
}

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_ERRORS_H
