//===- terrazzo/plugin/ProfilerTable.h - records of what a device did -----===//
//
// What   profilerTableOf<Half>() is the tz_profiler_api over static functions
//        of Half; RecordBuffer writes records into the host's buffers.
// Why    What the two sides pass to each other is the same in each half: only
//        where records come from differs.
//
// Half has these functions. They throw Failure; those behind the line are
// optional, and their slots NULL without them:
//   tz_profiler *create(tz_platform &, const RecordHost &)   nothing enabled
//   void destroy(tz_profiler &)
//   void enable(tz_profiler &, uint64_t kinds)
//   void flush(tz_profiler &, bool waits)
//   ---
//   void push(tz_profiler &, uint64_t id), uint64_t pop(tz_profiler &)
//   void clockPair(tz_device &, uint64_t &deviceNs, uint64_t &hostNs)
//   void watch(tz_profiler &, const tz_profiler_watcher &)   kept: a copy
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_PROFILERTABLE_H
#define TERRAZZO_PLUGIN_PROFILERTABLE_H

#include <terrazzo/plugin/Error.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tz::plugin {

/// Whose the buffers are.
struct RecordHost {
  void *ctx = nullptr;
  void *(*get)(void *ctx, size_t *size) = nullptr;
  void (*put)(void *ctx, void *buffer, size_t valid) = nullptr;
};

/// The buffer that is being filled. [thread: one at a time]
class RecordBuffer {
public:
  explicit RecordBuffer(const RecordHost &host = {}) : host(host) {}
  RecordBuffer(const RecordBuffer &) = delete;
  RecordBuffer &operator=(const RecordBuffer &) = delete;

  /// Of another host from now on; the buffer was given.
  void begin(const RecordHost &next) {
    host = next;
    dropped = 0;
  }
  /// Counts it as dropped if the host has no memory.
  void add(const tz_record &record) {
    if (buffer && used + sizeof(record) > size) {
      give();
    }
    if (!buffer) {
      used = size = 0;
      buffer = static_cast<char *>(host.get(host.ctx, &size));
    }
    if (!buffer || size < sizeof(record)) {
      drop(record.kind == TZ_RECORD_DROPPED ? record.a : 1);
      return;
    }
    tz_record whole = record;
    whole.size = sizeof(whole);
    std::memcpy(buffer + used, &whole, sizeof(whole));
    used += sizeof(whole);
  }
  void drop(uint64_t count) { dropped += count; }
  /// Gives what is there, with how many were dropped.
  void flush() {
    if (dropped) {
      tz_record record{};
      record.kind = TZ_RECORD_DROPPED;
      record.a = std::exchange(dropped, 0);
      add(record);
    }
    give();
  }
  void give() {
    if (buffer) {
      host.put(host.ctx, std::exchange(buffer, nullptr), used);
    }
  }

private:
  RecordHost host;
  char *buffer = nullptr;
  size_t size = 0, used = 0;
  uint64_t dropped = 0;
};

namespace detail {

template <typename Half>
struct ProfilerSlots {
  static tz_error *create(tz_platform *platform, uint64_t kinds, void *ctx,
                          void *(*get)(void *, size_t *),
                          void (*put)(void *, void *, size_t),
                          tz_profiler **out) {
    return guarded([&] {
      tz_profiler *made = Half::create(*platform, {ctx, get, put});
      try {
        Half::enable(*made, kinds);
      } catch (...) {
        Half::destroy(*made);
        throw;
      }
      *out = made;
    });
  }
  static void destroy(tz_profiler *profiler) { Half::destroy(*profiler); }
  static tz_error *enable(tz_profiler *profiler, uint64_t kinds) {
    return guarded([&] { Half::enable(*profiler, kinds); });
  }
  static tz_error *flush(tz_profiler *profiler, uint32_t waits) {
    return guarded([&] { Half::flush(*profiler, waits != 0); });
  }
  static tz_error *push(tz_profiler *profiler, uint64_t id) {
    return guarded([&] { Half::push(*profiler, id); });
  }
  static tz_error *pop(tz_profiler *profiler, uint64_t *id) {
    return guarded([&] { *id = Half::pop(*profiler); });
  }
  static tz_error *clockPair(tz_device *device, uint64_t *deviceNs,
                             uint64_t *hostNs) {
    return guarded([&] { Half::clockPair(*device, *deviceNs, *hostNs); });
  }
  static tz_error *watch(tz_profiler *profiler,
                         const tz_profiler_watcher *watcher) {
    return guarded([&] {
      tz_profiler_watcher whole{};
      std::memcpy(&whole, watcher,
                  std::min(watcher->struct_size, sizeof(whole)));
      Half::watch(*profiler, whole);
    });
  }
};

} // namespace detail

template <typename Half>
const tz_profiler_api &profilerTableOf() {
  using Slots = detail::ProfilerSlots<Half>;
  static constexpr tz_profiler_api table = [] {
    tz_profiler_api api{};
    api.struct_size = sizeof(api);
    api.create = Slots::create;
    api.destroy = Slots::destroy;
    api.enable = Slots::enable;
    api.flush = Slots::flush;
    if constexpr (requires(tz_profiler &p) { Half::push(p, 0); }) {
      api.push_external = Slots::push;
      api.pop_external = Slots::pop;
    }
    if constexpr (requires(tz_device &d, uint64_t &ns) {
                    Half::clockPair(d, ns, ns);
                  }) {
      api.clock_pair = Slots::clockPair;
    }
    if constexpr (requires(tz_profiler &p, const tz_profiler_watcher &w) {
                    Half::watch(p, w);
                  }) {
      api.watch = Slots::watch;
    }
    return api;
  }();
  return table;
}

} // namespace tz::plugin

#endif
