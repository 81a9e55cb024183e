//===- WorkBudget.cpp - a bound on the evaluator's work -------------------===//
//
// What   The thread's current budget.
// Why    See WorkBudget.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/WorkBudget.h"

namespace tz::frontend {

static thread_local WorkBudget *current = nullptr;

WorkBudget::WorkBudget() : outer(current) { current = this; }
WorkBudget::~WorkBudget() { current = outer; }

bool WorkBudget::isSpent() {
  return current && (current->tooDeep || current->used > Steps);
}

bool WorkBudget::charge(uint64_t steps) {
  if (!current || isSpent()) {
    return !current;
  }
  // No overflow: what was used is at most Steps here.
  current->used += steps < Steps ? steps : Steps + 1;
  return !isSpent();
}

std::string WorkBudget::reason() {
  return current && current->tooDeep
             ? "a sequence or dict is nested more than " +
                   std::to_string(Nesting) +
                   " levels deep, or holds itself (limit of value nesting)"
             : "evaluation takes more than " + std::to_string(Steps) +
                   " steps (limit of evaluation steps)";
}

WorkBudget::Level::Level() : entered(WorkBudget::charge()) {
  if (current && ++current->nesting > Nesting) {
    current->tooDeep = true;
    entered = false;
  }
}

WorkBudget::Level::~Level() {
  if (current) {
    --current->nesting;
  }
}

} // namespace tz::frontend
