//===- HostExecutor.h - Threads of the program's own ----------------------===//
//
// What   Shares a grid with the threads behind tz_host.execute.
// Why    A program that has a pool of threads does not want a second one beside
//        it, whose threads compete with its own for the same cores.
//
// The program calls a task when it likes, also long after its launch has ended,
// or after the platform has gone. So what a task is given lives outside of
// both, and is used again once the last task of its launch has come.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_HOSTEXECUTOR_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_HOSTEXECUTOR_H

#include "plugins/cpu/device/SharedGrid.h"

#include "terrazzo/plugin.h"

namespace tz::cpu {

/// [thread: any]
class HostExecutor {
public:
  /// `host` outlives this object. None, if it has no executor.
  explicit HostExecutor(const tz_host *host)
      : host(TZ_HAS(host, tz_host, executor_flags) && host->execute ? host
                                                                    : nullptr) {
  }

  explicit operator bool() const { return host != nullptr; }
  /// That work on one launch, the launching one included.
  unsigned threads() const { return host->executor_threads; }
  bool isConcurrent() const {
    return host->executor_flags & TZ_EXECUTOR_CONCURRENT;
  }

  /// Runs the grid with the program's threads. TZ_E_OK, or the code with which
  /// the program refused; then the grid has run in part. The arena is the
  /// calling thread's.
  int32_t share(const GridJob &job) const;

private:
  const tz_host *const host;
};

} // namespace tz::cpu

#endif
