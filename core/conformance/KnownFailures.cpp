//===- KnownFailures.cpp - failures that are known ------------------------===//
//
// What   See KnownFailures.h.
// Why    See KnownFailures.h.
//===----------------------------------------------------------------------===//
#include "core/conformance/KnownFailures.h"

#include "core/conformance/Outline.h"
#include "runtime/loader/Registry.h"

#include <algorithm>

namespace tz::conformance {

static bool isDate(std::string_view text) {
  return text.size() == 10 && text[4] == '-' && text[7] == '-' &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
}

std::optional<SuiteError> KnownFailures::read(std::string_view path,
                                              std::string_view text) {
  file = path;
  unsigned number = 0;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view()
                                         : text.substr(end + 1);
    ++number;
    if (line.empty() || line[0] == '#') {
      continue;
    }
    std::vector<std::string> words = splitAt(line, " ");
    if (words.size() < 5 || words[1] != "until" || !isDate(words[2]) ||
        (words[3].find("://") == std::string::npos &&
         words[3].find(".md#") == std::string::npos)) {
      return SuiteError{file, number,
                        "write 'PATTERN until YYYY-MM-DD LINK sentence': a "
                        "known failure has an end and a place where it is "
                        "worked on"};
    }
    KnownFailure entry{words[0], words[2], words[3], words[4], number};
    for (size_t i = 5; i < words.size(); ++i) {
      entry.sentence += " " + words[i];
    }
    list.push_back(std::move(entry));
  }
  return std::nullopt;
}

std::vector<std::string>
KnownFailures::apply(std::vector<Outcome> &outcomes,
                     const std::vector<std::string> &allNames,
                     const std::string &today) const {
  std::vector<std::string> unmatched;
  for (const KnownFailure &entry : list) {
    bool any = std::any_of(allNames.begin(), allNames.end(),
                           [&](const std::string &name) {
                             return runtime::matchesGlob(entry.pattern, name);
                           });
    std::string where = file + ":" + std::to_string(entry.line);
    if (!any) {
      unmatched.push_back(where + ": no case matches '" + entry.pattern +
                          "'; take the entry out");
    }
    for (Outcome &outcome : outcomes) {
      if (!runtime::matchesGlob(entry.pattern, outcome.name) ||
          outcome.status == Outcome::Skipped ||
          outcome.status == Outcome::Known ||
          outcome.status == Outcome::Surprise) {
        continue;
      }
      if (outcome.status == Outcome::Passed) {
        outcome.status = Outcome::Surprise;
        outcome.reason = "passes, though " + where +
                         " lists it as a known failure; take the entry out";
      } else if (entry.until < today) {
        outcome.status = Outcome::Surprise;
        outcome.reason = "the known failure at " + where + " ended on " +
                         entry.until + "; " + outcome.reason;
      } else {
        outcome.status = Outcome::Known;
        outcome.reason = entry.sentence + " (" + entry.link + ", until " +
                         entry.until + ")\n" + outcome.reason;
      }
    }
  }
  return unmatched;
}

} // namespace tz::conformance
