//===- Outline.cpp - indented text as a tree ------------------------------===//
//
// What   See Outline.h.
// Why    See Outline.h.
//===----------------------------------------------------------------------===//
#include "core/conformance/Outline.h"

#include <algorithm>

namespace tz::conformance {

std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> splitAt(std::string_view text,
                                 std::string_view separator) {
  std::vector<std::string> parts;
  for (text = trimmed(text); !text.empty();) {
    size_t end = text.find(separator);
    std::string_view part = trimmed(text.substr(0, end));
    if (!part.empty() || separator != " ") {
      parts.emplace_back(part);
    }
    text = end == std::string_view::npos ? std::string_view()
                                         : text.substr(end + separator.size());
  }
  return parts;
}

std::string_view OutlineNode::keyword() const {
  std::string_view text = line.text;
  return text.substr(0, text.find(' '));
}

std::string_view OutlineNode::rest() const {
  return trimmed(std::string_view(line.text).substr(keyword().size()));
}

std::string OutlineNode::block() const {
  size_t least = std::string::npos, last = 0;
  for (size_t i = 0; i < body.size(); ++i) {
    if (!body[i].text.empty()) {
      least = std::min(least, body[i].indent);
      last = i + 1;
    }
  }
  std::string text;
  for (size_t i = 0; i < last; ++i) {
    if (!body[i].text.empty()) {
      text += std::string(body[i].indent - least, ' ') + body[i].text;
    }
    text += '\n';
  }
  return text;
}

std::vector<OutlineLine> splitLines(std::string_view text) {
  std::vector<OutlineLine> lines;
  for (unsigned number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    std::string_view whole = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view()
                                         : text.substr(end + 1);
    if (whole.starts_with('#')) {
      continue;
    }
    std::string_view content = trimmed(whole);
    size_t indent = content.empty() ? 0 : size_t(content.data() - whole.data());
    lines.push_back({number, indent, std::string(content)});
  }
  return lines;
}

std::vector<OutlineNode> outline(const std::vector<OutlineLine> &lines) {
  std::vector<OutlineNode> nodes;
  for (const OutlineLine &line : lines) {
    if (nodes.empty() && line.text.empty()) {
      continue;
    }
    if (nodes.empty() ||
        (!line.text.empty() && line.indent <= nodes.back().line.indent)) {
      nodes.push_back({line, {}});
    } else {
      nodes.back().body.push_back(line);
    }
  }
  return nodes;
}

} // namespace tz::conformance
