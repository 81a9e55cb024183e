//===- ClTable.cpp - the table tz.device/1 over OpenCL --------------------===//
//
// What   The functions of this half by the names of the SDK, which makes the
//        table of them.
// Why    This file is the boundary: nothing below it sees the ABI's in- and
//        out-parameters.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/DeviceViews.h"
#include "plugins/intel/device/opencl/ClDevice.h"

#include <terrazzo/plugin/Device.h>

#include <cstdlib>

namespace tz::intel {

namespace {

/// The option "opencl", else TERRAZZO_INTEL_OPENCL, else empty.
std::string library(const tz_create_desc &desc) {
  if (const tz_kv *option = plugin::optionOf(desc, "opencl", TZ_KV_STR)) {
    return std::string(plugin::view(option->str));
  }
  const char *text = secure_getenv("TERRAZZO_INTEL_OPENCL");
  return text ? text : "";
}

struct ClHalf {
  using Platform = tz_platform;
  using Device = tz_device;
  using Stream = tz_stream;
  using Event = tz_event;
  using Module = tz_module;
  using Kernel = tz_kernel;

  static std::unique_ptr<tz_platform> create(const tz_create_desc &desc) {
    return std::make_unique<tz_platform>(library(desc));
  }
  static std::span<tz_device *const> devices(tz_platform &platform,
                                             uint32_t which) {
    if (which > TZ_DEVICES_SIMULATED) {
      return {};
    }
    if (which == TZ_DEVICES_REAL) {
      return platform.list(tz_platform::Real);
    }
    const auto &simulators = platform.list(tz_platform::Simulated);
    if (simulators.empty()) {
      throw Failure(TZ_E_UNAVAILABLE,
                    "no OpenCL device of a CPU, which would stand in for one "
                    "as intel:opencl; install a runtime (Python package "
                    "intel-opencl-rt) and "
                    "name the folder of its .icd file in OCL_ICD_VENDORS");
    }
    return simulators;
  }
  static tz_device_info describe(tz_device &device) {
    return intel::describe(device);
  }
  static void checkTarget(tz_device &device, std::string_view target) {
    intel::checkTarget(target, device.facts.target, device.label);
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

} // namespace

const tz_device_api &clDeviceApi() { return *plugin::deviceTableOf<ClHalf>(); }

} // namespace tz::intel
