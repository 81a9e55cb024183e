//===- TextNesting.cpp - how deep the text of an IR nests -----------------===//
//
// What   One pass over the characters.
// Why    See TextNesting.h.
//
//===----------------------------------------------------------------------===//
#include "core/driver/source/TextNesting.h"

#include <algorithm>

namespace tz::driver {

/// Where the string that begins at `at` ends: at its quote, or at the line's
/// end where there is none.
static size_t endOfString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
    at += text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n';
  }
  return at;
}

std::optional<TextPlace> findTooDeep(std::string_view text) {
  unsigned depth = 0, minuses = 0, line = 1;
  size_t lineStart = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    bool arrow = c == '>' && at && text[at - 1] == '-';
    if (c == '"') {
      at = endOfString(text, at);
      c = at < text.size() ? text[at] : '"';
    } else if (c == '/' && at + 1 < text.size() && text[at + 1] == '/') {
      at = std::min(text.find('\n', at), text.size());
      c = '\n';
    } else if (std::string_view("([{<").find(c) != std::string_view::npos) {
      ++depth;
    } else if (std::string_view(")]}>").find(c) != std::string_view::npos) {
      depth -= depth && !arrow;
    }
    // -(-(-x)) may be written ---x.
    minuses = c == '-' ? minuses + 1 : c == ' ' ? minuses : 0;
    if (c == '\n') {
      ++line;
      lineStart = at + 1;
    }
    if (depth > MaxTextNesting || minuses > MaxTextNesting) {
      return TextPlace{line, unsigned(at - lineStart + 1)};
    }
  }
  return std::nullopt;
}

} // namespace tz::driver
