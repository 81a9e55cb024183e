//===- ThreadPool.cpp - Runs the programs of a grid -----------------------===//
//
// What   Workers spin shortly for the next grid, then sleep on a futex.
// Why    A wake-up costs several microseconds; two launches that follow each
//        other closely should not pay it, and an idle process should not spin.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/ThreadPool.h"

#include "plugins/cpu/device/CpuInfo.h"
#include "plugins/cpu/device/Faults.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <linux/futex.h>
#include <new>
#include <optional>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tz::cpu {

namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kHugeFrom = size_t{1} << 20;
constexpr uint64_t kSpinNs = 30000;
/// Of programs between two questions whether the launch is to end.
constexpr uint64_t kPieceNs = 1000000;
/// Chunks per thread: enough to balance uneven programs.
constexpr int64_t kChunksPerThread = 16;

uint64_t nowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u +
         static_cast<uint64_t>(t.tv_nsec);
}

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

uint32_t *word(std::atomic<uint32_t> &value) {
  static_assert(sizeof(std::atomic<uint32_t>) == 4);
  return reinterpret_cast<uint32_t *>(&value);
}

void futexWait(std::atomic<uint32_t> &value, uint32_t expected,
               const timespec *atMost = nullptr) {
  syscall(SYS_futex, word(value), FUTEX_WAIT_PRIVATE, expected, atMost, nullptr,
          0);
}

void futexWake(std::atomic<uint32_t> &value, int count) {
  syscall(SYS_futex, word(value), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr,
          0);
}

/// Spins until `done` or the time is over. True if done.
template <typename Done>
bool spinUntil(Done done) {
  uint64_t start = 0;
  for (unsigned turn = 1;; ++turn) {
    if (done()) {
      return true;
    }
    pause();
    if (turn % 32 == 0) {
      uint64_t now = nowNs();
      if (start == 0) {
        start = now;
      } else if (now - start > kSpinNs) {
        return false;
      }
    }
  }
}

bool isStopped(const GridJob &job) {
  return job.control && job.control->isStopped();
}

/// What this thread measured: waking the others is not part of it.
void noteCost(const GridJob &job, bool wasAlone, uint64_t elapsedNs,
              int64_t programs) {
  if (job.cost && !isStopped(job)) {
    job.cost->note(wasAlone, elapsedNs, programs);
  }
}

/// Kernels are defined for round to nearest with denormals; a host program may
/// have set something else on its own thread.
class DefaultFloatMode {
public:
#if defined(__x86_64__)
  DefaultFloatMode() : saved(_mm_getcsr()) {
    if ((saved & 0xffc0u) != 0x1f80u) {
      _mm_setcsr(0x1f80u);
      changed = true;
    }
  }
  ~DefaultFloatMode() {
    if (changed) {
      _mm_setcsr(saved);
    }
  }

private:
  unsigned saved;
  bool changed = false;
#endif
};

} // namespace

//===--- Arena ------------------------------------------------------------===//

Arena::~Arena() { std::free(memory); }

void *Arena::reserve(size_t bytes) {
  if (bytes <= size) {
    return bytes ? memory : nullptr;
  }
  // Overcommit would hand out what cannot be used and kill the process later.
  if (bytes > CpuInfo::host().totalMemory) {
    return nullptr;
  }
  size_t align = bytes >= kHugeFrom ? kHugePage : 64;
  size_t rounded = (bytes + align - 1) & ~(align - 1);
  void *fresh = std::aligned_alloc(align, rounded);
  if (!fresh) {
    return nullptr;
  }
  if (align == kHugePage) {
    // Only a hint: without huge pages the arena works, a little slower.
    madvise(fresh, rounded, MADV_HUGEPAGE);
  }
  std::free(memory);
  memory = fresh;
  size = rounded;
  return memory;
}

Arena &Arena::ofThisThread() {
  // No thread_local with a destructor: the C library ends the process where it
  // has no memory to note one. Without the key's the arena outlives its thread.
  static const pthread_key_t key = [] {
    pthread_key_t made = PTHREAD_KEYS_MAX;
    (void)pthread_key_create(
        &made, [](void *arena) { static_cast<Arena *>(arena)->~Arena(); });
    return made;
  }();
  alignas(Arena) static thread_local std::byte storage[sizeof(Arena)];
  static thread_local Arena *arena = nullptr;
  if (!arena) {
    arena = new (storage) Arena;
    (void)pthread_setspecific(key, arena);
  }
  return *arena;
}

//===--- ThreadPool -------------------------------------------------------===//

ThreadPool::ThreadPool(unsigned threads, bool catchesFaults)
    : catchesFaults(catchesFaults) {
  workers.reserve(threads);
  for (unsigned i = 1; i < threads; ++i) {
    try {
      workers.emplace_back([this] { workerLoop(); });
    } catch (const std::system_error &) {
      break;
    } catch (const std::bad_alloc &) {
      break; // those that run are enough
    }
  }
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  generation.fetch_add(1);
  futexWake(generation, INT32_MAX);
  for (std::thread &worker : workers) {
    worker.join();
  }
}

