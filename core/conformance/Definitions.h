//===- Definitions.h - what case files share --------------------*- C++ -*-===//
//
// What   Rows of variables, named forms and blocks, and the substitution of
//        $names by them.
// Why    The forms (full, masked, odd, tail) are the same for all families that
//        work element by element.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_DEFINITIONS_H
#define TERRAZZO_CORE_CONFORMANCE_DEFINITIONS_H

#include "core/conformance/Outline.h"
#include "core/conformance/Suite.h"

namespace tz::conformance {

using Variables = std::map<std::string, std::string, std::less<>>;

/// "name :: key=value :: key=value"
struct Row {
  std::string name;
  unsigned line = 0;
  Variables variables;
};
/// Gives what is wrong, or nothing. Without a name there are variables alone.
std::string parseRow(std::string_view text, Row &row, bool isNameless = false);

struct Definitions {
  std::map<std::string, std::vector<Row>, std::less<>> forms;
  std::map<std::string, std::string, std::less<>> blocks;
  /// The 'forms NAME' and 'block NAME' statements of a file.
  std::optional<SuiteError> read(std::string_view file, std::string_view text);
};

class Substitution {
public:
  explicit Substitution(
      const std::map<std::string, std::string, std::less<>> &blocks)
      : blocks(blocks) {}

  /// Puts values in place of $name and ${name}, also inside values. A value
  /// "@block" is the block's text. A line that holds one $name alone takes over
  /// all lines of the value at its indentation, or goes away with an empty one.
  std::string apply(std::string_view text, std::string_view where);

  std::vector<const Variables *> layers; ///< the first that has a name wins
  std::string problem;                   ///< the first unknown name

private:
  std::string expand(std::string_view line, std::string_view where, int depth);
  std::optional<std::string> valueOf(std::string_view name,
                                     std::string_view where, int depth);
  std::string applyAt(std::string_view text, std::string_view where, int depth);
  const std::map<std::string, std::string, std::less<>> &blocks;
};

} // namespace tz::conformance

#endif // TERRAZZO_CORE_CONFORMANCE_DEFINITIONS_H
