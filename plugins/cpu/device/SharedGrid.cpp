//===- SharedGrid.cpp - A grid that several threads work on ---------------===//
//
// What   See SharedGrid.h.
// Why    See SharedGrid.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/SharedGrid.h"

#include "plugins/cpu/device/Faults.h"
#include "plugins/cpu/device/ThreadArena.h"
#include "plugins/cpu/device/Updates.h"
#include "plugins/cpu/device/Wait.h"

#include <algorithm>

namespace tz::cpu {

namespace {

/// Of programs between two questions whether the launch is to end.
constexpr uint64_t PieceNs = 1000000;
/// Chunks per thread: enough to balance uneven programs.
constexpr int64_t ChunksPerThread = 16;

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

} // namespace

TZ_CALLS_KERNELS static void callEntry(ThreadRun &run, int64_t first,
                                       int64_t last, void *arena) {
  const GridJob &job = run.job;
  if (job.codeEnd || job.arrays) {
    runCatching(run, first, last, arena);
  } else {
    job.entry(job.args, job.grid, first, last, arena, &run);
  }
}

static void runPiece(ThreadRun &run, int64_t first, int64_t last, void *arena) {
  const GridJob &job = run.job;
  if (!run.maybeAlone) {
    callEntry(run, first, last, arena);
  } else if (Updates::tryAlone()) {
    run.alone = 1;
    callEntry(run, first, last, arena);
    run.alone = 0;
    Updates::endAlone();
  } else if (Updates::enter(job.control)) {
    callEntry(run, first, last, arena);
    Updates::leave();
  }
}

/// Programs from `first` to `last`, or fewer if the launch ends before. In
/// pieces that do not take long: the code asks in its loops, but not between
/// programs.
static void runPrograms(ThreadRun &run, int64_t first, int64_t last,
                        void *arena) {
  const GridJob &job = run.job;
  const uint32_t known = job.cost ? job.cost->perProgram() : 0;
  int64_t piece = known ? std::max<int64_t>(PieceNs / known, 1) : 1;
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
    if (!known && nowNs() - start < PieceNs / 2) {
      piece *= 2;
    }
  }
  runPiece(run, first, last, arena);
}

void runAlone(const GridJob &job, void *arena) {
  ThreadRun run(job, true);
  // Programs that wait may do so for those of another launch.
  run.maybeAlone = job.updates && !job.ordered;
  if (job.programs == 1) {
    runPrograms(run, 0, 1, arena);
    return;
  }
  const uint64_t start = nowNs();
  runPrograms(run, 0, job.programs, arena);
  noteCost(job, /*wasAlone=*/true, nowNs() - start, job.programs);
}

//===--- SharedGrid -------------------------------------------------------===//

void SharedGrid::open(const GridJob &given, unsigned threads) {
  job = given;
  const int64_t perThread = job.programs / (threads * ChunksPerThread);
  chunk = job.ordered || job.cooperative ? 1 : std::max<int64_t>(perThread, 1);
  next.store(0, std::memory_order_relaxed);
  isOpen.store(true);
}

/// Returns how many programs this thread ran.
int64_t SharedGrid::takePart(ThreadRun &run, void *arena) {
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

void SharedGrid::drop() { next.store(job.programs); }

void SharedGrid::work(void *arena) {
  ThreadRun run(job, true);
  const uint64_t start = nowNs();
  const int64_t ran = takePart(run, arena);
  noteCost(job, /*wasAlone=*/false, nowNs() - start, ran);
}

void SharedGrid::help(bool isLauncher, bool notes) {
  // Entered before `isOpen` is read: the launching thread first closes the grid
  // and then waits until nobody is inside.
  inside.fetch_add(1);
  if (isOpen.load()) {
    DefaultFloatMode mode;
    void *arena = ThreadArena::ofThisThread().reserve(job.arenaBytes);
    if (arena || job.arenaBytes == 0) {
      ThreadRun run(job, isLauncher);
      const uint64_t start = notes ? nowNs() : 0;
      const int64_t ran = takePart(run, arena);
      if (notes) {
        noteCost(job, /*wasAlone=*/false, nowNs() - start, ran);
      }
    }
  }
  if (inside.fetch_sub(1) == 1 && callerSleeps.load()) {
    futexWake(inside, 1);
  }
}

void SharedGrid::close(LaunchControl *control) {
  isOpen.store(false);
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
        0, std::chrono::nanoseconds(AskInterval).count()};
    futexWait(inside, count, control ? &interval : nullptr);
    if (control) {
      (void)control->askIfReminded();
    }
  }
  callerSleeps.store(false);
}

} // namespace tz::cpu
