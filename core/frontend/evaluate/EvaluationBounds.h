//===- EvaluationBounds.h - what one kernel may make us do ------*- C++ -*-===//
//
// What   Counts nested evaluations, regions, calls, operations and steps; at a
//        limit it reports, once, and nothing more is evaluated.
// Why    A few lines can ask for any amount of work (also: WorkBudget.h).
//
// Each limit is named in its error.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_EVALUATIONBOUNDS_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_EVALUATIONBOUNDS_H

#include "core/frontend/Diagnostics.h"
#include "core/frontend/evaluate/WorkBudget.h"

#include "llvm/ADT/Twine.h"

namespace tz::frontend {

/// Nothing asks within a single pass of MLIR whether the caller still waits.
/// The limit of operations bounds how long such a pass takes: common
/// subexpressions of 262,144 operations took 0.2 s.
struct Limits {
  unsigned evaluationDepth = 900;        // nested evaluations, calls included
  unsigned inliningDepth = 48;           // calls in calls
  unsigned regionDepth = 250;            // run-time ifs and loops in each other
  unsigned unrolledIterations = 1 << 16; // of all static loops together
  unsigned operations = 1 << 17;         // tile operations of one kernel
  unsigned hostSteps = 1 << 18;          // statements run at module level
  unsigned sequenceLength = 1 << 16;     // of a tuple, list or string
};

class EvaluationBounds {
public:
  explicit EvaluationBounds(DiagnosticSink &sink) : sink(sink) {}

  const Limits &limits() const { return maximum; }
  /// A limit was hit: nothing more is evaluated.
  bool isStopped() const { return stopped; }
  /// Reports the first reason alone.
  void stop(SourceLoc loc, const llvm::Twine &why);
  /// Stops without a word where no further error would be kept.
  void stopIfFull() { stopped |= sink.isFull(); }

  /// A nesting that lasts as long as this object; false at the limit.
  class Level {
  public:
    explicit Level(unsigned *count) : count(count) {
      if (count) {
        ++*count;
      }
    }
    ~Level() {
      if (count) {
        --*count;
      }
    }
    Level(const Level &) = delete;
    Level &operator=(const Level &) = delete;
    explicit operator bool() const { return count; }

  private:
    unsigned *count;
  };
  [[nodiscard]] Level evaluation(SourceLoc loc);
  /// A run-time if or loop inside the others.
  [[nodiscard]] Level region(SourceLoc loc);
  /// A call inside the others; at the limit nothing is reported.
  [[nodiscard]] Level call();
  std::string callLimit() const;
  bool isInCall() const { return calls > 0; }

  // Each counts one more; false at the limit, and once stopped.
  /// Takes steps from the thread's WorkBudget.
  bool charge(SourceLoc loc, uint64_t steps);
  bool operation(SourceLoc loc);
  bool hostStep(SourceLoc loc);
  bool unrolledIteration(SourceLoc loc);

private:
  bool count(unsigned &counter, unsigned most, SourceLoc loc,
             const llvm::Twine &why);

  DiagnosticSink &sink;
  Limits maximum;
  bool stopped = false;
  unsigned depth = 0, regions = 0, calls = 0;
  unsigned iterations = 0, operations = 0, steps = 0;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_EVALUATIONBOUNDS_H
