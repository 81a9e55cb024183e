//===- ThreadArena.cpp - Scratch of one thread ----------------------------===//
//
// What   See ThreadArena.h.
// Why    See ThreadArena.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/ThreadArena.h"

#include "plugins/cpu/device/CpuInfo.h"

#include <climits>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <sys/mman.h>

namespace tz::cpu {

static constexpr size_t HugePage = size_t{2} << 20;
static constexpr size_t HugeFrom = size_t{1} << 20;

ThreadArena::~ThreadArena() { std::free(memory); }

void *ThreadArena::reserve(size_t bytes) {
  if (bytes <= size) {
    return bytes ? memory : nullptr;
  }
  // Overcommit would hand out what cannot be used and kill the process later.
  if (bytes > CpuInfo::host().totalMemory) {
    return nullptr;
  }
  size_t align = bytes >= HugeFrom ? HugePage : 64;
  size_t rounded = (bytes + align - 1) & ~(align - 1);
  void *fresh = std::aligned_alloc(align, rounded);
  if (!fresh) {
    return nullptr;
  }
  if (align == HugePage) {
    // Only a hint: without huge pages the arena works, a little slower.
    madvise(fresh, rounded, MADV_HUGEPAGE);
  }
  std::free(memory);
  memory = fresh;
  size = rounded;
  return memory;
}

ThreadArena &ThreadArena::ofThisThread() {
  // No thread_local with a destructor: the C library ends the process where it
  // has no memory to note one. Without the key's the arena outlives its thread.
  static const pthread_key_t key = [] {
    pthread_key_t made = PTHREAD_KEYS_MAX;
    (void)pthread_key_create(&made, [](void *arena) {
      static_cast<ThreadArena *>(arena)->~ThreadArena();
    });
    return made;
  }();
  alignas(
      ThreadArena) static thread_local std::byte storage[sizeof(ThreadArena)];
  static thread_local ThreadArena *arena
      __attribute__((tls_model("initial-exec"))) = nullptr;
  if (!arena) {
    arena = new (storage) ThreadArena;
    (void)pthread_setspecific(key, arena);
  }
  return *arena;
}

} // namespace tz::cpu
