//===- ProfileHooks.h - who wants to know what the runtime does -----------===//
//
// What   One pair of functions, called around compile, load, launch and sync.
// Why    A profiler pairs them with device times by their id; without one, a
//        launch pays a single atomic load.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_PROFILEHOOKS_H
#define TERRAZZO_RUNTIME_PROFILE_PROFILEHOOKS_H

#include <terrazzo/terrazzo.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace tz::runtime {

class ProfileHooks {
public:
  void set(const tz_hooks *hooks);
  const tz_hooks *current() const {
    return active.load(std::memory_order_acquire);
  }
  uint64_t nextId() { return ids.fetch_add(1, std::memory_order_relaxed) + 1; }

private:
  std::atomic<const tz_hooks *> active{nullptr};
  std::atomic<uint64_t> ids{0};
  std::mutex lock;
  // Kept to the end: a thread may be inside hooks that were just replaced.
  std::vector<std::unique_ptr<tz_hooks>> all;
};

/// enter now, exit when it goes; the code is OK unless set.
class Activity {
public:
  Activity(ProfileHooks &hooks, uint32_t kind, const char *name)
      : functions(hooks.current()), kind(kind) {
    if (functions) [[unlikely]] {
      id = hooks.nextId();
      if (functions->enter) {
        functions->enter(functions->ctx, kind, id, name);
      }
    }
  }
  ~Activity() {
    if (functions && functions->exit) [[unlikely]] {
      functions->exit(functions->ctx, kind, id, code);
    }
  }
  Activity(const Activity &) = delete;
  int32_t code = 0;
  uint64_t id = 0; // 0: nobody listens

private:
  const tz_hooks *functions;
  uint32_t kind;
};

} // namespace tz::runtime

#endif
