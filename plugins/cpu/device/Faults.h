//===- Faults.h - Traps inside kernels ------------------------------------===//
//
// What   Calls kernel code so that SIGSEGV, SIGBUS and SIGFPE in it end the
//        call instead of the process.
// Why    A kernel without a mask reads and writes where nothing is. Kernel code
//        holds no lock and owns nothing, so a thread may leave it anywhere.
//
// Claimed is a fault whose instruction lies in the code of the kernel that the
// thread runs; all others go on to the handlers that were there before.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_FAULTS_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_FAULTS_H

#include "plugins/cpu/KernelEntry.h"

#include <csetjmp>
#include <cstddef>

namespace tz::cpu {

struct Fault;
struct GridJob;

/// One thread's part in a launch.
struct ThreadRun : tz_cpu_run {
  ThreadRun(const GridJob &job, bool isCaller);

  const GridJob &job;
  sigjmp_buf leave;
  /// Of several programs, one of which faulted; it is not noted yet.
  Fault *unplaced = nullptr;
  /// No other thread works on the launch, which has atomics.
  bool maybeAlone = false;
};

/// Puts the handlers before those that are there now; they stay to the end of
/// the process.
void installFaultHandlers();
/// The same, once for the process.
void catchFaults();

/// Runs the programs from `first` to `last`. False: a fault ended it, and the
/// job's control knows which.
bool runCatching(ThreadRun &run, int64_t first, int64_t last, void *arena);

/// A stack for this thread's signal handlers while it lives: a kernel may have
/// used up the thread's own.
class AlternateStack {
public:
  AlternateStack();
  ~AlternateStack();
  AlternateStack(const AlternateStack &) = delete;
  AlternateStack &operator=(const AlternateStack &) = delete;

private:
  void *memory = nullptr;
};

} // namespace tz::cpu

#endif
