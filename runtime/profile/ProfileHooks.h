//===- ProfileHooks.h - who wants to know what the runtime does -----------===//
//
// What   Who is told of compile, load, launch and sync: functions of the
//        program, and the recorder of profiles.
// Why    Without either, a launch pays a single atomic load and a branch.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_PROFILEHOOKS_H
#define TERRAZZO_RUNTIME_PROFILE_PROFILEHOOKS_H

#include <terrazzo/terrazzo.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace tz::runtime {

class PartLog;
class Recorder;
class Stream;
struct Artifact;
struct LaunchParts;

/// What is launched: profiles tell what its code takes.
struct LaunchedKernel {
  const Artifact &artifact;
  const std::array<int64_t, 3> &grid;
};

/// Either may be null, not both.
struct Listeners {
  const tz_hooks *hooks;
  Recorder *recorder;
};

class ProfileHooks {
public:
  void set(const tz_hooks *hooks);
  /// Null: without one again, for which no memory is needed.
  void setRecorder(Recorder *recorder);
  const Listeners *current() const {
    return active.load(std::memory_order_acquire);
  }
  uint64_t nextId() { return ids.fetch_add(1, std::memory_order_relaxed) + 1; }

private:
  const Listeners *entryOf(const tz_hooks *hooks, Recorder *recorder);

  std::atomic<const Listeners *> active{nullptr};
  std::atomic<uint64_t> ids{0};
  std::mutex lock;
  // Kept to the end: a thread may be inside of what was just replaced.
  std::vector<std::unique_ptr<tz_hooks>> all;
  std::vector<std::unique_ptr<Listeners>> allListeners;
};

/// enter now, exit when it goes; the code is OK unless set.
class Activity {
public:
  Activity(ProfileHooks &hooks, uint32_t kind, const char *name)
      : listeners(hooks.current()), kind(kind), stream(nullptr) {
    if (listeners) [[unlikely]] {
      enter(hooks, name, nullptr);
    }
  }
  /// A launch.
  Activity(ProfileHooks &hooks, const char *name, Stream &stream,
           const LaunchedKernel &kernel)
      : listeners(hooks.current()), kind(TZ_ACTIVITY_LAUNCH), stream(&stream) {
    if (listeners) [[unlikely]] {
      enter(hooks, name, &kernel);
    }
  }
  ~Activity() {
    if (listeners) [[unlikely]] {
      leave();
    }
  }
  Activity(const Activity &) = delete;
  /// Does a profile want to know of the parts of programs?
  bool wantsParts() const { return listeners && listeners->recorder; }
  /// Of this launch or an earlier one.
  void tellParts(uint64_t launch, LaunchParts parts);
  /// They can be read from the log when the launch has ended.
  void awaitParts(const std::shared_ptr<PartLog> &log);
  /// There was no room for them.
  void loseParts();
  int32_t code = 0;
  uint64_t id = 0; // 0: nobody listens

private:
  void enter(ProfileHooks &hooks, const char *name,
             const LaunchedKernel *kernel);
  void leave();

  const Listeners *listeners;
  uint32_t kind;
  Stream *stream;
  uint64_t began = 0;
};

} // namespace tz::runtime

#endif
