//===- Compare.h - a target's numbers beside the oracle's -------*- C++ -*-===//
//
// What   Compares two buffers in ULP, absolutely and relatively, under a
//        tolerance that says why it is what it is.
// Why    One judgement for tz run --compare, conformance and tests. Integers
//        must be equal where no bound says otherwise. Two NaNs are equal, so
//        are two zeros (P14). Floats may differ by the larger of the
//        tolerance's parts. An element that differs and has no finite bound is
//        neither right nor wrong: it is counted as not comparable.
//
// With Options::trackErrors, the interpreter derives the tolerance itself:
// every value carries a bound of how far a correct target may be from it
// (Errors.h has the rules), and stores write the bound beside the value.
//
// Where a type is narrow, an element that differs at all uses nearly all of its
// tolerance: f16 results of two f32 sums that are 1e-5 apart are equal, or,
// astride a tie of f16, neighbours a whole ULP apart, and that ULP is what the
// bound allows there. BoundsTest computes such elements of a matrix product.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_COMPARE_H
#define TERRAZZO_CORE_INTERPRETER_COMPARE_H

#include "core/interpreter/ElementKind.h"
#include "core/interpreter/Interpreter.h"

#include "llvm/ADT/StringRef.h"

namespace tz::interpreter {

/// "f16", "fp16", "float16", "i32", "u8", "bool", "f8E4M3FN", "fp8e4nv" ...
std::optional<Kind> kindFromName(llvm::StringRef name);

struct Tolerance {
  double ulps = 0;     ///< units in the last place of the expected value
  double absolute = 0; ///< for every element
  /// Per element, absolute; empty = none.
  std::vector<double> bounds;
  std::string reason = "exact";
};

/// What a run with Options::trackErrors found for the allocation at `base`.
/// Where the run stored nothing, elements must be equal.
Tolerance toleranceFrom(const Report &report, uint64_t base, uint64_t count);
/// A dot or sum of `terms` products whose magnitudes add to at most
/// `magnitude`, accumulated in `accumulator`, in any order.
Tolerance toleranceOfSum(Kind accumulator, uint64_t terms, double magnitude);

struct Comparison {
  uint64_t count = 0;
  uint64_t mismatches = 0; ///< elements outside the tolerance
  /// Elements that differ where no finite bound is known.
  uint64_t incomparable = 0;
  double maxAbsolute = 0;
  double maxRelative = 0;
  uint64_t maxUlps = 0;
  /// The element farthest outside (else nearest to) its tolerance.
  uint64_t worst = 0;
  double worstExpected = 0, worstActual = 0, worstAllowed = 0;
  /// Of those that do not match.
  uint64_t first = 0;
  double firstExpected = 0, firstActual = 0, firstAllowed = 0;

  bool matches() const { return mismatches == 0 && incomparable == 0; }
  /// Of what is allowed, how much the worst element uses; 0 if all are equal.
  double shareOfTolerance() const;
  /// One line: "equal", or the figures; `reason` of the tolerance included.
  std::string summary(const Tolerance &tolerance) const;
};

/// The unit in the last place of `kind` at a value.
double ulpOf(Kind kind, double value);
/// Elements between two floats of a type, counted over zero; one NaN: all.
uint64_t ulpDistance(Kind kind, uint64_t a, uint64_t b);

/// Compares `count` elements, row-major and dense.
Comparison compare(Kind kind, const void *expected, const void *actual,
                   uint64_t count, const Tolerance &tolerance);

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_COMPARE_H
