//===- Report.cpp - the results of a run ----------------------------------===//
//
// What   See Report.h.
// Why    See Report.h.
//===----------------------------------------------------------------------===//
#include "core/conformance/Report.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tz::conformance {

static void add(Totals &totals, const Outcome &outcome) {
  if (outcome.isBad()) {
    ++totals.failed;
  } else if (outcome.status == Outcome::Known) {
    ++totals.known;
  } else if (outcome.status == Outcome::Skipped) {
    ++totals.skipped;
  } else {
    ++totals.passed;
    totals.proved += outcome.isProved;
  }
}

Totals totalsOf(const std::vector<Outcome> &outcomes) {
  Totals totals;
  for (const Outcome &outcome : outcomes) {
    add(totals, outcome);
  }
  return totals;
}

static std::string_view firstLine(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

static std::string indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::string_view line = firstLine(text);
    result += "    " + std::string(line) + "\n";
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return result;
}

std::string textReport(const Suite &suite,
                       const std::vector<const Case *> &cases,
                       const std::vector<Outcome> &outcomes) {
  struct Family {
    Totals totals;
    double milliseconds = 0, share = 0;
    uint64_t ulps = 0;
  };
  std::map<std::string, Family> families;
  std::map<std::string, size_t> skips;
  std::string known, failures;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome &outcome = outcomes[i];
    Family &family = families[cases[i]->family];
    add(family.totals, outcome);
    family.milliseconds += outcome.milliseconds;
    if (!outcome.isBad()) {
      family.share = std::max(family.share, outcome.worstShare);
      family.ulps = std::max(family.ulps, outcome.maxUlps);
    }
    if (outcome.status == Outcome::Skipped) {
      ++skips[std::string(firstLine(outcome.reason))];
    } else if (outcome.status == Outcome::Known) {
      known += "  " + outcome.name + ": " +
               std::string(firstLine(outcome.reason)) + "\n";
    } else if (outcome.isBad()) {
      failures += "  " + std::string(statusName(outcome.status)) + "  " +
                  outcome.name + "\n" + indented(outcome.reason);
    }
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0,-14} {1,7} {2,7} {3,7} {4,7} {5,8} {6,9} {7,8}\n",
                      "family", "passed", "failed", "known", "skipped",
                      "max ulp", "of limit", "time");
  auto line = [&](const std::string &name, const Family &family) {
    const Totals &t = family.totals;
    os << llvm::formatv(
        "{0,-14} {1,7} {2,7} {3,7} {4,7} {5,8} {6,9} {7,8}\n", name, t.passed,
        t.failed, t.known, t.skipped,
        family.ulps > 999999 ? std::string(">10^6")
                             : std::to_string(family.ulps),
        std::to_string(int(100 * family.share)) + " %",
        llvm::formatv("{0:f1} s", family.milliseconds / 1000).str());
  };
  Family all;
  for (const auto &[name, about] : suite.families) {
    auto found = families.find(name);
    if (found == families.end()) {
      continue;
    }
    line(name, found->second);
    all.milliseconds += found->second.milliseconds;
    all.ulps = std::max(all.ulps, found->second.ulps);
    all.share = std::max(all.share, found->second.share);
  }
  all.totals = totalsOf(outcomes);
  line("all", all);
  if (!skips.empty()) {
    os << "\nskipped:\n";
    for (const auto &[reason, count] : skips) {
      os << "  " << count << " cases: " << reason << "\n";
    }
  }
  if (!known.empty()) {
    os << "\nknown failures:\n" << known;
  }
  if (!failures.empty()) {
    os << "\nfailures:\n" << failures;
  }
  return text;
}

std::string jsonReport(const RunFacts &facts,
                       const std::vector<const Case *> &cases,
                       const std::vector<Outcome> &outcomes) {
  using llvm::json::Object;
  Totals totals = totalsOf(outcomes);
  llvm::json::Array rows;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const Case &one = *cases[i];
    Object row = toJson(outcomes[i]);
    row["family"] = one.family;
    row["op"] = one.op;
    row["type"] = one.type;
    row["form"] = one.form;
    row["seed"] = int64_t(one.seed);
    rows.push_back(std::move(row));
  }
  llvm::json::Value document =
      Object{{"format", "terrazzo-conformance/0"},
             {"version", facts.version},
             {"target", facts.target},
             {"device", facts.device},
             {"driver", facts.driver},
             {"level", facts.level},
             {"filter", facts.filter},
             {"sample", int64_t(facts.sample)},
             {"seed", int64_t(facts.seed)},
             {"shard", facts.shard},
             {"date", facts.date},
             {"seconds", facts.seconds},
             {"suite_cases", int64_t(facts.suiteCases)},
             {"passed", int64_t(totals.passed)},
             {"proved", int64_t(totals.proved)},
             {"failed", int64_t(totals.failed)},
             {"known_failures", int64_t(totals.known)},
             {"skipped", int64_t(totals.skipped)},
             {"cases", std::move(rows)}};
  return llvm::formatv("{0:2}\n", document).str();
}

} // namespace tz::conformance
