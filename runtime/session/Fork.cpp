//===- Fork.cpp - is this a child that must not go on ---------------------===//
//
// What   See Fork.h.
// Why    See Fork.h.
//===----------------------------------------------------------------------===//
#include "runtime/session/Fork.h"

#include <pthread.h>

namespace tz::runtime {

std::atomic<bool> forkedWithSession{false};

void watchForks() {
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] {
        forkedWithSession.store(true, std::memory_order_relaxed);
      });
}

Status forkedStatus() {
  return Status(TZ_E_FAILED_PRECONDITION,
                "this process was forked from one that had made a session; "
                "threads, locks and devices do not survive a fork. Make "
                "sessions after forking, or start the child with exec "
                "(Python's multiprocessing: start method 'spawn')");
}

} // namespace tz::runtime
