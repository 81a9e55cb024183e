//===- Table.cpp - the table tz.device/1 over the CUDA driver -------------===//
//
// What   Every slot of the table: handles are checked, out-structs filled, and
//        what is thrown becomes an error object.
// Why    This file is the boundary: no exception leaves it, and nothing below
//        it sees the ABI's in- and out-parameters.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/Architecture.h"
#include "backends/nvidia/device/CudaDevice.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tz::nvidia;

namespace {

using tz::plugin::guarded;
using tz::plugin::str;
using tz::plugin::view;

constexpr uint32_t DlpackCuda = 2;

template <typename T>
T &object(T *handle, const char *what) {
  if (!handle) [[unlikely]] {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  std::string("the ") + what + " is null");
  }
  return *handle;
}
tz_platform &object(tz_platform *p) { return object(p, "platform"); }
tz_device &object(tz_device *d) { return object(d, "device"); }
tz_stream &object(tz_stream *s) { return object(s, "stream"); }
tz_event &object(tz_event *e) { return object(e, "event"); }
tz_module &object(tz_module *m) { return object(m, "module"); }
tz_kernel &object(tz_kernel *k) { return object(k, "kernel"); }

/// Copies what both sides know: rule 3 of plugin.h.
template <typename T>
void answer(T *out, T value) {
  size_t size = std::min(object(out, "answer").struct_size, sizeof(T));
  value.struct_size = size;
  std::memcpy(static_cast<void *>(out), &value, size);
}

/// Ends an object whatever happens on the way; its faults are dropped with it.
template <typename T, typename Body>
void end(T *handle, Body body) {
  if (!handle) {
    return;
  }
  tz_error *error = guarded([&] { body(*handle); });
  if (error && error->release) {
    error->release(error);
  }
  delete handle;
}

//===--- Platform and device ----------------------------------------------===//

/// The option "driver", else TERRAZZO_NVIDIA_DRIVER, else empty.
std::string driverLibrary(const tz_kv *options, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (view(options[i].key) == "driver" && options[i].kind == TZ_KV_STR) {
      return std::string(view(options[i].str));
    }
  }
  const char *text = secure_getenv("TERRAZZO_NVIDIA_DRIVER");
  return text ? text : "";
}

tz_error *createPlatform(const tz_host *, const tz_kv *options, size_t count,
                         tz_platform **out) {
  return guarded([&] {
    *out =
        std::make_unique<tz_platform>(driverLibrary(options, count)).release();
  });
}

void destroyPlatform(tz_platform *platform) { delete platform; }

tz_error *listDevices(tz_platform *platform, tz_device *const **out,
                      size_t *n) {
  return guarded([&] {
    *out = object(platform).handles.data();
    *n = platform->handles.size();
  });
}

/// Known only where work has begun: asking for it needs a context.
uint64_t freeMemory(tz_device &device) {
  size_t free = 0, total = 0;
  if (!device.hasContext()) {
    return 0;
  }
  ContextScope scope(device);
  return device.driver.memGetInfo(&free, &total) == driver::Success ? free : 0;
}

tz_error *describeDevice(tz_device *handle, tz_device_info *out) {
  return guarded([&] {
    tz_device &device = object(handle);
    const DeviceFacts &facts = device.facts;
    tz_device_info info{};
    info.name = str(facts.name);
    info.uuid = str(facts.uuid);
    info.pci_bus_id = str(facts.pciBusId);
    info.driver_version = str(device.platform.driverVersion);
    info.target = str(facts.target);
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
    answer(out, info);
  });
}

tz_error *checkArtifact(tz_device *device, tz_str compat) {
  return guarded([&] {
    const DeviceFacts &facts = object(device).facts;
    std::string why = whyIncompatible(view(compat), facts.major, facts.minor);
    if (!why.empty()) {
      throw Failure(TZ_E_FAILED_PRECONDITION, why);
    }
  });
}

tz_error *checkTarget(tz_device *device, tz_str target) {
  return guarded([&] {
    const DeviceFacts &facts = object(device).facts;
    std::optional<std::string> why =
        whyNotRun(view(target), facts.major, facts.minor);
    if (!why) {
      throw Failure(TZ_E_NOT_FOUND,
                    "unknown target '" + std::string(view(target)) + "'");
    }
    if (!why->empty()) {
      throw Failure(TZ_E_FAILED_PRECONDITION, *why);
    }
  });
}

//===--- Memory -----------------------------------------------------------===//

tz_error *memAlloc(tz_device *device, uint32_t kind, uint64_t size,
                   uint64_t align, tz_stream *stream, tz_dptr *out) {
  return guarded(
      [&] { *out = allocate(object(device), kind, size, align, stream); });
}

tz_error *memFree(tz_device *device, tz_dptr memory, tz_stream *stream) {
  return guarded([&] { release(object(device), memory, stream); });
}

