//===- EvaluationBounds.cpp - what one kernel may make us do --------------===//
//
// What   The limits' errors.
// Why    See EvaluationBounds.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/EvaluationBounds.h"

using namespace llvm;

namespace tz::frontend {

void EvaluationBounds::stop(SourceLoc loc, const Twine &why) {
  if (!stopped) {
    stopped = true;
    sink.error(loc, why);
  }
}

EvaluationBounds::Level EvaluationBounds::evaluation(SourceLoc loc) {
  if (depth >= maximum.evaluationDepth) {
    stop(loc, "evaluation is nested more than " +
                  Twine(maximum.evaluationDepth) +
                  " levels deep (limit of evaluation depth)");
    return Level(nullptr);
  }
  return Level(&depth);
}

EvaluationBounds::Level EvaluationBounds::region(SourceLoc loc) {
  if (regions >= maximum.regionDepth) {
    stop(loc, "run-time control flow is nested more than " +
                  Twine(maximum.regionDepth) +
                  " levels deep; each elif and each early return is a "
                  "level (limit of region depth)");
    return Level(nullptr);
  }
  return Level(&regions);
}

EvaluationBounds::Level EvaluationBounds::call() {
  return Level(calls >= maximum.inliningDepth ? nullptr : &calls);
}

std::string EvaluationBounds::callLimit() const {
  return ("calls are nested more than " + Twine(maximum.inliningDepth) +
          " deep (limit of inlining depth)")
      .str();
}

bool EvaluationBounds::charge(SourceLoc loc, uint64_t amount) {
  if (!stopped && !WorkBudget::charge(amount)) {
    stop(loc, WorkBudget::reason());
  }
  return !stopped;
}

bool EvaluationBounds::count(unsigned &counter, unsigned most, SourceLoc loc,
                             const Twine &why) {
  if (++counter > most) {
    stop(loc, why);
  }
  return !stopped;
}

bool EvaluationBounds::operation(SourceLoc loc) {
  return count(operations, maximum.operations, loc,
               "kernel has more than " + Twine(maximum.operations) +
                   " operations (limit of operations)");
}

bool EvaluationBounds::hostStep(SourceLoc loc) {
  return count(steps, maximum.hostSteps, loc,
               "module-level code runs more than " + Twine(maximum.hostSteps) +
                   " statements (limit of host steps)");
}

bool EvaluationBounds::unrolledIteration(SourceLoc loc) {
  return count(iterations, maximum.unrolledIterations, loc,
               "static loops run more than " +
                   Twine(maximum.unrolledIterations) +
                   " iterations (limit of unrolled iterations)");
}

} // namespace tz::frontend
