//===- WorkBudget.cpp - a bound on the evaluator's work -------------------===//
//
// What   The thread's current budget.
// Why    See WorkBudget.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/WorkBudget.h"

#include "core/ir/CompileBudget.h"

#include <algorithm>

namespace tz::frontend {

static thread_local WorkBudget *current = nullptr;

WorkBudget::WorkBudget(uint64_t steps) : outer(current), limit(steps) {
  if (outer) {
    uint64_t left = outer->limit - std::min(outer->used, outer->limit);
    limit = std::min(limit, left);
  }
  current = this;
}

WorkBudget::~WorkBudget() {
  current = outer;
  charge(used);
}

bool WorkBudget::isSpent() {
  return current &&
         (current->tooDeep || current->ended || current->used > current->limit);
}

bool WorkBudget::charge(uint64_t steps) {
  if (!current || isSpent()) {
    return !current;
  }
  // No overflow: what was used is at most the limit here.
  current->used += std::min(steps, current->limit + 1);
  current->ended = CompileBudget::isSpent();
  return !isSpent();
}

std::string WorkBudget::reason() {
  if (current && current->ended) {
    return CompileBudget::current()->reason();
  }
  return current && current->tooDeep
             ? "a sequence or dict is nested more than " +
                   std::to_string(Nesting) +
                   " levels deep, or holds itself (limit of value nesting)"
             : "evaluation takes more than " +
                   std::to_string(current ? current->limit : Steps) +
                   " steps (limit of evaluation steps)";
}

WorkBudget::Level::Level() : entered(WorkBudget::charge(PerLevel)) {
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
