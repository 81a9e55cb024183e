//===- ThreadArena.h - Scratch of one thread ------------------------------===//
//
// What   Memory that a thread gives to the programs that it runs.
// Why    Tiles live outside of registers and stack (R15); a launch must not
//        allocate.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_THREADARENA_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_THREADARENA_H

#include <cstddef>

namespace tz::cpu {

/// Scratch of one thread; grows and is kept until the thread ends.
class ThreadArena {
public:
  ThreadArena() = default;
  ~ThreadArena();
  ThreadArena(const ThreadArena &) = delete;
  ThreadArena &operator=(const ThreadArena &) = delete;

  /// Null if there is no memory. `bytes` 0 gives null as well.
  void *reserve(size_t bytes);

  /// The calling thread's.
  static ThreadArena &ofThisThread();

private:
  void *memory = nullptr;
  size_t size = 0;
};

} // namespace tz::cpu

#endif
