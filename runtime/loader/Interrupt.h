//===- Interrupt.h - whether a wait is to end before its time ---*- C++ -*-===//
//
// What   What a call asks while it waits: the program's own hook
//        (tz_session_options.on_wait), and the time limit of the stream that
//        the call is about.
// Why    Kernels and compilers may run for ever. The thread that waits asks,
//        so that the hook may do what only that thread can: run the handlers
//        of Python's signals.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_INTERRUPT_H
#define TERRAZZO_RUNTIME_LOADER_INTERRUPT_H

#include "runtime/loader/Status.h"

#include <chrono>

namespace tz::runtime {

/// [thread: any] once it is set.
struct Interrupt {
  /// How often a wait asks.
  static constexpr std::chrono::milliseconds Interval{40};

  int32_t (*hook)(void *ctx) = nullptr;
  void *ctx = nullptr;

  /// False: nobody would ever end a wait of this thread.
  bool isPossible() const;
  /// TZ_E_OK, or the code that the wait is to end with.
  int32_t code() const;
};

/// Limits what this thread waits for while it lives. 0 ns: no limit. The inner
/// one of two counts.
class TimeLimit {
public:
  explicit TimeLimit(uint64_t ns);
  ~TimeLimit();
  TimeLimit(const TimeLimit &) = delete;

  bool isPassed() const;

private:
  const std::chrono::steady_clock::time_point end;
  const bool limits;
  const TimeLimit *const outer;
};

/// Compile requests (tz_compile_request.request_id) that nobody waits for any
/// more: their compilers are asked to stop. [thread: any]
void cancelRequest(uint64_t id);
void forgetRequest(uint64_t id);
bool isCancelledRequest(uint64_t id);

/// "the wait for X was ended", as the code says.
Status interrupted(int32_t code, std::string_view waitedFor);

} // namespace tz::runtime

#endif
