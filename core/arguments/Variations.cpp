//===- Variations.cpp - many launches from one command line ---------------===//
//
// What   See Variations.h.
// Why    See Variations.h.
//===----------------------------------------------------------------------===//
#include "core/arguments/Variations.h"

#include "core/arguments/Expression.h"
#include "core/arguments/Values.h"

#include "llvm/ADT/STLExtras.h"

#include <charconv>
#include <set>

namespace tz::tool {

using namespace runtime;

static constexpr size_t MaxCombinations = 1000;

static Status invalid(std::string message) {
  return Status(TZ_E_INVALID_ARGUMENT, std::move(message));
}

static bool readInteger(std::string_view text, int64_t &to) {
  text = trim(text);
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size();
}

/// Appends the values of "A..B", "A..B*F" or "A..B+S".
static bool readRange(std::string_view text, size_t dots,
                      std::vector<std::string> &to) {
  int64_t low, high, step = 1;
  std::string_view rest = text.substr(dots + 2);
  const size_t sign = rest.find_last_of("*+");
  const bool multiplies = sign != std::string_view::npos && rest[sign] == '*';
  if (!readInteger(text.substr(0, dots), low) ||
      !readInteger(rest.substr(0, sign), high) ||
      (sign != std::string_view::npos &&
       !readInteger(rest.substr(sign + 1), step)) ||
      low > high || step < (multiplies ? 2 : 1) || (multiplies && low < 1)) {
    return false;
  }
  for (int64_t value = low; value <= high && to.size() <= MaxCombinations;) {
    to.push_back(std::to_string(value));
    if (multiplies ? __builtin_mul_overflow(value, step, &value)
                   : __builtin_add_overflow(value, step, &value)) {
      break;
    }
  }
  return true;
}

Result<Variation> parseVariation(const std::string &text) {
  auto assignment = parseAssignment(text, "--vary");
  if (!assignment) {
    return assignment.takeStatus();
  }
  Variation made;
  made.name = assignment->first;
  for (const std::string &item : splitList(assignment->second)) {
    size_t dots = item.find("..");
    if (dots == std::string::npos) {
      made.values.push_back(item);
    } else if (!readRange(item, dots, made.values)) {
      return invalid("--vary " + text + ": '" + item +
                     "' is no range; write 1024..65536*2 (each twice the one "
                     "before) or 512..4096+512");
    }
  }
  if (made.values.empty() || llvm::is_contained(made.values, "")) {
    return invalid("--vary " + text + ": a value is missing; write " +
                   made.name + "=1024,4096 or " + made.name + "=1024..65536*2");
  }
  return made;
}

Result<std::vector<std::vector<std::string>>>
combinations(const std::vector<Variation> &variations) {
  std::set<std::string> names;
  std::vector<std::vector<std::string>> all(1);
  for (const Variation &variation : variations) {
    if (!names.insert(variation.name).second) {
      return invalid("--vary names '" + variation.name + "' twice");
    }
    if (all.size() * variation.values.size() > MaxCombinations) {
      return invalid("--vary makes more than " +
                     std::to_string(MaxCombinations) + " combinations");
    }
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string> &one : all) {
      for (const std::string &value : variation.values) {
        longer.push_back(one);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

Result<std::vector<unsigned>> parseConfigurations(const std::string &text,
                                                  size_t count) {
  std::set<unsigned> chosen;
  for (const std::string &item : splitList(text)) {
    const size_t dash = item.find('-');
    int64_t low = 1, high = int64_t(count);
    if (item != "all" &&
        (!readInteger(item.substr(0, dash), low) ||
         !readInteger(dash == std::string::npos ? item : item.substr(dash + 1),
                      high) ||
         low < 1 || low > high)) {
      return invalid(
          "--configs " + text + ": '" + item +
          "' is no number of a configuration; write all, 2 or 1,3-5");
    }
    if (high > int64_t(count) || !count) {
      return Status(TZ_E_OUT_OF_RANGE,
                    "--configs " + text + ": the kernel has " +
                        (count ? std::to_string(count) : std::string("no")) +
                        " autotune configurations; see tz run --list-configs");
    }
    for (int64_t i = low; i <= high; ++i) {
      chosen.insert(unsigned(i));
    }
  }
  if (chosen.empty()) {
    return invalid("--configs: which ones? Write all, 2 or 1,3-5");
  }
  return std::vector<unsigned>(chosen.begin(), chosen.end());
}

} // namespace tz::tool
