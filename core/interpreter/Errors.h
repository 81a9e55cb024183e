//===- Errors.h - bounds of what a correct target may answer ----*- C++ -*-===//
//
// What   Per lane of a float tile, how far a correct target's value may be from
//        the interpreter's: a running error analysis (Options::trackErrors).
// Why    A tolerance that is derived needs no guess: it is tight where a kernel
//        only copies, and grows with the terms of a sum where it must.
//
// Rules  A correctly rounded op on exact operands is exact; on others it adds
//        1 ULP. A product may be fused into a sum: half a ULP. Math adds its
//        row of the ULP table (P13). A sum of n terms in any order adds n * u *
//        sum |x|, u the unit roundoff of the accumulator.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_ERRORS_H
#define TERRAZZO_CORE_INTERPRETER_ERRORS_H

#include "core/interpreter/Machine.h"

namespace tz::interpreter {

/// The bounds of a value's lanes; one zero for all if it is exact.
Floats errorLanes(const TileValue &value);
/// Gives a float value its bounds; none if all are zero.
void attachErrors(TileValue &value, Floats lanes);

/// The bound after a correctly rounded op whose operands contributed
/// `propagated`.
double afterRounding(const Machine &m, Kind kind, double result,
                     double propagated);
/// ULPs that a target may be off in `fn` at `x` (P13).
double mathUlps(tile::MathFn fn, double x);
constexpr double kPowUlps = 16;
/// Unit roundoff: half a ULP of 1.
double unitRoundoff(Kind kind);
/// Relative error that an input precision adds to a product of f32.
double productError(tile::Precision precision);

/// The result of fn over [x - e, x + e] is at most so far from fn(x), for a
/// function that is monotone there.
template <typename Function>
double propagatedError(Function fn, double x, double e) {
  if (e == 0) {
    return 0;
  }
  const double y = fn(x);
  return std::max(std::fabs(fn(x - e) - y), std::fabs(fn(x + e) - y));
}

/// Runs a handler that only moves elements a second time, on the bounds.
template <Handler handler>
bool moveWithErrors(Machine &m, const Instruction &in) {
  bool any = false;
  for (unsigned i = 0; m.options.trackErrors && i < in.operands.size(); ++i) {
    any = any || m.operand(in, i).errors();
  }
  if (!any) {
    return handler(m, in);
  }
  llvm::SmallVector<TileValue, 3> operands;
  for (uint32_t slot : in.operands) {
    operands.push_back(m.valueIn(slot));
  }
  if (!handler(m, in)) {
    return false;
  }
  llvm::SmallVector<TileValue, 2> results;
  for (uint32_t slot : in.results) {
    results.push_back(m.valueIn(slot));
  }
  for (unsigned i = 0; i < operands.size(); ++i) {
    if (isFloat(operands[i].kind())) {
      const TileValue *errors = operands[i].errors();
      m.setValue(in.operands[i],
                 errors ? *errors : TileValue(Kind::F64, operands[i].count()));
    }
  }
  const bool done = handler(m, in);
  for (unsigned i = 0; done && i < results.size(); ++i) {
    attachErrors(results[i], floatLanes(m.valueIn(in.results[i])));
    m.setValue(in.results[i], results[i]);
  }
  for (unsigned i = 0; i < operands.size(); ++i) {
    m.setValue(in.operands[i], operands[i]);
  }
  return done;
}

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_ERRORS_H
