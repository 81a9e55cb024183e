//===- CaseShrink.cpp - a failing random kernel made small ----------------===//
//
// What   See CaseShrink.h.
// Why    Candidates run many to a process, like cases; the first of a row that
//        still fails is taken.
//===----------------------------------------------------------------------===//
#include "core/conformance/run/CaseShrink.h"

#include "core/conformance/random/Random.h"
#include "core/conformance/random/Shrink.h"
#include "core/conformance/run/CaseJob.h"

#include <chrono>

namespace tz::tool {

using namespace conformance;

/// What must stay the same: the outcome and the first line of its reason, up to
/// figures and names. Of wrong results only that they are wrong.
static std::string kindOf(const Outcome &outcome) {
  std::string kind(statusName(outcome.status));
  std::string_view reason =
      std::string_view(outcome.reason).substr(0, outcome.reason.find('\n'));
  constexpr std::string_view wrong = "wrong result";
  if (reason.starts_with(wrong)) {
    reason = wrong;
  }
  for (char c : reason) {
    if (!std::isdigit(static_cast<unsigned char>(c))) {
      kind += c;
    }
  }
  return kind;
}

Shrunk shrink(const Outcome &failure, BatchOptions options, double seconds) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  Shrunk best;
  best.name = failure.name;
  best.outcome = failure;
  random::RandomKernel kernel = *randomKernel(failure.name);
  best.kernel = *random::print(kernel, failure.name);
  const std::string wanted = kindOf(failure);
  std::string separator = "/";
  options.batchSize = 8;
  options.onTarget = nullptr;
  options.onOutcome = nullptr;
  bool hasProgress = true;
  while (hasProgress && Clock::now() < end) {
    hasProgress = false;
    std::vector<std::string> edits = random::editsOf(kernel);
    for (size_t at = 0; at < edits.size() && Clock::now() < end;) {
      std::vector<std::string> names;
      std::vector<size_t> places;
      size_t next = at;
      for (; next < edits.size() &&
             names.size() < options.batchSize * options.jobs;
           ++next) {
        std::string name = best.name + separator + edits[next];
        std::optional<Case> one = randomCase(name);
        if (one &&
            (one->source != best.kernel.source ||
             one->args != best.kernel.args || one->grid != best.kernel.grid ||
             one->options != best.kernel.options)) {
          names.push_back(std::move(name));
          places.push_back(next);
        }
      }
      std::vector<Outcome> outcomes = runBatches(names, options);
      best.tried += names.size();
      at = next;
      for (size_t i = 0; i < outcomes.size(); ++i) {
        if (outcomes[i].isBad() && kindOf(outcomes[i]) == wanted) {
          best.name = names[i];
          best.outcome = outcomes[i];
          kernel = *randomKernel(best.name);
          best.kernel = *random::print(kernel, best.name);
          separator = "-";
          edits = random::editsOf(kernel);
          at = places[i]; // the edits before it were tried
          hasProgress = true;
          break;
        }
      }
    }
  }
  return best;
}

runtime::Result<std::string> writeShrunk(const Shrunk &shrunk,
                                         const std::string &target,
                                         const std::string &folder) {
  std::string seed = shrunk.name.substr(sizeof("random/") - 1);
  seed = seed.substr(0, seed.find('/'));
  std::string path = folder + "/random-" + seed + ".py";
  std::string text = "# " + runCommand(shrunk.kernel, path) + " --target " +
                     target + " --compare interp\n";
  std::string_view reason = shrunk.outcome.reason;
  while (!reason.empty()) {
    std::string_view line = reason.substr(0, reason.find('\n'));
    text += "#   " + std::string(line) + "\n";
    reason.remove_prefix(std::min(line.size() + 1, reason.size()));
  }
  text += shrunk.kernel.source;
  if (runtime::Status s = writeFile(path, text); !s.ok()) {
    return s;
  }
  return path;
}

} // namespace tz::tool
