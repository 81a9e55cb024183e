//===- ThreadPool.h - Runs the programs of a grid -------------------------===//
//
// What   A fixed set of worker threads that share the linear ids of one grid
//        through an atomic counter; the calling thread takes part.
// Why    Kernels are short and many: a launch that is too small to share must
//        cost no more than a call, and one that is large must balance itself.
//
// Invariants
//   1. run() returns after every program has ended; no worker touches the grid
//      or its arguments afterwards.
//   2. Ids are handed out in rising order; with `ordered` one at a time, so a
//      program may wait for smaller ids.
//   3. Grids of several callers run one after the other.
//   4. A cooperative grid is always shared, however short its programs were.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_THREADPOOL_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_THREADPOOL_H

#include "plugins/cpu/KernelEntry.h"
#include "plugins/cpu/device/LaunchControl.h"
#include "plugins/cpu/device/LaunchCost.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

// Kernels carry no type record in front of their entry, which the sanitizer of
// function types would read.
#if defined(__clang__)
#define TZ_CALLS_KERNELS __attribute__((no_sanitize("function")))
#else
#define TZ_CALLS_KERNELS
#endif

namespace tz::cpu {

struct ThreadRun;
class LaunchArrays;

/// Scratch of one thread; grows and is kept until the thread ends.
class Arena {
public:
  Arena() = default;
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Null if there is no memory. `bytes` 0 gives null as well.
  void *reserve(size_t bytes);

  /// The calling thread's.
  static Arena &ofThisThread();

private:
  void *memory = nullptr;
  size_t size = 0;
};

struct GridJob {
  tz_cpu_entry entry = nullptr;
  const void *args = nullptr;
  uint32_t grid[3] = {1, 1, 1};
  int64_t programs = 1;
  size_t arenaBytes = 0;
  bool ordered = false;
  /// All programs run at the same time, each on its own thread. At most as many
  /// programs as the pool has threads.
  bool cooperative = false;
  /// What earlier launches measured. Null: nothing is known or kept.
  LaunchCost *cost = nullptr;
  /// Null: nothing ends it before its end.
  LaunchControl *control = nullptr;
  /// Faults of instructions in [codeBegin, codeEnd) end the launch; needs the
  /// control. None, if both are 0.
  uint64_t codeBegin = 0, codeEnd = 0;
  const char *name = ""; ///< of the kernel
  /// The code does not write tz_cpu_run.program (TZ_CPU_KERNEL_REPEATABLE).
  bool repeatable = false;
  /// Of checked code; needs the control.
  const LaunchArrays *arrays = nullptr;
};

class ThreadPool {
public:
  /// `threads` counts the caller; fewer run if the system gives fewer.
  explicit ThreadPool(unsigned threads, bool catchesFaults = false);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned threads() const { return static_cast<unsigned>(workers.size()) + 1; }

  /// False if the caller's arena could not be made; nothing has run then. A job
  /// that its control has stopped has run in part.
  bool run(const GridJob &job);

private:
  void workerLoop();
  int64_t takePart(ThreadRun &run, void *arena);
  void share(const GridJob &job, void *arena);
  void awaitWorkers(LaunchControl *control);

  std::vector<std::thread> workers;
  std::timed_mutex launches; ///< invariant 3
  const bool catchesFaults;

  // The job on offer. Written by the launching thread before `open` is set.
  GridJob current;
  int64_t chunk = 1;

  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) std::atomic<uint32_t> generation{0};
  std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> open{false};
  std::atomic<bool> stopping{false};
  alignas(64) std::atomic<uint32_t> inside{0}; ///< workers that may run chunks
  std::atomic<bool> callerSleeps{false};
};

} // namespace tz::cpu

#endif
