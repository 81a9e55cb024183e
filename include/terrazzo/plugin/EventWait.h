//===- terrazzo/plugin/EventWait.h - waits of device halves ---------------===//
//
// What   waitUntil() asks ever more rarely whether an event has come. waitFor()
//        waits for a condition.
// Why    The waits of drivers have no end. condition_variable::wait() needs a
//        newer C++ library than users may have (R19); wait_for() does not.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_EVENTWAIT_H
#define TERRAZZO_PLUGIN_EVENTWAIT_H

#include <terrazzo/plugin/Error.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tz::plugin {

/// Until `hasCome` answers true. Throws TZ_E_TIMEOUT after that time.
template <typename HasCome>
void waitUntil(HasCome hasCome, uint64_t timeoutNs) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  auto pause = std::chrono::microseconds(1);
  while (!hasCome()) {
    const auto waited = std::chrono::duration_cast<std::chrono::nanoseconds>(
        Clock::now() - start);
    if (uint64_t(waited.count()) >= timeoutNs) {
      throw Failure(TZ_E_TIMEOUT, "the event did not come within " +
                                      std::to_string(timeoutNs) + " ns");
    }
    const uint64_t left = timeoutNs - uint64_t(waited.count());
    std::this_thread::sleep_for(std::chrono::nanoseconds(
        std::min(uint64_t(pause.count()) * 1000, left)));
    pause = std::min(pause * 2, std::chrono::microseconds(500));
  }
}

/// Until `holds()`, which is asked with the lock held.
template <typename Holds>
void waitFor(std::condition_variable &changed,
             std::unique_lock<std::mutex> &guard, Holds holds) {
  while (!changed.wait_for(guard, std::chrono::seconds(1), holds)) {
  }
}

} // namespace tz::plugin

#endif // TERRAZZO_PLUGIN_EVENTWAIT_H
