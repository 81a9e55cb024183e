//===- ThreadPoolTest.cpp - Every program once, in order ------------------===//
//
// What   Stress of the pool: grids of all sizes, several callers, waiting
//        kernels, arenas.
// Why    A lost or doubled program shows in one launch of a million.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/ThreadPool.h"

#include "gtest/gtest.h"

#include <cfenv>
#include <chrono>
#include <memory>
#include <sched.h>
#include <thread>

using namespace tz::cpu;

namespace {

struct Counters {
  std::atomic<uint32_t> *seen;
};

void countPrograms(const void *args, const uint32_t *, int64_t first,
                   int64_t last, void *, tz_cpu_run *) {
  auto *a = static_cast<const Counters *>(args);
  for (int64_t i = first; i < last; ++i) {
    a->seen[i].fetch_add(1, std::memory_order_relaxed);
  }
}

void expectEachOnce(ThreadPool &pool, int64_t programs, bool ordered,
                    LaunchCost *cost) {
  std::vector<std::atomic<uint32_t>> seen(static_cast<size_t>(programs));
  Counters args{seen.data()};
  GridJob job;
  job.entry = countPrograms;
  job.args = &args;
  job.programs = programs;
  job.ordered = ordered;
  job.cost = cost;
  ASSERT_TRUE(pool.run(job));
  for (auto &count : seen) {
    ASSERT_EQ(count.load(), 1u);
  }
}

class Pool : public testing::TestWithParam<unsigned> {};

TEST_P(Pool, RunsEveryProgramOnce) {
  ThreadPool pool(GetParam());
  LaunchCost cost;
  for (int64_t programs : {1, 2, 3, 7, 64, 1000, 100000}) {
    for (bool ordered : {false, true}) {
      expectEachOnce(pool, programs, ordered, nullptr);
      expectEachOnce(pool, programs, ordered, &cost);
    }
  }
}

TEST_P(Pool, ManyShortLaunchesFromSeveralThreads) {
  ThreadPool pool(GetParam());
  std::vector<std::thread> callers;
  for (unsigned t = 0; t < 4; ++t) {
    callers.emplace_back([&, t] {
      for (int64_t i = 0; i < 500; ++i) {
        expectEachOnce(pool, 1 + (i * 7 + t) % 40, i % 3 == 0, nullptr);
      }
    });
  }
  for (std::thread &caller : callers) {
    caller.join();
  }
}

struct Sums {
  uint64_t *sum;
  std::atomic<uint32_t> *inside, *alone;
};

/// Programs add one each; alone they do so in two steps, which another thread
/// would disturb.
void addOnes(const void *args, const uint32_t *, int64_t first, int64_t last,
             void *, tz_cpu_run *run) {
  auto *a = static_cast<const Sums *>(args);
  if (run->alone) {
    EXPECT_EQ(a->inside->fetch_add(1), 0u);
    a->alone->fetch_add(1);
    auto *sum = const_cast<volatile uint64_t *>(a->sum);
    for (int64_t i = first; i < last; ++i) {
      *sum = *sum + 1;
    }
    a->inside->fetch_sub(1);
    return;
  }
  for (int64_t i = first; i < last; ++i) {
    __atomic_fetch_add(a->sum, 1, __ATOMIC_RELAXED);
  }
}

TEST_P(Pool, OneThreadAloneNeedsNoLocks) {
  constexpr unsigned callers = 4, launches = 200;
  constexpr int64_t programs = 300;
  ThreadPool pool(GetParam()), other(1);
  uint64_t sum = 0;
  std::atomic<uint32_t> inside{0}, alone{0};
  Sums args{&sum, &inside, &alone};
  GridJob job;
  job.entry = addOnes;
  job.args = &args;
  job.updates = true;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < callers; ++t) {
    threads.emplace_back([&, t] {
      GridJob mine = job;
      for (unsigned i = 0; i < launches; ++i) {
        mine.programs = i % 2 ? programs : 1;
        mine.ordered = i % 5 == 0;
        EXPECT_TRUE((t % 2 ? pool : other).run(mine));
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(sum, callers * launches / 2 * uint64_t{programs + 1});
  alone = 0;
  job.programs = 1;
  EXPECT_TRUE(pool.run(job));
  EXPECT_EQ(alone.load(), 1u);
  // Programs that wait may do so for those of another launch.
  job.ordered = true;
  EXPECT_TRUE(pool.run(job));
  EXPECT_EQ(alone.load(), 1u);
}

/// Each program waits for the one before it: hangs unless ids start in order.
void waitForPrevious(const void *args, const uint32_t *, int64_t first,
                     int64_t last, void *, tz_cpu_run *) {
  auto *a = static_cast<const Counters *>(args);
  for (int64_t i = first; i < last; ++i) {
    while (i > 0 && a->seen[i - 1].load(std::memory_order_acquire) == 0) {
    }
    a->seen[i].fetch_add(1, std::memory_order_release);
  }
}

TEST_P(Pool, OrderedProgramsMayWaitForSmallerIds) {
  ThreadPool pool(GetParam());
  // With more threads than cores each wait may cost a time slice.
  size_t programs = GetParam() > 2 ? 200 : 20000;
  std::vector<std::atomic<uint32_t>> seen(programs);
  Counters args{seen.data()};
  GridJob job;
  job.entry = waitForPrevious;
  job.args = &args;
  job.programs = static_cast<int64_t>(seen.size());
  job.ordered = true;
  ASSERT_TRUE(pool.run(job));
  EXPECT_EQ(seen.back().load(), 1u);
}

/// Each program waits until all have started: hangs unless each has a thread.
void waitForAll(const void *args, const uint32_t *grid, int64_t first,
                int64_t last, void *, tz_cpu_run *) {
  auto *a = static_cast<const Counters *>(args);
  for (int64_t i = first; i < last; ++i) {
    a->seen[0].fetch_add(1);
    while (a->seen[0].load() < grid[0]) {
      std::this_thread::yield();
    }
  }
}

TEST_P(Pool, CooperativeProgramsMayWaitForEachOther) {
  ThreadPool pool(GetParam());
  std::atomic<uint32_t> started;
  Counters args{&started};
  // Programs that were short at an earlier launch share the threads as well.
  LaunchCost cost;
  GridJob job;
  job.entry = waitForAll;
  job.args = &args;
  job.grid[0] = pool.threads();
  job.programs = pool.threads();
  job.cooperative = true;
  job.cost = &cost;
  for (bool isKnown : {false, true}) {
    started = 0;
    if (isKnown) {
      cost.note(/*wasAlone=*/true, 1, 1);
    }
    ASSERT_TRUE(pool.run(job));
    EXPECT_EQ(started.load(), pool.threads());
  }
}

void useArena(const void *args, const uint32_t *, int64_t first, int64_t last,
              void *arena, tz_cpu_run *) {
  auto bytes = *static_cast<const size_t *>(args);
  auto *words = static_cast<volatile int64_t *>(arena);
  for (int64_t i = first; i < last; ++i) {
    words[0] = i;
    words[bytes / 8 - 1] = ~i;
    if (reinterpret_cast<uintptr_t>(arena) % 64 != 0 || words[0] != i ||
        words[bytes / 8 - 1] != ~i) {
      __builtin_trap();
    }
  }
}

TEST_P(Pool, ArenasArePrivateAndGrow) {
  ThreadPool pool(GetParam());
  for (size_t bytes : {size_t{64}, size_t{4096}, size_t{5} << 20, size_t{64}}) {
    GridJob job;
    job.entry = useArena;
    job.args = &bytes;
    job.programs = 5000;
    job.arenaBytes = bytes;
    ASSERT_TRUE(pool.run(job));
  }
  GridJob tooLarge;
  tooLarge.entry = useArena;
  tooLarge.programs = 2;
  tooLarge.arenaBytes = SIZE_MAX / 2;
  EXPECT_FALSE(pool.run(tooLarge));
}

INSTANTIATE_TEST_SUITE_P(Threads, Pool, testing::Values(1u, 2u, 5u));

void divideByThree(const void *args, const uint32_t *, int64_t, int64_t, void *,
                   tz_cpu_run *) {
  auto *out = *static_cast<double *const *>(args);
  volatile double one = 1.0, three = 3.0;
  *out = one / three;
}

TEST(ThreadPool, KernelsRoundToNearestWhateverTheCallerSet) {
  ThreadPool pool(1);
  double result = 0, *pointer = &result;
  GridJob job;
  job.entry = divideByThree;
  job.args = &pointer;
  std::fesetround(FE_UPWARD);
  pool.run(job);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(result, 1.0 / 3.0);
}

struct Affinity {
  std::atomic<int> least{CPU_SETSIZE};
};

void noteAffinity(const void *args, const uint32_t *, int64_t, int64_t, void *,
                  tz_cpu_run *) {
  auto &least = (*static_cast<Affinity *const *>(args))->least;
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
  for (int now = least.load();
       CPU_COUNT(&mine) < now &&
       !least.compare_exchange_weak(now, CPU_COUNT(&mine));) {
  }
  // Long enough for a worker to come.
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// While a worker wakes it is kept from the core that wakes it, and no longer.
TEST(ThreadPool, WorkersThatSleptMayRunEverywhere) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  ThreadPool pool(4);
  Affinity found, *args = &found;
  GridJob job;
  job.entry = noteAffinity;
  job.args = &args;
  job.programs = 16;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // they sleep
    ASSERT_TRUE(pool.run(job));
  }
  EXPECT_EQ(found.least.load(), CPU_COUNT(&all));
}

} // namespace
