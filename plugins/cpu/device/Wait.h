//===- Wait.h - Short waits and sleeps of threads -------------------------===//
//
// What   Spinning for some microseconds, then sleeping on a futex.
// Why    What threads of a launch wait for comes soon, or not for a long time.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_WAIT_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_WAIT_H

#include <atomic>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tz::cpu {

/// Monotonic.
inline uint64_t nowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u +
         static_cast<uint64_t>(t.tv_nsec);
}

inline uint32_t *futexWord(std::atomic<uint32_t> &value) {
  static_assert(sizeof(std::atomic<uint32_t>) == 4);
  return reinterpret_cast<uint32_t *>(&value);
}

inline void futexWait(std::atomic<uint32_t> &value, uint32_t expected,
                      const timespec *atMost = nullptr) {
  syscall(SYS_futex, futexWord(value), FUTEX_WAIT_PRIVATE, expected, atMost,
          nullptr, 0);
}

inline void futexWake(std::atomic<uint32_t> &value, int count) {
  syscall(SYS_futex, futexWord(value), FUTEX_WAKE_PRIVATE, count, nullptr,
          nullptr, 0);
}

/// Spins until `done` or the time is over. True if done.
template <typename Done>
bool spinUntil(Done done) {
  constexpr uint64_t spinNs = 30000;
  uint64_t start = 0;
  for (unsigned round = 1;; ++round) {
    if (done()) {
      return true;
    }
#if defined(__x86_64__)
    _mm_pause();
#endif
    if (round % 32 == 0) {
      uint64_t now = nowNs();
      if (start == 0) {
        start = now;
      } else if (now - start > spinNs) {
        return false;
      }
    }
  }
}

} // namespace tz::cpu

#endif
