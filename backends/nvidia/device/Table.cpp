//===- Table.cpp - the table tz.device/1 over the CUDA driver -------------===//
//
// What   The functions of this half by the names of the SDK, which makes the
//        table of them.
// Why    This file is the boundary: nothing below it sees the ABI's in- and
//        out-parameters.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/Architecture.h"
#include "backends/nvidia/device/CudaDevice.h"

#include <terrazzo/plugin/DeviceTable.h>

#include <algorithm>

namespace tz::nvidia {

namespace {

using plugin::str;

constexpr uint32_t DlpackCuda = 2;

/// Known only where work has begun: asking for it needs a context.
uint64_t freeMemory(tz_device &device) {
  size_t free = 0, total = 0;
  if (!device.hasContext()) {
    return 0;
  }
  ContextScope scope(device);
  return device.driver.memGetInfo(&free, &total) == driver::Success ? free : 0;
}

struct CudaHalf : plugin::OwnHandles {
  //===--- Platform and device --------------------------------------------===//

  static std::unique_ptr<tz_platform> create(const tz_create_desc &desc) {
    return std::make_unique<tz_platform>(
        plugin::libraryOf(desc, "driver", "TERRAZZO_NVIDIA_DRIVER"));
  }
  static std::span<tz_device *const> devices(tz_platform &platform,
                                             uint32_t which) {
    return which == TZ_DEVICES_REAL
               ? std::span<tz_device *const>(platform.handles)
               : std::span<tz_device *const>();
  }
  static std::unique_ptr<tz_device> wrapDevice(tz_platform &platform,
                                               const tz_native &native) {
    return nvidia::wrapDevice(platform, native);
  }
  static tz_device_info describe(tz_device &device);
  static void checkArtifact(tz_device &device, std::string_view compat) {
    const DeviceFacts &facts = device.facts;
    std::string why = whyIncompatible(compat, facts.major, facts.minor);
    if (!why.empty()) {
      throw Failure(TZ_E_FAILED_PRECONDITION, why);
    }
  }
  static void checkTarget(tz_device &device, std::string_view target) {
    std::optional<std::string> why =
        whyNotRun(target, device.facts.major, device.facts.minor);
    if (!why) {
      throw Failure(TZ_E_NOT_FOUND,
                    "unknown target '" + std::string(target) + "'");
    }
    if (!why->empty()) {
      throw Failure(TZ_E_FAILED_PRECONDITION, *why);
    }
  }

  //===--- Memory ---------------------------------------------------------===//

  static tz_dptr allocate(tz_device &device, const tz_memory_desc &desc) {
    return nvidia::allocate(device, desc.kind, desc.size, desc.align,
                            desc.stream);
  }
  static void free(tz_device &device, tz_dptr memory, tz_stream *stream) {
    release(device, memory, stream);
  }
  static tz_mem_info memoryInfo(tz_platform &platform, tz_dptr address) {
    return describeMemory(platform, address);
  }
  static void copy(tz_stream &stream, tz_dptr to, tz_dptr from, uint64_t bytes,
                   uint32_t kind) {
    nvidia::copy(stream, to, from, bytes, kind);
  }
  static void fill(tz_stream &stream, tz_dptr to, uint64_t bytes,
                   uint32_t pattern, uint32_t patternBytes) {
    nvidia::fill(stream, to, bytes, pattern, patternBytes);
  }

  //===--- Streams and events ---------------------------------------------===//

  static std::unique_ptr<tz_stream> createStream(tz_device &device,
                                                 const tz_stream_desc &desc) {
    return desc.native ? wrapStream(device, *desc.native)
                       : nvidia::createStream(device, desc.priority);
  }
  static void finish(tz_stream &stream) { destroy(stream); }
  static void synchronize(tz_stream &stream) { nvidia::synchronize(stream); }
  static void wait(tz_stream &stream, tz_event &event) {
    nvidia::wait(stream, event);
  }
  static void callBack(tz_stream &stream, void (*fn)(void *, int32_t),
                       void *user) {
    nvidia::callBack(stream, fn, user);
  }
  static bool isRecording(tz_stream &stream) {
    return nvidia::isRecording(stream);
  }
  static std::unique_ptr<tz_event> createEvent(tz_device &device,
                                               const tz_event_desc &desc) {
    const bool timed = desc.flags & TZ_EVENT_TIMING;
    return desc.native ? wrapEvent(device, *desc.native, timed)
                       : nvidia::createEvent(device, timed);
  }
  static void finish(tz_event &event) { destroy(event); }
  static void record(tz_event &event, tz_stream &stream) {
    nvidia::record(event, stream);
  }
  static bool query(tz_event &event) { return nvidia::query(event); }
  static void synchronize(tz_event &event, uint64_t timeoutNs) {
    nvidia::synchronize(event, timeoutNs);
  }
  static uint64_t elapsedNs(tz_event &start, tz_event &stop) {
    return nvidia::elapsedNs(start, stop);
  }

  //===--- Modules, kernels, launch ---------------------------------------===//

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
  static void encode(tz_kernel &kernel, uint32_t argument,
                     const tz_tensor_view &view, void *to, size_t bytes) {
    nvidia::encode(kernel, argument, view, to, bytes);
  }
  static tz_occupancy occupancy(tz_kernel &kernel, const tz_launch &request) {
    return nvidia::occupancy(kernel, request);
  }
  static void launch(tz_stream &stream, tz_kernel &kernel,
                     const tz_launch &request) {
    nvidia::launch(stream, kernel, request);
  }
};

tz_device_info CudaHalf::describe(tz_device &device) {
  const DeviceFacts &facts = device.facts;
  tz_device_info info{};
  info.name = str(facts.name);
  info.uuid = str(facts.uuid);
  info.pci_bus_id = str(facts.pciBusId);
  info.driver_version = str(device.platform.driverVersion);
  info.target = str(facts.target);
  info.native_kinds = str(NativeKind);
  info.dlpack_type = DlpackCuda;
  info.dlpack_id = uint32_t(device.ordinal);
  info.numa_node = facts.numaNode;
  info.compute_units = facts.multiprocessors;
  info.subgroup_size = facts.warpSize;
  info.max_threads_per_block = facts.maxThreads;
  info.total_mem = facts.totalMemory;
  info.free_mem = freeMemory(device);
  info.scratch_bytes = std::max(facts.sharedOptinBytes, facts.sharedBytes);
  info.l2_bytes = facts.l2Bytes;
  info.props = facts.props.data();
  info.num_props = facts.props.size();
  return info;
}

} // namespace

const tz_device_api &deviceApi() { return *plugin::deviceTableOf<CudaHalf>(); }

} // namespace tz::nvidia
