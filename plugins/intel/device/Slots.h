//===- Slots.h - the functions that each device half defines --------------===//
//
// What   The functions of a half by the names of the SDK, which makes the table
//        tz.device/1 of them (terrazzo/plugin/DeviceTable.h).
// Why    The halves differ in what stands behind the handles, not in what is
//        asked of them. Each defines these in the files of its folder; no
//        binary holds both.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_SLOTS_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_SLOTS_H

#include "plugins/intel/device/DeviceViews.h"

#include <terrazzo/plugin/DeviceTable.h>

namespace tz::intel {

struct Slots : plugin::OwnHandles {
  // Platform and devices
  static std::unique_ptr<tz_platform> create(const tz_create_desc &desc);
  static std::span<tz_device *const> devices(tz_platform &platform,
                                             uint32_t which);
  static std::unique_ptr<tz_device> wrapDevice(tz_platform &platform,
                                               const tz_native &native);
  static tz_device_info describe(tz_device &device);
  static void checkTarget(tz_device &device, std::string_view target);

  // Memory
  static tz_dptr allocate(tz_device &device, const tz_memory_desc &desc);
  static void free(tz_device &device, tz_dptr memory, tz_stream *stream);
  static tz_mem_info memoryInfo(tz_platform &platform, tz_dptr address);
  static void copy(tz_stream &stream, tz_dptr to, tz_dptr from, uint64_t bytes,
                   uint32_t kind);
  static void fill(tz_stream &stream, tz_dptr to, uint64_t bytes,
                   uint32_t pattern, uint32_t patternBytes);

  // Streams and events
  static std::unique_ptr<tz_stream> createStream(tz_device &device,
                                                 const tz_stream_desc &desc);
  static void finish(tz_stream &stream);
  static void synchronize(tz_stream &stream);
  static void wait(tz_stream &stream, tz_event &event);
  static void callBack(tz_stream &stream, void (*fn)(void *, int32_t),
                       void *user);
  static std::unique_ptr<tz_event> createEvent(tz_device &device,
                                               const tz_event_desc &desc);
  static void record(tz_event &event, tz_stream &stream);
  static bool query(tz_event &event);
  static void synchronize(tz_event &event, uint64_t timeoutNs);
  static uint64_t elapsedNs(tz_event &start, tz_event &stop);

  // Code
  static std::unique_ptr<tz_module> load(tz_device &device,
                                         const tz_module_desc &desc);
  static tz_kernel &find(tz_module &module, std::string_view name);
  static plugin::Global global(tz_module &module, std::string_view name);
  static void encode(tz_kernel &, uint32_t, const tz_tensor_view &view,
                     void *to, size_t bytes) {
    encodeView(view, to, bytes);
  }
  static void launch(tz_stream &stream, tz_kernel &kernel,
                     const tz_launch &request);
};

} // namespace tz::intel

#endif
