//===- Outcome.h - what became of a case ------------------------*- C++ -*-===//
//
// What   The result of one case, as the child process says it and the report
//        shows it.
// Why    One form on the pipe, in the report and in tests.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_OUTCOME_H
#define TERRAZZO_CORE_CONFORMANCE_OUTCOME_H

#include "llvm/Support/JSON.h"

#include <optional>
#include <string>

namespace tz::conformance {

struct Outcome {
  enum Status {
    Passed,
    Failed,
    Crashed,  ///< the process ended under it, also when repeated alone
    TimedOut, ///< killed at its deadline, also when repeated alone
    Skipped,  ///< the target lacks what the case needs
    Known,    ///< failed as the list of known failures says
    Surprise  ///< passed, or another outcome, though the list says otherwise
  };
  Status status = Failed;
  std::string name;
  std::string reason; ///< why not passed; the first line stands alone
  double milliseconds = 0;
  uint64_t maxUlps = 0; ///< farthest float from the expectation
  /// Of the tolerance, of the element that used most of it; 0 = equal.
  double worstShare = 0;
  /// The process must not be used any more (a lost device).
  bool isSticky = false;
  /// The key of what decided the result (run/ProofKey.h); empty: none is kept.
  std::string proof;
  bool isProved = false; ///< it did not run: it passed before, as `proof`

  bool isBad() const {
    return status == Failed || status == Crashed || status == TimedOut ||
           status == Surprise;
  }
};

std::string_view statusName(Outcome::Status status);
llvm::json::Object toJson(const Outcome &outcome);
std::optional<Outcome> outcomeFrom(const llvm::json::Object &object);

} // namespace tz::conformance

#endif // TERRAZZO_CORE_CONFORMANCE_OUTCOME_H
