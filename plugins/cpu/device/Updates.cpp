//===- Updates.cpp - Which launches have atomics at the same time ---------===//
//
// What   See Updates.h.
// Why    See Updates.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/Updates.h"

#include "plugins/cpu/device/LaunchControl.h"
#include "plugins/cpu/device/Wait.h"

#include <climits>

namespace tz::cpu {

namespace {

constexpr uint32_t Alone = UINT32_MAX;
constinit std::atomic<uint32_t> users{0}; ///< or Alone
constinit std::atomic<uint32_t> waiting{0};

bool tryEnter() {
  uint32_t count = users.load();
  while (count != Alone) {
    if (users.compare_exchange_weak(count, count + 1)) {
      return true;
    }
  }
  return false;
}

} // namespace

bool Updates::tryAlone() {
  uint32_t none = 0;
  return waiting.load(std::memory_order_relaxed) == 0 &&
         users.compare_exchange_strong(none, Alone);
}

void Updates::endAlone() {
  users.store(0);
  if (waiting.load() != 0) {
    futexWake(users, INT_MAX);
  }
}

bool Updates::enter(LaunchControl *control) {
  if (spinUntil(tryEnter)) {
    return true;
  }
  static constexpr timespec interval = {
      0, std::chrono::nanoseconds(AskInterval).count()};
  waiting.fetch_add(1);
  bool entered = tryEnter();
  while (!entered && (!control || control->ask())) {
    futexWait(users, Alone, &interval);
    entered = tryEnter();
  }
  waiting.fetch_sub(1);
  return entered;
}

void Updates::leave() { users.fetch_sub(1); }

} // namespace tz::cpu
