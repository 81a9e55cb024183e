//===- Batches.h - cases in child processes ---------------------*- C++ -*-===//
//
// What   Runs cases by name in worker processes, at most 64 each, some at a
//        time; fewer each where not every job would have some.
// Why    R17: code under test may crash, hang or lose its device. That costs
//        the case that did it; the rest of its batch goes on in a new process,
//        and the culprit is repeated alone.
//
// A worker reads names from its standard input, a line each, up to the end, and
// writes to descriptor 3 a JSON object a line: {"begin": NAME}, then the
// outcome. What it prints goes to a file that is quoted after a crash.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_BATCHES_H
#define TERRAZZO_CORE_CONFORMANCE_BATCHES_H

#include "core/conformance/Outcome.h"

#include <functional>
#include <vector>

namespace tz::conformance {

struct BatchOptions {
  std::vector<std::string> command; ///< of a worker; [0] is the program
  unsigned jobs = 1;                ///< processes at a time
  size_t batchSize = 64; ///< at most; few cases are dealt out to all jobs
  double secondsPerCase = 60;
  bool stopsAtFirst = false; ///< the cases after a bad one are skipped
  /// Called as outcomes come in, in any order of cases.
  std::function<void(const Outcome &)> onOutcome;
  /// What a worker says first: {"target": ..., "device": ..., "driver": ...}.
  std::function<void(const llvm::json::Object &)> onTarget;
  /// So many records of what passed before were of no use to a worker
  /// (Proofs.h), which says {"bad_proofs": N} at its end.
  std::function<void(size_t)> onBadProofs;
};

/// The outcomes in the order of `names`, or what kept workers from starting.
std::vector<Outcome> runBatches(const std::vector<std::string> &names,
                                const BatchOptions &options);

} // namespace tz::conformance

#endif // TERRAZZO_CORE_CONFORMANCE_BATCHES_H
