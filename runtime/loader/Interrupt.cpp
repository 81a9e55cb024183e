//===- Interrupt.cpp - whether a wait is to end before its time -----------===//
//
// What   See Interrupt.h.
// Why    See Interrupt.h.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Interrupt.h"

#include <mutex>
#include <set>

namespace tz::runtime {

static thread_local const TimeLimit *innermost = nullptr;

TimeLimit::TimeLimit(uint64_t ns)
    : end(std::chrono::steady_clock::now() +
          std::chrono::nanoseconds(std::min<uint64_t>(ns, INT64_MAX / 2))),
      limits(ns != 0), outer(innermost) {
  innermost = this;
}

TimeLimit::~TimeLimit() { innermost = outer; }

bool TimeLimit::isPassed() const {
  return limits && std::chrono::steady_clock::now() >= end;
}

bool Interrupt::isPossible() const { return hook || innermost; }

int32_t Interrupt::code() const {
  if (innermost && innermost->isPassed()) {
    return TZ_E_TIMEOUT;
  }
  return hook ? hook(ctx) : int32_t(TZ_E_OK);
}

namespace {
struct Requests {
  std::mutex lock;
  std::set<uint64_t> cancelled;
};
} // namespace

/// Never destroyed: threads may ask while the process ends.
static Requests &requests() {
  static Requests &all = *new Requests;
  return all;
}

void cancelRequest(uint64_t id) {
  std::lock_guard guard(requests().lock);
  requests().cancelled.insert(id);
}

void forgetRequest(uint64_t id) {
  std::lock_guard guard(requests().lock);
  requests().cancelled.erase(id);
}

bool isCancelledRequest(uint64_t id) {
  std::lock_guard guard(requests().lock);
  return requests().cancelled.contains(id);
}

Status interrupted(int32_t code, std::string_view waitedFor) {
  std::string text = "the wait for " + std::string(waitedFor);
  return code == TZ_E_TIMEOUT
             ? Status(code, text + " took longer than the stream's time limit")
             : Status(code, text + " was interrupted");
}

} // namespace tz::runtime
