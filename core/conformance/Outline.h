//===- Outline.h - indented text as a tree ----------------------*- C++ -*-===//
//
// What   Lines of a case file with what is indented below each of them.
// Why    Statements and kernels stand in one file; a kernel's own indentation
//        must come through untouched.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_OUTLINE_H
#define TERRAZZO_CORE_CONFORMANCE_OUTLINE_H

#include <string>
#include <string_view>
#include <vector>

namespace tz::conformance {

struct OutlineLine {
  unsigned number = 0;
  size_t indent = 0;
  std::string text; ///< without indentation and trailing blanks
};

/// A statement and the lines below it that are indented further.
struct OutlineNode {
  OutlineLine line;
  std::vector<OutlineLine> body;

  std::string_view keyword() const; ///< the first word
  std::string_view rest() const;    ///< what follows it
  /// The body as text, its least indentation taken away.
  std::string block() const;
};

/// Empty lines are kept (inside bodies), '#' in column 0 begins a comment.
std::vector<OutlineLine> splitLines(std::string_view text);
/// The statements among `lines`, each with its body.
std::vector<OutlineNode> outline(const std::vector<OutlineLine> &lines);

std::string_view trimmed(std::string_view text);
/// Parts between `separator`, trimmed; none of an empty text.
std::vector<std::string> splitAt(std::string_view text,
                                 std::string_view separator);

} // namespace tz::conformance

#endif // TERRAZZO_CORE_CONFORMANCE_OUTLINE_H
