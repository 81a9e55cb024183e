//===- KernelPool.h - one kernel object of the driver for each thread -----===//
//
// What   Objects of one kernel that wait for a launch. A launch takes one, or
//        makes one, sets its arguments, and gives it back.
// Why    Both drivers keep the arguments in the kernel object, which two
//        threads must therefore not use at once. The lock is held for a push or
//        a pop, never for a call of the driver.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_KERNELPOOL_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_KERNELPOOL_H

#include <mutex>
#include <utility>
#include <vector>

namespace tz::intel {

/// Native: a handle. [thread: any]
template <typename Native>
class KernelPool {
public:
  /// An object of its own while it lives.
  class Taken {
  public:
    Taken(KernelPool &pool, Native native) : pool(pool), native(native) {}
    ~Taken() { pool.give(native); }
    Taken(const Taken &) = delete;
    Native get() const { return native; }

  private:
    KernelPool &pool;
    Native native;
  };

  /// `make` gives a Native, or throws.
  template <typename Make>
  Taken take(Make make) {
    {
      std::lock_guard guard(mutex);
      // Room to give it back in, before there is something to lose.
      idle.reserve(made + 1);
      if (!idle.empty()) {
        Native last = idle.back();
        idle.pop_back();
        return Taken(*this, last);
      }
      ++made;
    }
    try {
      return Taken(*this, make());
    } catch (...) {
      std::lock_guard guard(mutex);
      --made;
      throw;
    }
  }

  /// How many there are.
  size_t size() const {
    std::lock_guard guard(mutex);
    return made;
  }

  template <typename Destroy>
  void clear(Destroy destroy) {
    std::lock_guard guard(mutex);
    for (Native native : std::exchange(idle, {})) {
      destroy(native);
    }
    made = 0;
  }

private:
  void give(Native native) {
    std::lock_guard guard(mutex);
    idle.push_back(native);
  }

  mutable std::mutex mutex;
  std::vector<Native> idle;
  size_t made = 0;
};

} // namespace tz::intel

#endif
