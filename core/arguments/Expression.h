//===- Expression.h - integer expressions of the command line -------------===//
//
// What   "cdiv(n, BLOCK) * 2", "n % BLOCK == 0": integers, names, + - * // %,
//        comparisons, and, or, not, parentheses, cdiv, next_power_of_2, min,
//        max, abs.
// Why    Grids, sizes and strides follow from other arguments; a person should
//        write the formula once and not its value five times.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_ARGUMENTS_EXPRESSION_H
#define TERRAZZO_CORE_ARGUMENTS_EXPRESSION_H

#include "runtime/loader/Status.h"

#include <functional>

namespace tz::tool {

/// The value of a name; a failure says why it has none.
using NameLookup = std::function<runtime::Result<int64_t>(std::string_view)>;

/// An expression's value, as Python has it.
struct ExpressionValue {
  int64_t number = 0;
  bool isTruth = false; // of a comparison or `not`: 1 is True, 0 is False
};
runtime::Result<ExpressionValue> evaluateValue(std::string_view text,
                                               const NameLookup &lookup);

/// Total: overflow, division by zero and depth are errors with a column.
runtime::Result<int64_t> evaluate(std::string_view text,
                                  const NameLookup &lookup);

/// The same for a value of u64, whose upper half no signed number holds.
runtime::Result<uint64_t> evaluateUnsigned(std::string_view text,
                                           const NameLookup &lookup);

/// Splits at commas outside of (), [], tensordesc<> and quotes; trims blanks.
std::vector<std::string> splitList(std::string_view text, char separator = ',');
std::string_view trim(std::string_view text);

} // namespace tz::tool

#endif
