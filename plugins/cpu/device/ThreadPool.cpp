//===- ThreadPool.cpp - Runs the programs of a grid -----------------------===//
//
// What   Workers spin shortly for the next grid, then sleep on a futex.
// Why    A wake-up costs several microseconds; two launches that follow each
//        other closely should not pay it, and an idle process should not spin.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/ThreadPool.h"

#include "plugins/cpu/device/Faults.h"
#include "plugins/cpu/device/ThreadArena.h"
#include "plugins/cpu/device/Updates.h"
#include "plugins/cpu/device/Wait.h"

#include <algorithm>
#include <climits>
#include <new>
#include <optional>
#include <system_error>

namespace tz::cpu {

ThreadPool::ThreadPool(unsigned threads, bool catchesFaults,
                       const tz_host *host)
    : executor(host), catchesFaults(catchesFaults) {
  if (executor) {
    return;
  }
  for (unsigned i = 1; i < threads; ++i) {
    try {
      Worker &self = workers.emplace_back();
      self.thread = std::thread([this, &self] { workerLoop(self); });
    } catch (const std::system_error &) {
      break;
    } catch (const std::bad_alloc &) {
      break; // those that run are enough
    }
  }
  if (!workers.empty() && !workers.back().thread.joinable()) {
    workers.pop_back();
  }
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  generation.fetch_add(1);
  futexWake(generation, INT32_MAX);
  for (Worker &worker : workers) {
    worker.thread.join();
  }
}

/// Where cores share no cache, as a virtual machine may tell, the system wakes
/// a thread that has slept for long on the core that wakes it, and moves it
/// tens of milliseconds later. So it is kept from that core while it wakes.
void ThreadPool::wake(uint32_t asleep) {
  constexpr size_t few = 8; // a microsecond each; of many one matters little
  const int here = workers.size() < few ? sched_getcpu() : -1;
  for (Worker &worker : workers) {
    cpu_set_t others;
    if (here < 0 || here >= CPU_SETSIZE || !worker.sleeps.load() ||
        worker.isAway.load() ||
        sched_getaffinity(worker.id, sizeof(others), &others) != 0 ||
        !CPU_ISSET(here, &others) || CPU_COUNT(&others) < 2) {
      continue;
    }
    worker.allowed = others;
    CPU_CLR(here, &others);
    worker.isAway.store(true);
    sched_setaffinity(worker.id, sizeof(others), &others);
  }
  futexWake(generation, static_cast<int>(asleep));
}

void ThreadPool::workerLoop(Worker &self) {
  self.id.store(static_cast<pid_t>(syscall(SYS_gettid)));
  std::optional<AlternateStack> stack;
  if (catchesFaults) {
    stack.emplace();
  }
  uint32_t seen = 0;
  for (;;) {
    auto changed = [&] { return generation.load() != seen; };
    if (!spinUntil(changed)) {
      self.sleeps.store(true);
      sleepers.fetch_add(1);
      while (!changed()) {
        futexWait(generation, seen);
      }
      sleepers.fetch_sub(1);
      self.sleeps.store(false);
      if (self.isAway.load()) {
        sched_setaffinity(0, sizeof(self.allowed), &self.allowed);
        self.isAway.store(false);
      }
    }
    seen = generation.load();
    if (stopping.load()) {
      return;
    }
    grid.help(/*isLauncher=*/false, /*notes=*/false);
  }
}

/// False: the launch is to end while another thread's goes on, perhaps for
/// ever.
bool ThreadPool::awaitTurn(const GridJob &job,
                           std::unique_lock<std::timed_mutex> &lock) {
  while (!lock.owns_lock() && !lock.try_lock_for(AskInterval)) {
    if (job.control && !job.control->ask()) {
      return false;
    }
  }
  return true;
}

void ThreadPool::share(const GridJob &job, void *arena) {
  std::unique_lock<std::timed_mutex> lock(launches, std::try_to_lock);
  if (!awaitTurn(job, lock)) {
    return;
  }
  const uint64_t start = sleepers.load() ? nowNs() : 0;
  grid.open(job, threads());
  generation.fetch_add(1);
  if (uint32_t asleep = sleepers.load()) {
    int64_t useful = (job.programs - 1) / grid.chunkSize();
    wake(static_cast<uint32_t>(std::min<int64_t>(asleep, useful)));
  }
  grid.work(arena);
  grid.close(job.control);
  if (start != 0) {
    const uint64_t each = job.cost ? job.cost->perProgramAlone() : 0;
    waking.note(nowNs() - start,
                each * static_cast<uint64_t>(job.programs) / threads());
  }
}

/// Programs of two cooperative grids would take each other's threads.
int32_t ThreadPool::shareWithExecutor(const GridJob &job) {
  std::unique_lock<std::timed_mutex> lock(launches, std::defer_lock);
  if (job.cooperative && !awaitTurn(job, lock)) {
    return TZ_E_OK;
  }
  return executor.share(job);
}

GridEnd ThreadPool::run(const GridJob &job) {
  void *arena = ThreadArena::ofThisThread().reserve(job.arenaBytes);
  if (!arena && job.arenaBytes != 0) {
    return {.hasArena = false};
  }
  DefaultFloatMode mode;
  const bool shares =
      threads() > 1 && job.programs > 1 &&
      (job.cooperative || !job.cost ||
       !job.cost->runsAlone(job.programs,
                            waking.gain(sleepers.load(), workers.size())));
  const bool enters = job.updates && (shares || job.ordered);
  if (enters && !Updates::enter(job.control)) {
    return {};
  }
  GridEnd end;
  if (!shares) {
    runAlone(job, arena);
  } else if (executor) {
    end.executor = shareWithExecutor(job);
  } else {
    share(job, arena);
  }
  if (enters) {
    Updates::leave();
  }
  return end;
}

} // namespace tz::cpu
