//===- Report.h - the results of a run --------------------------*- C++ -*-===//
//
// What   A table for the terminal and a JSON document.
// Why    A vendor publishes the document; a person reads the table and what
//        failed.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_REPORT_H
#define TERRAZZO_CORE_CONFORMANCE_REPORT_H

#include "core/conformance/Outcome.h"
#include "core/conformance/Suite.h"

namespace tz::conformance {

struct RunFacts {
  std::string version, target, device, driver, level, filter, date;
  std::string shard; ///< I/N: the I-th of N parts; empty: all
  double seconds = 0;
  size_t suiteCases = 0; ///< in the suite, before level and filter
  size_t sample = 0;     ///< so many cases, chosen by the seed; 0: all
  uint64_t seed = 1;
};

struct Totals {
  size_t passed = 0, failed = 0, known = 0, skipped = 0;
  size_t proved = 0; ///< of `passed`, those that did not run
  size_t count() const { return passed + failed + known + skipped; }
};
Totals totalsOf(const std::vector<Outcome> &outcomes);

/// A line a family, then skips by reason, known failures, failures.
std::string textReport(const Suite &suite,
                       const std::vector<const Case *> &cases,
                       const std::vector<Outcome> &outcomes);
std::string jsonReport(const RunFacts &facts,
                       const std::vector<const Case *> &cases,
                       const std::vector<Outcome> &outcomes);

} // namespace tz::conformance

#endif // TERRAZZO_CORE_CONFORMANCE_REPORT_H
