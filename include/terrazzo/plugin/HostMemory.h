//===- terrazzo/plugin/HostMemory.h - a device whose memory is the host's -===//
//
// What   Derive from HostDevice and HostStream, and only what differs is left
//        to write: the facts, the targets, modules and launches. Allocations,
//        copies, fills and events are real, and done when the call returns.
// Why    Devices that run on the host (interpreters, simulators, stand-ins of
//        tests) would each write the same of it.
//
// The cpu plugin's device does not begin here: its copies run on threads, it
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
struct HostEvent {
  std::chrono::steady_clock::time_point time;

  bool query() const { return true; }
  void synchronize(uint64_t) const {}
  uint64_t elapsedNs(const HostEvent &stop) const {
    const auto passed = stop.time - time;
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  }
};

/// launch() is left to write. Events are HostEvent.
struct HostStream {
  void copy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t) {
    std::memmove(address(to), address(from), bytes);
  }
  void fill(tz_dptr to, uint64_t bytes, uint32_t pattern,
            uint32_t patternBytes) {
    auto *at = static_cast<unsigned char *>(address(to));
    for (uint64_t i = 0; i < bytes; i += patternBytes) {
      std::memcpy(at + i, &pattern, patternBytes);
    }
  }
  void synchronize() {}
  void record(HostEvent &event) {
    event.time = std::chrono::steady_clock::now();
  }
  void wait(HostEvent &) {}
  void callBack(void (*fn)(void *, int32_t), void *user) { fn(user, TZ_E_OK); }
};

/// The types Stream, Module and Kernel, enumerate(), describe(), createStream()
/// and load() are left to write; the description's flags have
/// TZ_DEVICE_HOST_MEMORY. All kinds of memory are one.
struct HostDevice {
  using Event = HostEvent;

  /// Throws TZ_E_OUT_OF_MEMORY.
  tz_dptr allocate(const tz_memory_desc &desc) {
    const uint64_t size = desc.size, align = desc.align;
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
  void free(tz_dptr memory) { std::free(address(memory)); }
  std::unique_ptr<HostEvent> createEvent(const tz_event_desc &desc) {
    if (desc.native) {
      throw Failure(TZ_E_UNIMPLEMENTED, "this device wraps no events");
    }
    return std::make_unique<HostEvent>();
  }
};

/// The bytes of the blob named "main". Throws TZ_E_INVALID_ARGUMENT: there is
/// none.
inline std::string_view mainBlob(const tz_module_desc &desc) {
  for (size_t i = 0; i < desc.num_blobs; ++i) {
    if (const tz_blob &blob = desc.blobs[i]; view(blob.name) == "main") {
      return {static_cast<const char *>(blob.bytes.data), blob.bytes.size};
    }
  }
  throw Failure(TZ_E_INVALID_ARGUMENT, "the artifact holds no kernel");
}

} // namespace tz::plugin

#endif // TERRAZZO_PLUGIN_HOSTMEMORY_H
