//===- Running.h - Threads that wait for a kernel -------------------------===//
//
// What   Marks the calling thread of a launch.
// Why    A kernel's scratch is its thread's. A launch from code that the kernel
//        itself calls, a hook of waits say, would use the same.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_RUNNING_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_RUNNING_H

#include <utility>

namespace tz::cpu {

/// Marks the thread as one that waits for a kernel, while it lives.
class Running {
public:
  Running() { ++depth; }
  ~Running() { --depth; }
  Running(const Running &) = delete;
  Running &operator=(const Running &) = delete;
  bool isFirst() const { return depth == 1; }

  /// The thread is in no kernel while it lives, although it waits for one: the
  /// program's own code runs and may launch others.
  class Pause {
  public:
    Pause() : before(std::exchange(depth, 0)) {}
    ~Pause() { depth = before; }
    Pause(const Pause &) = delete;
    Pause &operator=(const Pause &) = delete;

  private:
    const int before;
  };

private:
  static inline thread_local int depth
      __attribute__((tls_model("initial-exec"))) = 0;
};

} // namespace tz::cpu

#endif
