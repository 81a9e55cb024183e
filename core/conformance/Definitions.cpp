//===- Definitions.cpp - what case files share ----------------------------===//
//
// What   See Definitions.h.
// Why    See Definitions.h.
//===----------------------------------------------------------------------===//
#include "core/conformance/Definitions.h"

#include <algorithm>
#include <cctype>

namespace tz::conformance {

static constexpr int MaxDepth = 8;

static bool isNameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string parseRow(std::string_view text, Row &row, bool isNameless) {
  std::vector<std::string> parts = splitAt(text, " :: ");
  size_t first = 0;
  if (!isNameless) {
    if (parts.empty()) {
      return "a name is missing";
    }
    row.name = parts[0];
    first = 1;
  }
  for (size_t i = first; i < parts.size(); ++i) {
    size_t equals = parts[i].find('=');
    std::string key = parts[i].substr(0, equals);
    if (equals == std::string::npos ||
        !std::all_of(key.begin(), key.end(), isNameChar)) {
      return "'" + parts[i] + "' is not of the form key=value";
    }
    row.variables[key] = trimmed(std::string_view(parts[i]).substr(equals + 1));
  }
  return {};
}

std::optional<SuiteError> Definitions::read(std::string_view file,
                                            std::string_view text) {
  auto fail = [&](unsigned line, std::string message) {
    return SuiteError{std::string(file), line, std::move(message)};
  };
  for (const OutlineNode &node : outline(splitLines(text))) {
    std::string name(node.rest());
    if (node.keyword() == "block") {
      if (!blocks.emplace(name, node.block()).second) {
        return fail(node.line.number, "block '" + name + "' is there twice");
      }
    } else if (node.keyword() == "forms") {
      std::vector<Row> rows;
      for (const OutlineNode &inner : outline(node.body)) {
        Row row;
        row.line = inner.line.number;
        if (std::string problem = parseRow(inner.line.text, row);
            !problem.empty()) {
          return fail(row.line, problem);
        }
        rows.push_back(std::move(row));
      }
      if (!forms.emplace(name, std::move(rows)).second) {
        return fail(node.line.number, "forms '" + name + "' are there twice");
      }
    } else if (node.keyword() != "family") {
      return fail(node.line.number, "expected 'family', 'forms' or 'block', "
                                    "not '" +
                                        std::string(node.keyword()) + "'");
    }
  }
  return std::nullopt;
}

std::optional<std::string> Substitution::valueOf(std::string_view name,
                                                 std::string_view where,
                                                 int depth) {
  for (const Variables *layer : layers) {
    auto found = layer->find(name);
    if (found == layer->end()) {
      continue;
    }
    std::string_view value = found->second;
    if (value.starts_with('@')) {
      if (auto block = blocks.find(value.substr(1)); block != blocks.end()) {
        return applyAt(block->second, where, depth + 1);
      }
    }
    return applyAt(value, where, depth + 1);
  }
  if (problem.empty()) {
    problem = std::string(where) + ": no value for $" + std::string(name);
  }
  return std::nullopt;
}

/// The name at "$name" or "${name}"; `end` is behind it.
static std::string_view nameAt(std::string_view text, size_t dollar,
                               size_t &end) {
  bool braces = dollar + 1 < text.size() && text[dollar + 1] == '{';
  size_t first = dollar + 1 + braces;
  end = first;
  while (end < text.size() && isNameChar(text[end])) {
    ++end;
  }
  std::string_view name = text.substr(first, end - first);
  end += braces && end < text.size();
  return name;
}

std::string Substitution::expand(std::string_view line, std::string_view where,
                                 int depth) {
  std::string result;
  for (size_t at = 0; at < line.size();) {
    size_t dollar = line.find('$', at);
    result += line.substr(at, dollar - at);
    if (dollar == std::string_view::npos) {
      break;
    }
    std::string_view name = nameAt(line, dollar, at);
    if (name.empty()) {
      result += '$';
    } else if (auto value = valueOf(name, where, depth)) {
      while (!value->empty() && value->back() == '\n') {
        value->pop_back();
      }
      result += *value;
    }
  }
  return result;
}

std::string Substitution::applyAt(std::string_view text, std::string_view where,
                                  int depth) {
  if (depth > MaxDepth) {
    problem = std::string(where) + ": variables refer to each other";
    return {};
  }
  if (text.find('$') == std::string_view::npos) {
    return std::string(text);
  }
  std::string result;
  for (bool more = true; more;) {
    size_t end = text.find('\n');
    more = end != std::string_view::npos;
    std::string_view line = text.substr(0, end);
    std::string_view content = trimmed(line);
    size_t behind = 0;
    bool isAlone = more && content.starts_with('$') &&
                   !nameAt(content, 0, behind).empty() &&
                   behind == content.size();
    if (isAlone) {
      std::string indent(size_t(content.data() - line.data()), ' ');
      std::string value = expand(content, where, depth);
      for (std::string_view rest = value; !rest.empty();) {
        size_t stop = rest.find('\n');
        result += indent + std::string(rest.substr(0, stop)) + "\n";
        rest = stop == std::string_view::npos ? std::string_view()
                                              : rest.substr(stop + 1);
      }
    } else {
      result += expand(line, where, depth);
      result += more ? "\n" : "";
    }
    text = more ? text.substr(end + 1) : std::string_view();
  }
  return result;
}

std::string Substitution::apply(std::string_view text, std::string_view where) {
  return applyAt(text, where, 0);
}

} // namespace tz::conformance
