//===- Compare.cpp - how far a target's numbers are from the oracle's -----===//
//
// What   ULP distance, tolerances, the comparison and its one line of text.
// Why    See Compare.h.
//
//===----------------------------------------------------------------------===//
#include "core/interpreter/Compare.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

namespace tz::interpreter {

namespace {

/// The kinds of the rows of ElementTypes.def, by their names there.
namespace rows {
using enum Kind;
constexpr Kind U8 = I8, U16 = I16, U32 = I32, U64 = I64; // bits have no sign
constexpr std::optional<Kind> F8E4B15;                   // of memory only
} // namespace rows

/// Bits after the point of a float, and the exponent of its least normal.
struct Precision {
  int fraction;
  int leastExponent;
};

} // namespace

std::optional<Kind> kindFromName(llvm::StringRef name) {
  const std::string lower = name.lower(); // MLIR writes f8E4M3FN
  return llvm::StringSwitch<std::optional<Kind>>(lower)
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least)       \
  .Cases({Name, Long, Text}, rows::Id)
#define ELEMENT_SPELLING(Id, Text) .Case(Text, rows::Id)
#include "terrazzo/ElementTypes.def"
      .Cases({"f4e2m1fn", "f4e2m1"}, Kind::F4E2M1FN)
      .Default(std::nullopt);
}

static Precision precisionOf(Kind kind) {
  struct Row {
    std::optional<Kind> kind;
    Precision precision;
  };
  static constexpr Row floats[] = {
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least)       \
  {rows::Id, {Fraction, Least}},
#include "terrazzo/ElementTypes.def"
      {Kind::F4E2M1FN, {1, 0}},
  };
  for (const Row &row : floats) {
    if (row.kind == kind && row.precision.fraction) {
      return row.precision;
    }
  }
  return {52, -1022};
}

double ulpOf(Kind kind, double value) {
  const Precision precision = precisionOf(kind);
  int exponent = precision.leastExponent;
  if (value != 0 && std::isfinite(value)) {
    exponent = std::max(std::ilogb(value), exponent);
  }
  return std::ldexp(1.0, exponent - precision.fraction);
}

uint64_t ulpDistance(Kind kind, uint64_t a, uint64_t b) {
  const double x = decodeFloat(kind, a), y = decodeFloat(kind, b);
  if (std::isnan(x) || std::isnan(y)) {
    return std::isnan(x) && std::isnan(y) ? 0 : ~uint64_t{0};
  }
  const unsigned bits = kind == Kind::F4E2M1FN ? 4 : 8 * bytesOf(kind);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  auto place = [&](uint64_t code) {
    const auto magnitude = static_cast<int64_t>(code & (sign - 1));
    return (code & sign) != 0 ? -magnitude : magnitude;
  };
  const int64_t p = place(a), q = place(b);
  return p > q ? static_cast<uint64_t>(p) - static_cast<uint64_t>(q)
               : static_cast<uint64_t>(q) - static_cast<uint64_t>(p);
}

Tolerance toleranceOfSum(Kind accumulator, uint64_t terms, double magnitude) {
  const double unit = ulpOf(accumulator, 1.0) / 2; // unit roundoff
  Tolerance tolerance;
  // One more term than additions: the products of a split form are rounded.
  tolerance.absolute = static_cast<double>(terms + 1) * unit * magnitude;
  llvm::raw_string_ostream os(tolerance.reason);
  tolerance.reason.clear();
  os << terms << " terms in any order: n * " << llvm::format("%.3g", unit)
     << " * " << llvm::format("%.6g", magnitude);
  return tolerance;
}

Tolerance toleranceFrom(const Report &report, uint64_t base, uint64_t count) {
  Tolerance tolerance;
  auto found = report.bounds.find(base);
  if (found == report.bounds.end()) {
    return tolerance;
  }
  tolerance.bounds = found->second;
  tolerance.bounds.resize(count, 0.0);
  tolerance.reason = "the bound of each element's own computation";
  return tolerance;
}

