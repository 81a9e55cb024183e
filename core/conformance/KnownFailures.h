//===- KnownFailures.h - failures that are known ----------------*- C++ -*-===//
//
// What   A list of cases that a target is known to fail, each with a date after
//        which it counts again, a link and a sentence.
// Why    A failure that is known must not hide a new one, and must not be
//        forgotten: what passes though it is listed fails the run, and so does
//        an entry that is out of date or matches nothing.
//
//   # one entry a line: PATTERN  until DATE  LINK  sentence
//   # LINK is an address, or a heading of a page: docs/x.md#heading
//   casts/to_f8*/f64/*  until 2026-12-31  https://...  rounds twice
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_KNOWNFAILURES_H
#define TERRAZZO_CORE_CONFORMANCE_KNOWNFAILURES_H

#include "core/conformance/Outcome.h"
#include "core/conformance/Suite.h"

namespace tz::conformance {

struct KnownFailure {
  std::string pattern; ///< of case names; '*' and '?' as in a shell
  std::string until;   ///< 2026-12-31, the last day
  std::string link, sentence;
  unsigned line = 0;
};

class KnownFailures {
public:
  std::optional<SuiteError> read(std::string_view file, std::string_view text);
  /// Changes outcomes by the list. `today` as 2026-12-31. Gives one sentence
  /// for each entry that none of `allNames` matches.
  std::vector<std::string> apply(std::vector<Outcome> &outcomes,
                                 const std::vector<std::string> &allNames,
                                 const std::string &today) const;
  const std::vector<KnownFailure> &entries() const { return list; }

private:
  std::string file;
  std::vector<KnownFailure> list;
};

} // namespace tz::conformance

#endif // TERRAZZO_CORE_CONFORMANCE_KNOWNFAILURES_H
