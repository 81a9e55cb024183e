//===- Errors.cpp - bounds of what a correct target may answer ------------===//
//
// What   The ULP table and the shadow of bounds beside memory.
// Why    See Errors.h.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Errors.h"

#include "core/interpreter/Compare.h"

#include <cmath>
#include <limits>

namespace tz::interpreter {

Floats errorLanes(const TileValue &value) {
  return value.errors() ? floatLanes(*value.errors()) : Floats{0.0};
}

void attachErrors(TileValue &value, Floats lanes) {
  Floats values = floatLanes(value);
  bool any = false;
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (std::isnan(lanes[i])) {
      lanes[i] = std::numeric_limits<double>::infinity();
    }
    if (!std::isfinite(laneOf(values, i))) {
      lanes[i] = 0; // an infinity or a NaN is expected as it is
    }
    any = any || lanes[i] != 0;
  }
  if (any) {
    lanes.resize(value.count(), lanes.size() == 1 ? lanes.front() : 0.0);
    value.setErrors(fromFloats(Kind::F64, lanes));
  }
}

double afterRounding(const Machine &m, Kind kind, double result,
                     double propagated) {
  if (propagated == 0 && !m.anyOrder) {
    return 0;
  }
  return propagated + ulpOf(kind, result);
}

double mathUlps(tile::MathFn fn, double x) {
  using tile::MathFn;
  switch (fn) {
  case MathFn::sqrt:
  case MathFn::rsqrt:
  case MathFn::exp2:
  case MathFn::log2:
    return 2.5; // the table's 2, and our own half
  case MathFn::exp:
    return 2.5 + 1.16 * std::fabs(x);
  case MathFn::sin:
  case MathFn::cos:
  case MathFn::erf:
  case MathFn::log:
  case MathFn::tan:
  case MathFn::tanh:
  case MathFn::log1p:
  case MathFn::expm1:
    return 4.5;
  default:
    return 0; // exact or correctly rounded
  }
}

double unitRoundoff(Kind kind) { return ulpOf(kind, 1.0) / 2; }

double productError(tile::Precision precision) {
  using tile::Precision;
  switch (precision) {
  case Precision::tf32: // two inputs, rounded or cut to 11 bits
    return std::ldexp(2.0, -10);
  case Precision::tf32x3: // what is left over of both, and low times low
    return std::ldexp(4.0, -20);
  case Precision::bf16x3:
    return std::ldexp(4.0, -14);
  case Precision::bf16x6:
    return std::ldexp(6.0, -21);
  case Precision::ieee:
  case Precision::target_default:
    break;
  }
  return 0;
}

double Machine::errorAt(uint64_t address, unsigned bytes) {
  const Allocation *allocation = memory.allocationOf(address, bytes);
  if (!allocation) {
    return 0;
  }
  auto found = report.bounds.find(allocation->base);
  const uint64_t index = (address - allocation->base) / bytes;
  return found == report.bounds.end() || index >= found->second.size()
             ? 0
             : found->second[index];
}

void Machine::setErrorAt(uint64_t address, unsigned bytes, double error) {
  const Allocation *allocation = memory.allocationOf(address, bytes);
  if (!allocation) {
    return;
  }
  std::vector<double> &cells = report.bounds[allocation->base];
  cells.resize(std::max<size_t>(cells.size(), allocation->size / bytes), 0.0);
  cells[(address - allocation->base) / bytes] = error;
}

void Machine::setLoaded(const Instruction &in, TileValue value) {
  if (!loadErrors.empty()) {
    attachErrors(value, std::move(loadErrors));
    loadErrors.clear();
  }
  setResult(in, std::move(value));
}

} // namespace tz::interpreter
