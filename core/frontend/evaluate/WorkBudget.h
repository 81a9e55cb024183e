//===- WorkBudget.h - a bound on the evaluator's work -----------*- C++ -*-===//
//
// What   Counts evaluations, elements that are copied and compound values that
//        are walked, for one reading of a module or one elaboration.
// Why    A few lines of Python can ask for any amount of work: a comprehension
//        in a comprehension, a tuple of 2^60 shared parts, a list that holds
//        itself. Values are walked by plain functions that know no evaluator,
//        so the budget is the thread's. When it is spent they give up with any
//        answer, and the evaluator reports before that answer can be used.
//        It ends too when the compilation's time is over (CompileBudget.h).
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_EVALUATE_WORKBUDGET_H
#define TERRAZZO_CORE_FRONTEND_EVALUATE_WORKBUDGET_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace tz::frontend {

/// Installs a budget for the thread until it is destroyed. Inside another one
/// it holds at most what is left there, and is paid from it: so a caller with
/// less patience (a fuzzer) gives less.
class WorkBudget {
public:
  static constexpr uint64_t Steps = uint64_t(1) << 24;
  static constexpr uint64_t PerEvaluation = 4; // of a node of the tree
  static constexpr uint64_t PerCall = 60;      // of a jit function
  static constexpr uint64_t PerLevel = 8;      // of a sequence or dict walked
  static constexpr uint64_t PerOperation = 16; // of the kernel's IR
  static constexpr unsigned Nesting = 200;     // of sequences and dicts

  explicit WorkBudget(uint64_t steps = Steps);
  ~WorkBudget();
  WorkBudget(const WorkBudget &) = delete;
  WorkBudget &operator=(const WorkBudget &) = delete;

  /// False when nothing is left. Without a budget everything is allowed.
  static bool charge(uint64_t steps = 1);
  static bool isSpent();
  /// Why it is spent, as an error message.
  static std::string reason();

  /// One level of the recursion over a compound value: false when the walk
  /// must not go on.
  class Level {
  public:
    Level();
    ~Level();
    Level(const Level &) = delete;
    Level &operator=(const Level &) = delete;
    explicit operator bool() const { return entered; }

  private:
    bool entered;
  };

private:
  WorkBudget *outer;
  uint64_t limit;
  uint64_t used = 0;
  unsigned nesting = 0;
  bool tooDeep = false;
  bool ended = false; ///< so is the budget of the whole compilation
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_EVALUATE_WORKBUDGET_H
