//===- SharedGrid.h - A grid that several threads work on -----------------===//
//
// What   One launch, and the counter through which threads share its linear
//        ids.
// Why    The device's own threads and those of a program's executor come to a
//        grid in different ways, and then do the same.
//
// Invariants
//   1. Once close() has returned every program that was taken has ended, and no
//      thread but the launching one touches the job or its arguments.
//   2. Ids are handed out in rising order; with `ordered` one at a time, so a
//      program may wait for smaller ids.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_SHAREDGRID_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_SHAREDGRID_H

#include "plugins/cpu/KernelEntry.h"
#include "plugins/cpu/device/LaunchControl.h"
#include "plugins/cpu/device/LaunchCost.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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
  /// The code has atomics (TZ_CPU_KERNEL_UPDATES).
  bool updates = false;
  /// Of checked code; needs the control.
  const LaunchArrays *arrays = nullptr;
};

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
  DefaultFloatMode(const DefaultFloatMode &) = delete;
  DefaultFloatMode &operator=(const DefaultFloatMode &) = delete;

private:
  unsigned saved;
  bool changed = false;
#endif
};

/// All programs of the job, on this thread.
void runAlone(const GridJob &job, void *arena);

class SharedGrid {
public:
  /// By the launching thread. From now on others may help; about `threads` are
  /// expected.
  void open(const GridJob &job, unsigned threads);
  /// By the launching thread, with its own arena: runs programs until there are
  /// no more to take.
  void work(void *arena);
  /// By the launching thread: others come too late from now on. Waits for those
  /// that are inside; `control` may be null.
  void close(LaunchControl *control);
  /// No program is taken any more.
  void drop();

  /// By any thread, any time: takes part if the grid is open. `isLauncher`: it
  /// is the launching thread that came this way. `notes`: what it measures
  /// counts.
  void help(bool isLauncher, bool notes);

  /// Programs that one thread takes at once.
  int64_t chunkSize() const { return chunk; }

private:
  int64_t takePart(ThreadRun &run, void *arena);

  // Written by the launching thread before `isOpen` is set.
  GridJob job;
  int64_t chunk = 1;

  alignas(64) std::atomic<int64_t> next{0};
  std::atomic<bool> isOpen{false};
  alignas(64) std::atomic<uint32_t> inside{0}; ///< that may run chunks
  std::atomic<bool> callerSleeps{false};
};

} // namespace tz::cpu

#endif
