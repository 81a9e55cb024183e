//===- CpuDevice.cpp - The table tz.device/1 over the host CPU ------------===//
//
// What   Every slot of the table, with the small ones in full.
// Why    This file is the boundary: nothing below it sees the ABI's out-structs
//        and no exception leaves it.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/CpuDevice.h"

#include "plugins/cpu/device/DeviceErrors.h"
#include "plugins/cpu/device/Faults.h"
#include "plugins/cpu/device/Wait.h"
#include "plugins/cpu/machine/Levels.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <sys/mman.h>

using namespace tz::cpu;

void *tz_in_own_pages::operator new(size_t bytes) {
  void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    throw std::bad_alloc();
  }
  return pages;
}

void tz_in_own_pages::operator delete(void *pages, size_t bytes) {
  munmap(pages, bytes);
}

namespace {

constexpr unsigned MaxThreads = 4096;
constexpr uint32_t DlpackCpu = 1;

using tz::plugin::str;

tz_kv number(std::string_view key, uint64_t value) {
  return {str(key), TZ_KV_I64, 0, static_cast<int64_t>(value), 0, {}};
}

/// Copies what both sides know: rule 3 of plugin.h.
template <typename T>
void answer(T *out, T value) {
  size_t size = std::min(out->struct_size, sizeof(T));
  value.struct_size = size;
  std::memcpy(out, &value, size);
}

tz_error *missing(const char *what) {
  return makeError(TZ_E_INVALID_ARGUMENT,
                   std::string("cpu: ") + what + " is null");
}

//===--- Platform and device ----------------------------------------------===//

/// The value of an option of kind I64 or BOOL; 0 if it is not given.
int64_t integerOption(const tz_kv *options, size_t n, std::string_view key) {
  for (size_t i = 0; i < n; ++i) {
    const uint32_t kind = options[i].kind;
    if (view(options[i].key) == key &&
        (kind == TZ_KV_I64 || kind == TZ_KV_BOOL)) {
      return options[i].i64;
    }
  }
  return 0;
}

/// Threads to use: the program's choice, else TERRAZZO_CPU_THREADS, else the
/// cores of this process.
tz_error *chooseThreads(int64_t wanted, unsigned &out) {
  out = CpuInfo::host().cores;
  if (wanted != 0) {
    if (wanted < 0 || wanted > int64_t{MaxThreads}) {
      return makeError(TZ_E_INVALID_ARGUMENT,
                       "cpu: host_threads is " + std::to_string(wanted) +
                           "; it must be a number from 1 to " +
                           std::to_string(MaxThreads));
    }
    out = static_cast<unsigned>(wanted);
    return nullptr;
  }
  const char *text = secure_getenv("TERRAZZO_CPU_THREADS");
  if (!text || !*text) {
    return nullptr;
  }
  char *end = nullptr;
  errno = 0;
  long value = std::strtol(text, &end, 10);
  if (errno != 0 || *end != 0 || value < 1 || value > long{MaxThreads}) {
    return makeError(TZ_E_INVALID_ARGUMENT,
                     "TERRAZZO_CPU_THREADS is '" + std::string(text) +
                         "'; it must be a number from 1 to " +
                         std::to_string(MaxThreads));
  }
  out = static_cast<unsigned>(value);
  return nullptr;
}

/// The program's own threads, which are as many as it says.
tz_error *checkExecutor(const HostExecutor &executor, int64_t wanted) {
  if (wanted != 0) {
    return makeError(TZ_E_INVALID_ARGUMENT,
                     "cpu: host_threads and an executor are both given; an "
                     "executor says itself how many threads it has");
  }
  if (executor.threads() < 1 || executor.threads() > MaxThreads) {
    return makeError(TZ_E_INVALID_ARGUMENT,
                     "cpu: the executor has " +
                         std::to_string(executor.threads()) +
                         " threads; it must be a number from 1 to " +
                         std::to_string(MaxThreads));
  }
  return nullptr;
}

tz_error *createPlatform(const tz_host *host, const tz_kv *options, size_t n,
                         tz_platform **out) {
  return guarded([&]() -> tz_error * {
    if (const std::string &problem = CpuMachine::host().problem;
        !problem.empty()) {
      return makeError(TZ_E_INVALID_ARGUMENT, problem);
    }
    unsigned threads = 1;
    const int64_t wanted = integerOption(options, n, "host_threads");
    if (const HostExecutor executor(host); executor) {
      if (tz_error *error = checkExecutor(executor, wanted)) {
        return error;
      }
    } else if (tz_error *error = chooseThreads(wanted, threads)) {
      return error;
    }
    *out = new tz_platform(threads, host,
                           integerOption(options, n, "catch_faults") != 0);
    return nullptr;
  });
}

void destroyPlatform(tz_platform *platform) { delete platform; }

tz_error *listDevices(tz_platform *platform, tz_device *const **out,
                      size_t *n) {
  *out = platform->deviceList;
  *n = 1;
  return nullptr;
}

tz_error *describeDevice(tz_device *device, tz_device_info *out) {
  return guarded([&]() -> tz_error * {
    const CpuInfo &cpu = CpuInfo::host();
    tz_platform &platform = *device->platform;
    tz_device_info info{};
    info.name = str(cpu.machine.brand);
    info.driver_version = str(platform.driverVersion);
    info.target = str(cpu.target);
    info.dlpack_type = DlpackCpu;
    info.flags = TZ_DEVICE_HOST_MEMORY;
    info.compute_units = platform.pool.threads();
    info.subgroup_size = 1;
    info.max_threads_per_block = 1;
    info.total_mem = cpu.totalMemory;
    info.free_mem = std::min(availableMemory(), cpu.totalMemory);
    info.l2_bytes = cpu.l2Bytes;
    info.props = platform.props.data();
    info.num_props = platform.props.size();
    answer(out, info);
    return nullptr;
  });
}

tz_error *checkArtifact(tz_device *, tz_str compat) {
  return guarded([&]() -> tz_error * {
    std::string reason = whyIncompatible(CpuMachine::host(), view(compat));
    return reason.empty() ? nullptr
                          : makeError(TZ_E_FAILED_PRECONDITION, reason);
  });
}

tz_error *checkTarget(tz_device *, tz_str target) {
  return guarded([&]() -> tz_error * {
    std::optional<std::string> reason =
        whyNotRun(CpuMachine::host(), view(target));
    if (!reason) {
      return makeError(TZ_E_NOT_FOUND, "there are " + levelNames());
    }
    return reason->empty() ? nullptr
                           : makeError(TZ_E_FAILED_PRECONDITION, *reason);
  });
}

//===--- Memory -----------------------------------------------------------===//

tz_error *allocateMemory(tz_device *device, uint32_t kind, uint64_t size,
                         uint64_t align, tz_stream *, tz_dptr *out) {
  return guarded([&]() -> tz_error * {
    if (kind < TZ_MEM_DEVICE || kind > TZ_MEM_MANAGED) {
      return makeError(TZ_E_INVALID_ARGUMENT, "cpu: unknown kind of memory");
    }
    if (align == 0) {
      align = 256;
    }
    if (align & (align - 1)) {
      return makeError(TZ_E_INVALID_ARGUMENT,
                       "cpu: an alignment is a power of two");
    }
    uint64_t base = device->platform->memory.allocate(kind, size, align);
    if (base == 0) {
      return makeError(TZ_E_OUT_OF_MEMORY,
                       "cpu: no memory for " + std::to_string(size) +
                           " bytes; the machine has " +
                           std::to_string(CpuInfo::host().totalMemory));
    }
    *out = base;
    return nullptr;
  });
}

tz_error *freeMemory(tz_device *device, tz_dptr base, tz_stream *) {
  return guarded([&]() -> tz_error * {
    if (base != 0 && !device->platform->memory.free(base)) {
      return makeError(TZ_E_INVALID_ARGUMENT,
                       "cpu: free of an address that mem_alloc did not give");
    }
    return nullptr;
  });
}

/// Host memory of anybody is device memory here; its extent is not known.
tz_error *describeMemory(tz_platform *platform, tz_dptr address,
                         tz_mem_info *out) {
  return guarded([&]() -> tz_error * {
    tz_mem_info info{};
    info.device = &platform->device;
    if (auto found = platform->memory.find(address)) {
      info.kind = found->kind;
      info.base = found->base;
      info.size = found->size;
    } else if (isMapped(address)) {
      info.kind = TZ_MEM_DEVICE;
      info.base = address;
    } else {
      return makeError(TZ_E_NOT_FOUND, "cpu: the address is not mapped");
    }
    answer(out, info);
    return nullptr;
  });
}

//===--- Streams and events -----------------------------------------------===//

tz_error *createStream(tz_device *device, uint32_t, int32_t, tz_stream **out) {
  return guarded([&]() -> tz_error * {
    *out = new tz_stream(device);
    return nullptr;
  });
}

tz_error *wrapStream(tz_device *device, void *native, tz_stream **out) {
  if (native) {
    return makeError(TZ_E_INVALID_ARGUMENT,
                     "cpu: there are no native streams; only null is wrapped");
  }
  return createStream(device, 0, 0, out);
}

void destroyStream(tz_stream *stream) { delete stream; }

tz_error *syncStream(tz_stream *) { return nullptr; }

tz_error *cancelStream(tz_stream *stream) {
  stream->control.stop(TZ_E_CANCELLED);
  return nullptr;
}

tz_error *waitForEvent(tz_stream *, tz_event *event) {
  return event ? nullptr : missing("event");
}

tz_error *callBack(tz_stream *, void (*fn)(void *, int32_t), void *user) {
  if (!fn) {
    return missing("callback");
  }
  fn(user, TZ_E_OK);
  return nullptr;
}

tz_error *createEvent(tz_device *, uint32_t, tz_event **out) {
  return guarded([&]() -> tz_error * {
    *out = new tz_event();
    return nullptr;
  });
}

void destroyEvent(tz_event *event) { delete event; }

tz_error *recordEvent(tz_event *event, tz_stream *) {
  event->timeNs = nowNs();
  event->recorded = true;
  return nullptr;
}

/// An event that was never recorded has nothing to wait for.
tz_error *queryEvent(tz_event *, int32_t *done) {
  *done = 1;
  return nullptr;
}

tz_error *syncEvent(tz_event *, uint64_t) { return nullptr; }

tz_error *elapsedBetween(tz_event *start, tz_event *stop, uint64_t *out) {
  if (!start->recorded || !stop->recorded) {
    return makeError(TZ_E_FAILED_PRECONDITION,
                     "cpu: an event of the pair was not recorded");
  }
  if (stop->timeNs < start->timeNs) {
    return makeError(TZ_E_FAILED_PRECONDITION,
                     "cpu: the stop event was recorded before the start event");
  }
  *out = stop->timeNs - start->timeNs;
  return nullptr;
}

//===--- Modules, kernels, launch: guarded here, written elsewhere --------===//

tz_error *moduleLoad(tz_device *device, const tz_blob *blobs, size_t n,
                     const tz_ext *extensions, tz_module **out) {
  return guarded([&] { return loadModule(device, blobs, n, extensions, out); });
}

tz_error *kernelGet(tz_module *module, tz_str name, tz_kernel **out) {
  return guarded([&] { return getKernel(module, name, out); });
}

tz_error *moduleGlobal(tz_module *module, tz_str name, tz_dptr *out,
                       uint64_t *size) {
  return guarded([&] { return getGlobal(module, name, out, size); });
}

/// One program runs on one thread of the pool.
tz_error *kernelOccupancy(tz_kernel *kernel, const tz_launch *launch,
                          tz_occupancy *out) {
  tz_occupancy occupancy{};
  occupancy.blocks = 1;
  occupancy.clusters = 1;
  occupancy.scratch = std::max(kernel->info.arena_bytes,
                               launch ? launch->dyn_scratch : uint64_t{0});
  answer(out, occupancy);
  return nullptr;
}

tz_error *launch(tz_stream *stream, tz_kernel *kernel,
                 const tz_launch *request) {
  return guarded([&] { return launchKernel(stream, kernel, request); });
}

tz_error *sourcePlace(tz_kernel *kernel, int64_t offset, tz_source_place *out) {
  return guarded([&] { return findPlace(kernel, offset, out); });
}

tz_error *copy(tz_stream *stream, tz_dptr dst, tz_dptr src, uint64_t n,
               uint32_t kind) {
  return guarded([&] { return copyMemory(stream, dst, src, n, kind); });
}

tz_error *fill(tz_stream *stream, tz_dptr dst, uint64_t n, uint32_t pattern,
               uint32_t patternBytes) {
  return guarded(
      [&] { return fillMemory(stream, dst, n, pattern, patternBytes); });
}

constexpr tz_device_api DeviceApi = {
    sizeof(tz_device_api),
    createPlatform,
    destroyPlatform,
    listDevices,
    describeDevice,
    checkArtifact,
    allocateMemory,
    freeMemory,
    describeMemory,
    copy,
    fill,
    createStream,
    wrapStream,
    destroyStream,
    syncStream,
    waitForEvent,
    callBack,
    createEvent,
    destroyEvent,
    recordEvent,
    queryEvent,
    syncEvent,
    elapsedBetween,
    moduleLoad,
    unloadModule,
    kernelGet,
    moduleGlobal,
    nullptr,
    kernelOccupancy,
    launch,
    checkTarget,
    nullptr, // streams record no graphs
    cancelStream,
    sourcePlace,
};

} // namespace

