//===- CompileBudget.h - what one compilation may take ----------*- C++ -*-===//
//
// What   The time and memory that are left to the compilation on this thread,
//        and whether its caller still waits for it.
// Why    The evaluator, the shared passes and the vendor's compiler spend one
//        budget. Each asks here, between two short pieces of its work, so that
//        no kernel holds its caller longer than was allowed. A caller who
//        presses Ctrl-C is heard at the same places.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_IR_COMPILEBUDGET_H
#define TERRAZZO_CORE_IR_COMPILEBUDGET_H

#include "mlir/IR/Operation.h"

#include <chrono>
#include <functional>
#include <string>

namespace tz {

/// Installs a budget for the thread until it is destroyed. Inside another one
/// it does nothing: the outer one is spent.
class CompileBudget {
public:
  struct Limits {
    double seconds = 0;     ///< 0: no limit
    uint64_t mebibytes = 0; ///< 0: no limit
    /// Asked every 40 ms on this thread; a code other than 0 ends the
    /// compilation. May be empty.
    std::function<int32_t()> interrupted;
  };
  enum class End { None, Time, Memory, Interrupted };

  /// What is left of a budget, for a thread that works for its owner.
  struct Share {
    Limits limits;
    std::chrono::steady_clock::time_point start;
    uint64_t bytesBefore = 0; ///< of the process
  };
  /// How a budget ended, and what its thread worked on then.
  struct Outcome {
    End end = End::None;
    int32_t code = 0;        ///< the caller's (End::Interrupted)
    uint64_t operations = 0; ///< when memory was exceeded
    std::string work;
  };

  explicit CompileBudget(Limits limits);
  explicit CompileBudget(Share share);
  ~CompileBudget();
  CompileBudget(const CompileBudget &) = delete;
  CompileBudget &operator=(const CompileBudget &) = delete;

  /// The other thread asks `interrupted` instead of the caller.
  Share share(std::function<int32_t()> interrupted) const;
  const Outcome &outcome() const { return ended; }
  /// What became of its share.
  void adopt(Outcome outcome);

  /// Of this thread; null: nothing is limited.
  static CompileBudget *current();
  /// True from the moment on at which the work is to end. A few nanoseconds:
  /// loops over operations may ask in each iteration. The IR must be whole.
  static bool isSpent();
  /// The same without asking anew.
  static bool wasSpent() { return endOf(current()) != End::None; }
  static bool wasInterrupted() { return endOf(current()) == End::Interrupted; }
  /// Asks the caller alone: time and memory are another thread's to look at.
  static bool isInterrupted();

  /// What the thread works on now, for the message: "pass tile-simplify".
  static void enter(std::string work);
  /// The IR that it makes; null: none yet. Memory is not limited without.
  static void watch(mlir::Operation *root);

  End end() const { return ended.end; }
  /// The code that the caller gave (End::Interrupted).
  int32_t interruption() const { return ended.code; }
  double secondsLeft() const;
  const Limits &limits() const { return given.limits; }
  /// One message: what was exceeded, where, and how to raise it.
  std::string reason() const;

private:
  using Clock = std::chrono::steady_clock;
  static End endOf(const CompileBudget *budget) {
    return budget ? budget->ended.end : End::None;
  }
  bool isTooLarge();
  void ask(Clock::time_point now);
  void look();

  const Share given;
  const bool isInner;
  int64_t nextLook = 0; ///< milliseconds of the coarse clock
  Clock::time_point nextQuestion, nextCount;
  bool isLooking = false;
  Outcome ended;
  mlir::Operation *root = nullptr;
};

} // namespace tz

#endif // TERRAZZO_CORE_IR_COMPILEBUDGET_H
