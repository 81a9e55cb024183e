//===- ThreadPool.h - Runs the programs of a grid -------------------------===//
//
// What   A fixed set of worker threads, or the threads of the program's
//        executor, that share a grid with the calling thread.
// Why    Kernels are short and many: a launch that is too small to share must
//        cost no more than a call, and one that is large must balance itself.
//
// Invariants
//   1. run() returns after every program has ended; no other thread touches the
//      grid or its arguments afterwards.
//   2. Grids of several callers run one after the other on worker threads. On
//      an executor's they run side by side, but for cooperative ones.
//   3. A cooperative grid is always shared, however short its programs were.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_THREADPOOL_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_THREADPOOL_H

#include "plugins/cpu/device/HostExecutor.h"
#include "plugins/cpu/device/SharedGrid.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <sched.h>
#include <thread>

namespace tz::cpu {

/// How a grid's run ended. A job that its control has stopped has run in part.
struct GridEnd {
  bool hasArena = true; ///< false: there was no memory; nothing has run
  /// What the program's executor failed with; the grid has run in part.
  int32_t executor = TZ_E_OK;

  explicit operator bool() const { return hasArena && executor == TZ_E_OK; }
};

class ThreadPool {
public:
  /// `threads` counts the caller; fewer run if the system gives fewer. With a
  /// host that has an executor there are no worker threads.
  explicit ThreadPool(unsigned threads, bool catchesFaults = false,
                      const tz_host *host = nullptr);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned threads() const {
    return executor ? executor.threads()
                    : static_cast<unsigned>(workers.size()) + 1;
  }
  /// Programs that certainly run at the same time.
  unsigned concurrency() const {
    return executor && !executor.isConcurrent() ? 1 : threads();
  }
  bool hasExecutor() const { return bool(executor); }

  GridEnd run(const GridJob &job);

private:
  /// A worker thread; its address stays.
  struct Worker {
    std::thread thread;
    std::atomic<pid_t> id{0}; ///< 0: it has not begun
    std::atomic<bool> sleeps{false};
    std::atomic<bool> isAway{false}; ///< `allowed` is to be restored
    cpu_set_t allowed{};
  };
  void workerLoop(Worker &self);
  void wake(uint32_t asleep);
  void share(const GridJob &job, void *arena);
  int32_t shareWithExecutor(const GridJob &job);
  bool awaitTurn(const GridJob &job, std::unique_lock<std::timed_mutex> &lock);

  const HostExecutor executor;
  std::deque<Worker> workers;
  std::timed_mutex launches; ///< invariant 2
  const bool catchesFaults;
  SharedGrid grid; ///< of the worker threads

  WakingCost waking;

  alignas(64) std::atomic<uint32_t> generation{0};
  std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> stopping{false};
};

} // namespace tz::cpu

#endif
