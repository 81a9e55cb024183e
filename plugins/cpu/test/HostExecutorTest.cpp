//===- HostExecutorTest.cpp - Grids on the threads of a program -----------===//
//
// What   Executors of several kinds below the pool: a queue of threads, one
//        that waits, one of a single thread, one that fails, one that is late.
// Why    What an executor does is the program's own code. Whatever it does,
//        each program runs once or the launch fails, and nothing hangs.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"

#include "plugins/cpu/device/Running.h"
#include "plugins/cpu/device/ThreadPool.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <set>

using namespace tz::cpu;

namespace {

/// A host with an executor, which is a function over tasks.
class Host {
public:
  using Task = std::function<void()>;
  using Run = std::function<int32_t(uint32_t count, const Task &task)>;

  Host(uint32_t threads, Run given, bool isConcurrent = false)
      : run(std::move(given)) {
    table.struct_size = sizeof table;
    table.ctx = this;
    table.executor_threads = threads;
    table.executor_flags = isConcurrent ? TZ_EXECUTOR_CONCURRENT : 0;
    table.execute = [](void *ctx, uint32_t count, void (*task)(void *),
                       void *data) {
      return static_cast<Host *>(ctx)->run(count, [=] { task(data); });
    };
  }
  Host(const Host &) = delete;

  tz_host table{};

private:
  const Run run;
};

/// Threads that take tasks from a queue.
class Workers {
public:
  explicit Workers(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      threads.emplace_back([this] { loop(); });
      ids.insert(threads.back().get_id());
    }
  }
  ~Workers() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      stopping = true;
    }
    changed.notify_all();
    for (std::thread &thread : threads) {
      thread.join();
    }
  }
  void post(std::function<void()> task) {
    std::lock_guard<std::mutex> lock(mutex);
    queue.push_back(std::move(task));
    changed.notify_one();
  }
  Host::Run run() {
    return [this](uint32_t count, const Host::Task &task) {
      for (uint32_t i = 0; i < count; ++i) {
        post(task);
      }
      return int32_t{TZ_E_OK};
    };
  }
  std::set<std::thread::id> ids;

private:
  void loop() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return stopping || !queue.empty(); });
      if (queue.empty()) {
        return;
      }
      std::function<void()> task = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  bool stopping = false;
  std::vector<std::thread> threads;
};

/// Which thread ran which program, and how often.
struct Seen {
  explicit Seen(int64_t programs) : by(size_t(programs)), times(by.size()) {}
  std::vector<std::thread::id> by;
  std::vector<std::atomic<int>> times;
  std::atomic<uint32_t> started{0};
  uint32_t expected = 0;

  void expectEachOnce() const {
    for (const std::atomic<int> &count : times) {
      ASSERT_EQ(count.load(), 1);
    }
  }
};

void notePrograms(const void *args, const uint32_t *, int64_t first,
                  int64_t last, void *, tz_cpu_run *) {
  auto *seen = *static_cast<Seen *const *>(args);
  for (int64_t i = first; i < last; ++i) {
    seen->by[size_t(i)] = std::this_thread::get_id();
    seen->times[size_t(i)].fetch_add(1);
  }
}

/// Programs end once as many as `expected` have begun.
void waitForOthers(const void *args, const uint32_t *grid, int64_t first,
                   int64_t last, void *arena, tz_cpu_run *run) {
  auto *seen = *static_cast<Seen *const *>(args);
  seen->started.fetch_add(1);
  while (seen->started.load() < seen->expected) {
    std::this_thread::yield();
  }
  notePrograms(args, grid, first, last, arena, run);
}

GridEnd run(ThreadPool &pool, Seen *seen, tz_cpu_entry entry = notePrograms,
            bool isCooperative = false) {
  GridJob job;
  job.entry = entry;
  job.args = &seen;
  job.programs = int64_t(seen->by.size());
  job.cooperative = isCooperative;
  return pool.run(job);
}

TEST(Executor, ProgramsRunOnItsThreadsAndOnTheLaunchingOne) {
  Workers workers(3);
  Host host(4, workers.run(), /*isConcurrent=*/true);
  // The number of threads for a pool of its own is passed over.
  ThreadPool pool(64, false, &host.table);
  EXPECT_EQ(pool.threads(), 4u);
  EXPECT_EQ(pool.concurrency(), 4u);
  Seen seen(4);
  seen.expected = 4;
  ASSERT_TRUE(run(pool, &seen, waitForOthers, /*isCooperative=*/true));
  seen.expectEachOnce();
  std::set<std::thread::id> ran(seen.by.begin(), seen.by.end());
  std::set<std::thread::id> all = workers.ids;
  all.insert(std::this_thread::get_id());
  EXPECT_EQ(ran, all);
}

