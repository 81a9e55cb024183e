//===- Arena.h - Scratch of one thread ------------------------------------===//
//
// What   Memory that a thread gives to the programs that it runs.
// Why    Tiles live outside of registers and stack (R15); a launch must not
//        allocate.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_ARENA_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_ARENA_H

#include <cstddef>

namespace tz::cpu {

/// Scratch of one thread; grows and is kept until the thread ends.
class Arena {
public:
  Arena() = default;
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Null if there is no memory. `bytes` 0 gives null as well.
  void *reserve(size_t bytes);

  /// The calling thread's.
  static Arena &ofThisThread();

private:
  void *memory = nullptr;
  size_t size = 0;
};

} // namespace tz::cpu

#endif
