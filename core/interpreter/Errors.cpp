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

bool anyErrors(const Machine &m, const Instruction &in) {
  return m.options.trackErrors && llvm::any_of(in.operands, [&](uint32_t slot) {
           return hasErrors(m.valueIn(slot));
         });
}

void attachErrors(TileValue &value, Floats lanes) {
  bool any = false;
  for (double &lane : lanes) {
    lane = std::isnan(lane) ? Unknown : lane;
    any = any || lane != 0;
  }
  if (!any) {
    return;
  }
  if (isFloat(value.kind())) {
    Floats values = floatLanes(value);
    const double largest = largestOf(value.kind());
    for (size_t i = 0; i < lanes.size(); ++i) {
      if (lanes[i] != 0 && std::fabs(laneOf(values, i)) + lanes[i] > largest) {
        lanes[i] = Unknown;
      }
    }
  }
  lanes.resize(value.count(), lanes.size() == 1 ? lanes.front() : 0.0);
  value.setErrors(fromFloats(Kind::F64, lanes));
}

double largestOf(Kind kind) {
  switch (kind) {
  case Kind::F16:
    return 65504;
  case Kind::BF16:
    return std::ldexp(255.0, 120);
  case Kind::F32:
    return std::numeric_limits<float>::max();
  case Kind::F64:
    return std::numeric_limits<double>::max();
  default:
    return Unknown; // saturates
  }
}

double leastNormalOf(Kind kind) {
  return kind == Kind::F64 ? std::numeric_limits<double>::min()
                           : ulpOf(kind, 0) / unitRoundoff(kind) / 2;
}

static double roundedTo(Kind kind, double value, RoundTo rounding) {
  if (kind == Kind::F32 && rounding == RoundTo::NearestEven) {
    return static_cast<float>(value);
  }
  return decodeFloat(kind, encodeFloat(kind, value, rounding));
}

double afterRounding(const Machine &m, Kind kind, double exact,
                     double propagated, RoundTo rounding) {
  if (m.anyOrder && std::isfinite(exact) && propagated < Unknown) {
    // What another order rounds here is another number (E7).
    return propagated + ulpOf(kind, std::fabs(exact) + propagated);
  }
  if (propagated == 0) {
    return 0;
  }
  if (!(propagated < Unknown) || std::isnan(exact)) {
    return Unknown;
  }
  if (kind == Kind::F64) { // `exact` was rounded itself
    return propagated + ulpOf(kind, std::fabs(exact) + propagated);
  }
  // Doubles are not quite exact; what is added makes up for that.
  const double reach = propagated * (1 + std::ldexp(1.0, -40)) +
                       std::ldexp(std::fabs(exact), -50);
  const double result = roundedTo(kind, exact, rounding);
  const double high = roundedTo(kind, exact + reach, rounding);
  const double low = roundedTo(kind, exact - reach, rounding);
  if (high == low) {
    return 0; // also infinities
  }
  const double bound = std::max(high - result, result - low);
  return std::isfinite(bound) ? bound : Unknown;
}

double afterUlps(Kind kind, double exact, double propagated, double ulps) {
  if (std::isnan(exact) || std::isinf(exact)) {
    return propagated == 0 ? 0 : Unknown;
  }
  if (!(propagated < Unknown)) {
    return Unknown;
  }
  const double most = std::fabs(exact) + propagated;
  const double bound = propagated + ulps * ulpOf(kind, most);
  const double largest = largestOf(kind);
  if (std::fabs(exact) > largest) { // overflowed: on every target?
    return std::fabs(exact) - bound > largest ? 0 : Unknown;
  }
  if (exact == 0 && propagated == 0) {
    return 0;
  }
  const bool isDenormal = std::fabs(exact) - bound < leastNormalOf(kind);
  return bound + (isDenormal ? std::min(most, leastNormalOf(kind)) : 0);
}

double unitRoundoff(Kind kind) { return ulpOf(kind, 1.0) / 2; }

double growth(Kind kind, double roundings) {
  const double part = roundings * unitRoundoff(kind);
  return part < 1 ? part / (1 - part) : Unknown;
}

/// The cells that bytes at an address lie in, of `size` bytes each.
static std::pair<uint64_t, uint64_t> cellsOf(uint64_t offset, unsigned bytes,
                                             unsigned size) {
  return {offset / size, (offset + bytes - 1) / size};
}

double Machine::errorAt(uint64_t address, unsigned bytes) {
  const Allocation *allocation = memory.allocationOf(address, bytes);
  if (!allocation) {
    return 0;
  }
  auto found = report.bounds.find(allocation->base);
  if (found == report.bounds.end()) {
    return 0;
  }
  const unsigned size = cellBytes[allocation->base];
  auto [first, last] = cellsOf(address - allocation->base, bytes, size);
  double error = 0;
  for (uint64_t cell = first; cell <= last && cell < found->second.size();
       ++cell) {
    error = std::max(error, found->second[cell]);
  }
  // Bounds of elements of another size say nothing about these.
  return error == 0 || size == bytes ? error : Unknown;
}

void Machine::setErrorAt(uint64_t address, unsigned bytes, double error) {
  const Allocation *allocation = memory.allocationOf(address, bytes);
  if (!allocation ||
      (error == 0 && !report.bounds.contains(allocation->base))) {
    return;
  }
  std::vector<double> &cells = report.bounds[allocation->base];
  unsigned &size = cellBytes[allocation->base];
  if (cells.empty()) {
    size = bytes;
    cells.resize((allocation->size + bytes - 1) / bytes, 0.0);
  }
  auto [first, last] = cellsOf(address - allocation->base, bytes, size);
  const bool isWhole = size == bytes || (bytes > size && error == 0);
  for (uint64_t cell = first; cell <= last && cell < cells.size(); ++cell) {
    cells[cell] = isWhole ? error : error == 0 ? cells[cell] : Unknown;
  }
}

void Machine::setLoaded(const Instruction &in, TileValue value) {
  if (!loadErrors.empty()) {
    attachErrors(value, std::move(loadErrors));
    loadErrors.clear();
  }
  setResult(in, std::move(value));
}

} // namespace tz::interpreter