TEST(Executor, RunsEveryProgramOnceForSeveralLaunchingThreads) {
  Workers workers(2);
  Host host(3, workers.run());
  ThreadPool pool(1, false, &host.table);
  std::vector<std::thread> callers;
  for (unsigned t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int64_t i = 0; i < 300; ++i) {
        Seen seen(1 + i * 7 % 100);
        ASSERT_TRUE(run(pool, &seen));
        seen.expectEachOnce();
      }
    });
  }
  for (std::thread &caller : callers) {
    caller.join();
  }
}

TEST(Executor, OfOneThreadIsNeverAsked) {
  Host host(1, [](uint32_t, const Host::Task &) -> int32_t {
    ADD_FAILURE() << "asked";
    return TZ_E_INTERNAL;
  });
  ThreadPool pool(8, false, &host.table);
  Seen seen(100);
  ASSERT_TRUE(run(pool, &seen));
  seen.expectEachOnce();
}

TEST(Executor, ThatRunsItsTasksAtOnceOnTheLaunchingThread) {
  Host host(4, [](uint32_t count, const Host::Task &task) -> int32_t {
    for (uint32_t i = 0; i < count; ++i) {
      task();
    }
    return TZ_E_OK;
  });
  ThreadPool pool(1, false, &host.table);
  EXPECT_EQ(pool.concurrency(), 1u);
  Seen seen(1000);
  ASSERT_TRUE(run(pool, &seen));
  seen.expectEachOnce();
}

TEST(Executor, ALaunchFromItsOnlyThreadEnds) {
  Workers workers(1);
  Host host(2, workers.run());
  ThreadPool pool(1, false, &host.table);
  // The task of the launch comes behind the one that launches.
  std::atomic<bool> done{false};
  workers.post([&] {
    Seen seen(1000);
    EXPECT_TRUE(run(pool, &seen));
    seen.expectEachOnce();
    done = true;
  });
  while (!done) {
    std::this_thread::yield();
  }
}

TEST(Executor, WorkOfTheProgramsMayLaunchWhileItIsAsked) {
  // As an executor that takes up other work while it waits for its tasks.
  ThreadPool *made = nullptr;
  bool isInner = false;
  Host host(2, [&](uint32_t, const Host::Task &task) -> int32_t {
    if (!std::exchange(isInner, true)) {
      Running inner;
      EXPECT_TRUE(inner.isFirst());
      Seen seen(50);
      GridJob larger;
      Seen *at = &seen;
      larger.entry = notePrograms;
      larger.args = &at;
      larger.programs = 50;
      larger.arenaBytes = size_t{1} << 16; // moves the thread's arena
      EXPECT_TRUE(made->run(larger));
      seen.expectEachOnce();
    }
    task();
    return TZ_E_OK;
  });
  ThreadPool pool(1, false, &host.table);
  made = &pool;
  Running outer;
  Seen seen(50);
  ASSERT_TRUE(run(pool, &seen));
  seen.expectEachOnce();
  EXPECT_TRUE(outer.isFirst());
}

TEST(Executor, ThatFailsEndsTheLaunch) {
  Host::Task late;
  Host host(3, [&](uint32_t, const Host::Task &task) -> int32_t {
    task(); // one has begun
    late = task;
    return TZ_E_UNAVAILABLE;
  });
  ThreadPool pool(1, false, &host.table);
  Seen seen(1000);
  GridEnd end = run(pool, &seen);
  EXPECT_FALSE(end);
  EXPECT_EQ(end.executor, TZ_E_UNAVAILABLE);
  late(); // and does nothing
  for (const std::atomic<int> &count : seen.times) {
    ASSERT_LE(count.load(), 1);
  }
}

TEST(Executor, TasksMayComeAfterThePoolHasGone) {
  std::vector<Host::Task> late;
  Host host(3, [&](uint32_t count, const Host::Task &task) -> int32_t {
    late.insert(late.end(), count, task);
    return TZ_E_OK;
  });
  for (int round = 0; round < 3; ++round) {
    {
      ThreadPool pool(1, false, &host.table);
      Seen seen(100);
      ASSERT_TRUE(run(pool, &seen));
      seen.expectEachOnce();
    }
    for (const Host::Task &task : std::exchange(late, {})) {
      task();
    }
  }
}

TEST(Executor, ShortLaunchesStayOnTheLaunchingThread) {
  int asked = 0;
  Host host(2, [&](uint32_t, const Host::Task &task) -> int32_t {
    ++asked;
    task();
    return TZ_E_OK;
  });
  ThreadPool pool(1, false, &host.table);
  LaunchCost cost;
  Seen seen(4), *at = &seen;
  GridJob job;
  job.entry = notePrograms;
  job.args = &at;
  job.programs = 4;
  job.cost = &cost;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(pool.run(job));
  }
  EXPECT_GE(asked, 1);
  EXPECT_LE(asked, 50);
}

} // namespace
