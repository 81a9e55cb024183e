//===- terrazzo/plugin/HostMemory.h - a device whose memory is the host's -===//
//
// What   Derive from HostDevice and HostStream, and only what differs is left
// to
//        write: the facts, the targets, modules and launches. Allocations,
//        copies, fills and events are real, and done when the call returns.
// Why    Devices that run on the host (interpreters, simulators, stand-ins of
//        tests) would each write the same of it.
//
// The cpu plugin's device has a table of its own: its copies run on threads, it
// checks each address, and huge pages matter there.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_HOSTMEMORY_H
#define TERRAZZO_PLUGIN_HOSTMEMORY_H

#include <terrazzo/plugin/Device.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace tz::plugin {

/// Where this is for the host.
inline void *address(tz_dptr memory) {
  return reinterpret_cast<void *>(memory);
}

/// Recorded means passed, as all work is done at once.
struct HostEvent : Event {
  std::chrono::steady_clock::time_point time;

  bool query() override { return true; }
  void synchronize(uint64_t) override {}
  uint64_t elapsedNs(Event &stop) override {
    const auto passed = static_cast<HostEvent &>(stop).time - time;
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  }
};

/// launch() is left to write. Events are HostEvent.
struct HostStream : Stream {
  void copy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t) override {
    std::memmove(address(to), address(from), bytes);
  }
  void fill(tz_dptr to, uint64_t bytes, uint32_t pattern,
            uint32_t patternBytes) override {
    auto *at = static_cast<unsigned char *>(address(to));
    for (uint64_t i = 0; i < bytes; i += patternBytes) {
      std::memcpy(at + i, &pattern, patternBytes);
    }
  }
  void synchronize() override {}
  void record(Event &event) override {
    static_cast<HostEvent &>(event).time = std::chrono::steady_clock::now();
  }
  void wait(Event &) override {}
};

/// describe(), createStream() and load() are left to write; the description's
/// flags have TZ_DEVICE_HOST_MEMORY.
struct HostDevice : Device {
  /// Throws TZ_E_OUT_OF_MEMORY. `align` is a power of two.
  tz_dptr allocate(uint32_t, uint64_t size, uint64_t align) override {
    if (size > SIZE_MAX - align) {
      throw Failure(TZ_E_OUT_OF_MEMORY, "allocation larger than memory");
    }
    void *memory = std::aligned_alloc(align, (size + align - 1) & ~(align - 1));
    if (!memory) {
      throw Failure(TZ_E_OUT_OF_MEMORY,
                    "no memory for " + std::to_string(size) + " bytes");
    }
    return reinterpret_cast<tz_dptr>(memory);
  }
  void free(tz_dptr memory) override { std::free(address(memory)); }
  std::unique_ptr<Event> createEvent(bool) override {
    return std::make_unique<HostEvent>();
  }
};

/// The blob named "main"; null: there is none.
inline const tz_blob *mainBlob(const tz_blob *blobs, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (view(blobs[i].name) == "main") {
      return &blobs[i];
    }
  }
  return nullptr;
}

} // namespace tz::plugin

#endif // TERRAZZO_PLUGIN_HOSTMEMORY_H