tz_error *memInfo(tz_platform *platform, tz_dptr address, tz_mem_info *out) {
  return guarded(
      [&] { answer(out, describeMemory(object(platform), address)); });
}

tz_error *copySlot(tz_stream *stream, tz_dptr to, tz_dptr from, uint64_t n,
                   uint32_t kind) {
  return guarded([&] { copy(object(stream), to, from, n, kind); });
}

tz_error *fillSlot(tz_stream *stream, tz_dptr to, uint64_t n, uint32_t pattern,
                   uint32_t patternBytes) {
  return guarded([&] { fill(object(stream), to, n, pattern, patternBytes); });
}

//===--- Streams and events -----------------------------------------------===//

tz_error *streamCreate(tz_device *device, uint32_t, int32_t priority,
                       tz_stream **out) {
  return guarded(
      [&] { *out = createStream(object(device), priority).release(); });
}

tz_error *streamWrap(tz_device *device, void *native, tz_stream **out) {
  return guarded([&] { *out = wrapStream(object(device), native).release(); });
}

void streamDestroy(tz_stream *stream) {
  end(stream, [](tz_stream &s) { destroy(s); });
}

tz_error *streamSync(tz_stream *stream) {
  return guarded([&] { synchronize(object(stream)); });
}

tz_error *streamWait(tz_stream *stream, tz_event *event) {
  return guarded([&] { wait(object(stream), object(event)); });
}

tz_error *streamCallback(tz_stream *stream, void (*fn)(void *, int32_t),
                         void *user) {
  return guarded([&] { callBack(object(stream), fn, user); });
}

tz_error *eventCreate(tz_device *device, uint32_t flags, tz_event **out) {
  return guarded([&] {
    *out = createEvent(object(device), flags & TZ_EVENT_TIMING).release();
  });
}

void eventDestroy(tz_event *event) {
  end(event, [](tz_event &e) { destroy(e); });
}

tz_error *eventRecord(tz_event *event, tz_stream *stream) {
  return guarded([&] { record(object(event), object(stream)); });
}

tz_error *eventQuery(tz_event *event, int32_t *done) {
  return guarded([&] { *done = query(object(event)); });
}

tz_error *eventSync(tz_event *event, uint64_t timeoutNs) {
  return guarded([&] { synchronize(object(event), timeoutNs); });
}

tz_error *eventElapsedNs(tz_event *start, tz_event *stop, uint64_t *out) {
  return guarded([&] { *out = elapsedNs(object(start), object(stop)); });
}

//===--- Modules, kernels, launch -----------------------------------------===//

tz_error *moduleLoad(tz_device *device, const tz_blob *blobs, size_t n,
                     const tz_ext *extensions, tz_module **out) {
  return guarded([&] {
    *out = loadModule(object(device), blobs, n, extensions).release();
  });
}

void moduleUnload(tz_module *module) { delete module; }

tz_error *kernelGet(tz_module *module, tz_str name, tz_kernel **out) {
  return guarded([&] { *out = &findKernel(object(module), view(name)); });
}

tz_error *moduleGlobal(tz_module *module, tz_str name, tz_dptr *out,
                       uint64_t *size) {
  return guarded([&] {
    tz_dptr address = 0;
    uint64_t bytes = 0;
    findGlobal(object(module), view(name), address, bytes);
    *out = address;
    if (size) {
      *size = bytes;
    }
  });
}

tz_error *argEncode(tz_kernel *kernel, uint32_t argument,
                    const tz_tensor_view *given, void *to, size_t bytes) {
  return guarded([&] {
    encode(object(kernel), argument, object(given, "view"), to, bytes);
  });
}

tz_error *kernelOccupancy(tz_kernel *kernel, const tz_launch *request,
                          tz_occupancy *out) {
  return guarded([&] {
    answer(out, occupancy(object(kernel), object(request, "launch")));
  });
}

tz_error *launchSlot(tz_stream *stream, tz_kernel *kernel,
                     const tz_launch *request) {
  return guarded([&] {
    launch(object(stream), object(kernel), object(request, "launch"));
  });
}

tz_error *streamRecording(tz_stream *stream, int32_t *out) {
  return guarded([&] { *out = isRecording(object(stream)); });
}

constexpr tz_device_api DeviceApi = {
    sizeof(tz_device_api),
    createPlatform,
    destroyPlatform,
    listDevices,
    describeDevice,
    checkArtifact,
    memAlloc,
    memFree,
    memInfo,
    copySlot,
    fillSlot,
    streamCreate,
    streamWrap,
    streamDestroy,
    streamSync,
    streamWait,
    streamCallback,
    eventCreate,
    eventDestroy,
    eventRecord,
    eventQuery,
    eventSync,
    eventElapsedNs,
    moduleLoad,
    moduleUnload,
    kernelGet,
    moduleGlobal,
    argEncode,
    kernelOccupancy,
    launchSlot,
    checkTarget,
    streamRecording,
};

} // namespace

const tz_device_api &tz::nvidia::deviceApi() { return DeviceApi; }