namespace {

/// One element's figures.
struct Difference {
  double expected, actual, absolute, relative, allowed;
  uint64_t ulps;
  bool outside, unbounded;
};

Difference floatDifference(Kind kind, uint64_t expected, uint64_t actual,
                           uint64_t index, const Tolerance &tolerance) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Difference d{};
  d.expected = decodeFloat(kind, expected);
  d.actual = decodeFloat(kind, actual);
  d.allowed =
      std::max(tolerance.absolute, tolerance.ulps * ulpOf(kind, d.expected));
  if (index < tolerance.bounds.size()) {
    d.allowed = std::max(d.allowed, tolerance.bounds[index]);
  }
  d.ulps = ulpDistance(kind, expected, actual);
  if (d.ulps == 0 || d.expected == d.actual) {
    return d;
  }
  d.absolute = std::fabs(d.expected - d.actual);
  if (std::isnan(d.absolute)) {
    d.absolute = infinity;
  }
  d.relative = d.expected == 0 ? infinity : d.absolute / std::fabs(d.expected);
  if (std::isnan(d.relative)) {
    d.relative = infinity;
  }
  d.unbounded = std::isinf(d.allowed);
  d.outside = !d.unbounded && !(d.absolute <= d.allowed);
  return d;
}

Difference integerDifference(Kind kind, uint64_t expected, uint64_t actual,
                             uint64_t index, const Tolerance &tolerance) {
  Difference d{};
  const unsigned unused = kind == Kind::I1 ? 0 : 64 - widthOf(kind);
  auto value = [&](uint64_t bits) {
    return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
  };
  d.expected = value(expected);
  d.actual = value(actual);
  if (index < tolerance.bounds.size()) {
    d.allowed = tolerance.bounds[index];
  }
  if (expected != actual) {
    // Large values may have one double; they differ all the same.
    d.absolute = std::max(std::fabs(d.expected - d.actual), 1.0);
    d.relative = d.expected == 0 ? std::numeric_limits<double>::infinity()
                                 : d.absolute / std::fabs(d.expected);
    d.unbounded = std::isinf(d.allowed);
    d.outside = !d.unbounded && d.absolute > d.allowed;
  }
  return d;
}

/// How bad a difference is, as a multiple of what is allowed.
double badness(const Difference &d) {
  if (d.absolute == 0 || d.unbounded) {
    return 0;
  }
  return d.allowed == 0 ? std::numeric_limits<double>::infinity()
                        : d.absolute / d.allowed;
}

} // namespace

Comparison compare(Kind kind, const void *expected, const void *actual,
                   uint64_t count, const Tolerance &tolerance) {
  Comparison result;
  result.count = count;
  const unsigned bytes = bytesOf(kind);
  double worst = 0, worstAbsolute = 0;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t a = 0, b = 0;
    std::memcpy(&a, static_cast<const char *>(expected) + i * bytes, bytes);
    std::memcpy(&b, static_cast<const char *>(actual) + i * bytes, bytes);
    if (a == b) {
      continue;
    }
    const Difference d = isFloat(kind)
                             ? floatDifference(kind, a, b, i, tolerance)
                             : integerDifference(kind, a, b, i, tolerance);
    if (result.matches() && (d.outside || d.unbounded)) {
      result.first = i;
      result.firstExpected = d.expected;
      result.firstActual = d.actual;
      result.firstAllowed = d.allowed;
    }
    result.mismatches += d.outside ? 1 : 0;
    result.incomparable += d.unbounded ? 1 : 0;
    result.maxAbsolute = std::max(result.maxAbsolute, d.absolute);
    result.maxRelative = std::max(result.maxRelative, d.relative);
    result.maxUlps = std::max(result.maxUlps, d.ulps);
    const double bad = badness(d);
    if (bad > worst || (bad == worst && d.absolute > worstAbsolute)) {
      worst = bad;
      worstAbsolute = d.absolute;
      result.worst = i;
      result.worstExpected = d.expected;
      result.worstActual = d.actual;
      result.worstAllowed = d.allowed;
    }
  }
  return result;
}

double Comparison::shareOfTolerance() const {
  const double off = std::fabs(worstExpected - worstActual);
  return worstAllowed > 0 && std::isfinite(worstAllowed) ? off / worstAllowed
                                                         : 0;
}

std::string Comparison::summary(const Tolerance &tolerance) const {
  if (maxAbsolute == 0 && matches()) {
    return "equal";
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  if (mismatches != 0) {
    os << mismatches << " of " << count << " differ; ";
  }
  if (incomparable != 0) {
    os << incomparable << " of " << count << " differ and have no bound; ";
  }
  os << llvm::format("max abs %.3g, rel %.3g", maxAbsolute, maxRelative);
  if (maxUlps != 0 && maxUlps != ~uint64_t{0}) {
    os << ", " << maxUlps << " ULP";
  }
  os << "; worst at " << worst
     << llvm::format(": %.9g, expected %.9g", worstActual, worstExpected)
     << llvm::format(" +- %.3g", worstAllowed) << " (" << tolerance.reason
     << ")";
  return text;
}

} // namespace tz::interpreter
