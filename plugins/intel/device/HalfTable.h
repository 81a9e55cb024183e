//===- HalfTable.h - what both device halves answer alike -----------------===//
//
// What   Functions of a half by the names of the SDK, which makes the table
//        tz.device/1 of them.
// Why    A half derives from HalfTable and adds what it alone has: its library,
//        its devices. These files are the boundary: nothing below them sees the
//        ABI's in- and out-parameters.
//
// What the handles are is known before: a half's own header comes first.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_HALFTABLE_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_HALFTABLE_H

#include "plugins/intel/device/DeviceViews.h"
#include "plugins/intel/device/Slots.h"

#include <terrazzo/plugin/Device.h>

#include <cstdlib>
#include <string>

namespace tz::intel {

/// The option of this name, else the variable, else empty: the usual library.
inline std::string libraryOf(const tz_create_desc &desc, const char *option,
                             const char *variable) {
  if (const tz_kv *given = plugin::optionOf(desc, option, TZ_KV_STR)) {
    return std::string(plugin::view(given->str));
  }
  const char *text = secure_getenv(variable);
  return text ? text : "";
}

struct HalfTable {
  using Platform = tz_platform;
  using Device = tz_device;
  using Stream = tz_stream;
  using Event = tz_event;
  using Module = tz_module;
  using Kernel = tz_kernel;

  static tz_device_info describe(tz_device &device) {
    return intel::describe(device);
  }
  static std::unique_ptr<tz_device> wrapDevice(tz_platform &platform,
                                               const tz_native &native) {
    return intel::wrapDevice(platform, native);
  }

  static tz_dptr allocate(tz_device &device, const tz_memory_desc &desc) {
    return intel::allocate(device, desc);
  }
  static void free(tz_device &device, tz_dptr memory, tz_stream *stream) {
    release(device, memory, stream);
  }
  static tz_mem_info memoryInfo(tz_platform &platform, tz_dptr address) {
    return describeMemory(platform, address);
  }
  static void copy(tz_stream &stream, tz_dptr to, tz_dptr from, uint64_t bytes,
                   uint32_t kind) {
    intel::copy(stream, to, from, bytes, kind);
  }
  static void fill(tz_stream &stream, tz_dptr to, uint64_t bytes,
                   uint32_t pattern, uint32_t patternBytes) {
    intel::fill(stream, to, bytes, pattern, patternBytes);
  }

  static std::unique_ptr<tz_stream> createStream(tz_device &device,
                                                 const tz_stream_desc &desc) {
    return intel::createStream(device, desc);
  }
  static void finish(tz_stream &stream) { intel::synchronize(stream); }
  static void synchronize(tz_stream &stream) { intel::synchronize(stream); }
  static void wait(tz_stream &stream, tz_event &event) {
    intel::wait(stream, event);
  }
  static void callBack(tz_stream &stream, void (*fn)(void *, int32_t),
                       void *user) {
    intel::callBack(stream, fn, user);
  }
  static std::unique_ptr<tz_event> createEvent(tz_device &device,
                                               const tz_event_desc &desc) {
    return intel::createEvent(device, desc);
  }
  static void record(tz_event &event, tz_stream &stream) {
    intel::record(event, stream);
  }
  static bool query(tz_event &event) { return intel::query(event); }
  static void synchronize(tz_event &event, uint64_t timeoutNs) {
    intel::synchronize(event, timeoutNs);
  }
  static uint64_t elapsedNs(tz_event &start, tz_event &stop) {
    return intel::elapsedNs(start, stop);
  }

  static std::unique_ptr<tz_module> load(tz_device &device,
                                         const tz_module_desc &desc) {
    return loadModule(device, desc);
  }
  static tz_kernel &find(tz_module &module, std::string_view name) {
    return findKernel(module, name);
  }
  static plugin::Global global(tz_module &module, std::string_view name) {
    plugin::Global found;
    findGlobal(module, name, found.address, found.bytes);
    return found;
  }
  static void encode(tz_kernel &, uint32_t, const tz_tensor_view &view,
                     void *to, size_t bytes) {
    encodeView(view, to, bytes);
  }
  static void launch(tz_stream &stream, tz_kernel &kernel,
                     const tz_launch &request) {
    intel::launch(stream, kernel, request);
  }
};

} // namespace tz::intel

#endif