void ThreadPool::workerLoop() {
  std::optional<AlternateStack> stack;
  if (catchesFaults) {
    stack.emplace();
  }
  uint32_t seen = 0;
  for (;;) {
    auto changed = [&] { return generation.load() != seen; };
    if (!spinUntil(changed)) {
      sleepers.fetch_add(1);
      while (!changed()) {
        futexWait(generation, seen);
      }
      sleepers.fetch_sub(1);
    }
    seen = generation.load();
    if (stopping.load()) {
      return;
    }
    // Entered before `open` is read: the launching thread first closes the job
    // and then waits until nobody is inside.
    inside.fetch_add(1);
    if (open.load()) {
      DefaultFloatMode mode;
      void *arena = Arena::ofThisThread().reserve(current.arenaBytes);
      if (arena || current.arenaBytes == 0) {
        ThreadRun run(current, false);
        takePart(run, arena);
      }
    }
    if (inside.fetch_sub(1) == 1 && callerSleeps.load()) {
      futexWake(inside, 1);
    }
  }
}

TZ_CALLS_KERNELS static void runPiece(ThreadRun &run, int64_t first,
                                      int64_t last, void *arena) {
  const GridJob &job = run.job;
  if (job.codeEnd || job.arrays) {
    runCatching(run, first, last, arena);
  } else {
    job.entry(job.args, job.grid, first, last, arena, &run);
  }
}

/// Programs from `first` to `last`, or fewer if the launch ends before. In
/// pieces that do not take long: the code asks in its loops, but not between
/// programs.
static void runPrograms(ThreadRun &run, int64_t first, int64_t last,
                        void *arena) {
  const GridJob &job = run.job;
  const uint32_t known = job.cost ? job.cost->perProgram() : 0;
  int64_t piece = known ? std::max<int64_t>(kPieceNs / known, 1) : 1;
  if (!job.control) {
    piece = last - first;
  }
  while (last - first > piece) {
    const uint64_t start = known ? 0 : nowNs();
    runPiece(run, first, first + piece, arena);
    first += piece;
    if (__atomic_load_n(run.stop, __ATOMIC_RELAXED) && run.ask(&run)) {
      return;
    }
    if (!known && nowNs() - start < kPieceNs / 2) {
      piece *= 2;
    }
  }
  runPiece(run, first, last, arena);
}

/// Returns how many programs this thread ran.
int64_t ThreadPool::takePart(ThreadRun &run, void *arena) {
  const GridJob &job = run.job;
  const int64_t size = chunk;
  int64_t ran = 0;
  for (;;) {
    int64_t first = next.fetch_add(size, std::memory_order_relaxed);
    if (first >= job.programs || isStopped(job)) {
      return ran;
    }
    int64_t last = std::min(first + size, job.programs);
    runPrograms(run, first, last, arena);
    ran += last - first;
  }
}

void ThreadPool::awaitWorkers(LaunchControl *control) {
  auto empty = [&] { return inside.load() == 0; };
  if (spinUntil(empty)) {
    return;
  }
  callerSleeps.store(true);
  for (;;) {
    uint32_t count = inside.load();
    if (count == 0) {
      break;
    }
    static constexpr timespec interval = {
        0, std::chrono::nanoseconds(kAskInterval).count()};
    futexWait(inside, count, control ? &interval : nullptr);
    if (control) {
      (void)control->askIfReminded();
    }
  }
  callerSleeps.store(false);
}

void ThreadPool::share(const GridJob &job, void *arena) {
  std::unique_lock<std::timed_mutex> lock(launches, std::try_to_lock);
  while (!lock.owns_lock() && !lock.try_lock_for(kAskInterval)) {
    // Another thread's launch may never end.
    if (job.control && !job.control->ask()) {
      return;
    }
  }
  current = job;
  int64_t perThread = job.programs / (threads() * kChunksPerThread);
  chunk = job.ordered || job.cooperative ? 1 : std::max<int64_t>(perThread, 1);
  next.store(0, std::memory_order_relaxed);
  open.store(true);
  generation.fetch_add(1);
  if (uint32_t asleep = sleepers.load()) {
    int64_t useful = (job.programs - 1) / chunk;
    futexWake(generation, static_cast<int>(std::min<int64_t>(asleep, useful)));
  }
  ThreadRun run(job, true);
  uint64_t start = nowNs();
  int64_t ran = takePart(run, arena);
  noteCost(job, /*wasAlone=*/false, nowNs() - start, ran);
  open.store(false);
  awaitWorkers(job.control);
}

bool ThreadPool::run(const GridJob &job) {
  void *arena = Arena::ofThisThread().reserve(job.arenaBytes);
  if (!arena && job.arenaBytes != 0) {
    return false;
  }
  DefaultFloatMode mode;
  if (job.programs == 1) {
    ThreadRun run(job, true);
    runPrograms(run, 0, 1, arena);
    return true;
  }
  if (!workers.empty() &&
      (job.cooperative || !job.cost || !job.cost->runsAlone(job.programs))) {
    share(job, arena);
    return true;
  }
  ThreadRun run(job, true);
  uint64_t start = nowNs();
  runPrograms(run, 0, job.programs, arena);
  noteCost(job, /*wasAlone=*/true, nowNs() - start, job.programs);
  return true;
}

} // namespace tz::cpu