tz_platform::tz_platform(unsigned threads, const tz_host *host,
                         bool catchesFaults)
    : host(host), catchesFaults(catchesFaults),
      pool(threads, catchesFaults, host), memory(CpuInfo::host().totalMemory) {
  if (catchesFaults) {
    catchFaults();
  }
  const CpuInfo &cpu = CpuInfo::host();
  device.platform = this;
  deviceList[0] = &device;
  driverVersion = "host cpu, " + std::to_string(pool.threads()) + " threads";
  if (pool.hasExecutor()) {
    driverVersion += " of the program";
  }
  if (!cpu.machine.cap.empty()) {
    driverVersion += ", TERRAZZO_CPU_CAP=" + cpu.machine.cap;
  }
  props = {number("threads", pool.threads()),
           number("cores", cpu.cores),
           number("vector.bits", cpu.vectorBits),
           number("cache.l1d.bytes", cpu.l1dBytes),
           number("cache.l2.bytes", cpu.l2Bytes),
           number("cache.l3.bytes", cpu.l3Bytes)};
  for (const std::string &feature : cpu.machine.features) {
    props.push_back({str(feature), TZ_KV_BOOL, 0, 1, 0, {}});
  }
}

const tz_device_api &tz::cpu::deviceApi() { return DeviceApi; }
