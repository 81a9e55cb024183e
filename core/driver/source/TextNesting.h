//===- TextNesting.h - how deep the text of an IR nests ---------*- C++ -*-===//
//
// What   Finds the first place where brackets nest deeper than a limit.
// Why    The parser of IR texts recurses on them without a bound, and a file
//        of some thousand brackets would end the process.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_SOURCE_TEXTNESTING_H
#define TERRAZZO_CORE_DRIVER_SOURCE_TEXTNESTING_H

#include <cstddef>
#include <optional>
#include <string_view>

namespace tz::driver {

inline constexpr unsigned MaxTextNesting = 256;

struct TextPlace {
  unsigned line = 1, column = 1;
};

/// The bracket (or prefix operator) that goes beyond MaxTextNesting, if any.
/// Strings and comments do not count.
std::optional<TextPlace> findTooDeep(std::string_view text);

} // namespace tz::driver

#endif // TERRAZZO_CORE_DRIVER_SOURCE_TEXTNESTING_H
