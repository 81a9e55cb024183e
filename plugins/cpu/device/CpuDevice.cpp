//===- CpuDevice.cpp - The table tz.device/1 over the host CPU ------------===//
//
// What   The functions of this half by the names of the SDK, which makes the
//        table of them; the small ones in full.
// Why    This file is the boundary: nothing below it sees the ABI's out-structs
//        and no exception leaves it.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/CpuDevice.h"

#include "plugins/cpu/device/DeviceErrors.h"
#include "plugins/cpu/device/Faults.h"
#include "plugins/cpu/device/Wait.h"
#include "plugins/cpu/machine/Levels.h"

#include <terrazzo/plugin/DeviceTable.h>

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

using tz::plugin::Failure;
using tz::plugin::str;
namespace plugin = tz::plugin;

tz_kv number(std::string_view key, uint64_t value) {
  return {str(key), TZ_KV_I64, 0, static_cast<int64_t>(value), 0, {}};
}

//===--- Platform and device ----------------------------------------------===//

/// The value of a number or a switch; 0 if it is not given.
int64_t valueOf(const tz_create_desc &desc, std::string_view name,
                uint32_t kind) {
  const tz_kv *option = plugin::optionOf(desc, name, kind);
  return option ? option->i64 : 0;
}

/// Threads to use: the program's choice, else TERRAZZO_CPU_THREADS, else the
/// cores of this process.
unsigned chooseThreads(int64_t wanted) {
  if (wanted != 0) {
    if (wanted < 0 || wanted > int64_t{MaxThreads}) {
      throw Failure(TZ_E_INVALID_ARGUMENT,
                    "cpu: host_threads is " + std::to_string(wanted) +
                        "; it must be a number from 1 to " +
                        std::to_string(MaxThreads));
    }
    return static_cast<unsigned>(wanted);
  }
  const char *text = secure_getenv("TERRAZZO_CPU_THREADS");
  if (!text || !*text) {
    return CpuInfo::host().cores;
  }
  char *end = nullptr;
  errno = 0;
  long value = std::strtol(text, &end, 10);
  if (errno != 0 || *end != 0 || value < 1 || value > long{MaxThreads}) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "TERRAZZO_CPU_THREADS is '" + std::string(text) +
                      "'; it must be a number from 1 to " +
                      std::to_string(MaxThreads));
  }
  return static_cast<unsigned>(value);
}

/// The program's own threads, which are as many as it says.
void checkExecutor(const HostExecutor &executor, int64_t wanted) {
  if (wanted != 0) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "cpu: host_threads and an executor are both given; an "
                  "executor says itself how many threads it has");
  }
  if (executor.threads() < 1 || executor.threads() > MaxThreads) {
    throw Failure(TZ_E_INVALID_ARGUMENT,
                  "cpu: the executor has " +
                      std::to_string(executor.threads()) +
                      " threads; it must be a number from 1 to " +
                      std::to_string(MaxThreads));
  }
}

/// What plugin.h calls the device, over the host's cores.
struct CpuHalf : plugin::OwnHandles {
  //===--- Platform and device --------------------------------------------===//

  static std::unique_ptr<tz_platform> create(const tz_create_desc &desc) {
    if (const std::string &problem = CpuMachine::host().problem;
        !problem.empty()) {
      throw Failure(TZ_E_INVALID_ARGUMENT, problem);
    }
    unsigned threads = 1;
    const int64_t wanted = valueOf(desc, "host_threads", TZ_KV_I64);
    if (const HostExecutor executor(desc.host); executor) {
      checkExecutor(executor, wanted);
    } else {
      threads = chooseThreads(wanted);
    }
    return std::make_unique<tz_platform>(
        threads, desc.host, valueOf(desc, "catch_faults", TZ_KV_BOOL) != 0);
  }
  static std::span<tz_device *const> devices(tz_platform &platform,
                                             uint32_t which) {
    return {platform.deviceList, which == TZ_DEVICES_REAL ? 1u : 0u};
  }
  static tz_device_info describe(tz_device &device);
  static void checkArtifact(tz_device &, std::string_view compat) {
    std::string reason = whyIncompatible(CpuMachine::host(), compat);
    if (!reason.empty()) {
      throw Failure(TZ_E_FAILED_PRECONDITION, reason);
    }
  }
  static void checkTarget(tz_device &, std::string_view target) {
    std::optional<std::string> reason = whyNotRun(CpuMachine::host(), target);
    if (!reason) {
      throw Failure(TZ_E_NOT_FOUND, "there are " + levelNames());
    }
    if (!reason->empty()) {
      throw Failure(TZ_E_FAILED_PRECONDITION, *reason);
    }
  }

  //===--- Memory ---------------------------------------------------------===//

  static tz_dptr allocate(tz_device &device, const tz_memory_desc &desc);
  static void free(tz_device &device, tz_dptr base, tz_stream *) {
    if (base != 0 && !device.platform->memory.free(base)) {
      throw Failure(TZ_E_INVALID_ARGUMENT,
                    "cpu: free of an address that mem_alloc did not give");
    }
  }
  static tz_mem_info memoryInfo(tz_platform &platform, tz_dptr address);
  static tz_error *copy(tz_stream &stream, tz_dptr to, tz_dptr from,
                        uint64_t bytes, uint32_t kind) {
    return copyMemory(&stream, to, from, bytes, kind);
  }
  static tz_error *fill(tz_stream &stream, tz_dptr to, uint64_t bytes,
                        uint32_t pattern, uint32_t patternBytes) {
    return fillMemory(&stream, to, bytes, pattern, patternBytes);
  }

  //===--- Streams and events: all work is done when its call returns -----===//

  static std::unique_ptr<tz_stream> createStream(tz_device &device,
                                                 const tz_stream_desc &desc) {
    if (desc.native && desc.native->object) {
      throw Failure(TZ_E_INVALID_ARGUMENT, "cpu: there are no native streams; "
                                           "only null is wrapped");
    }
    return std::make_unique<tz_stream>(&device);
  }
  static void synchronize(tz_stream &) {}
  static void cancel(tz_stream &stream) { stream.control.stop(TZ_E_CANCELLED); }
  static void wait(tz_stream &, tz_event &) {}
  static void callBack(tz_stream &, void (*fn)(void *, int32_t), void *user) {
    fn(user, TZ_E_OK);
  }
  static std::unique_ptr<tz_event> createEvent(tz_device &,
                                               const tz_event_desc &desc) {
    if (desc.native) {
      throw Failure(TZ_E_INVALID_ARGUMENT, "cpu: there are no native events");
    }
    return std::make_unique<tz_event>();
  }
  static void record(tz_event &event, tz_stream &) {
    event.timeNs = nowNs();
    event.recorded = true;
  }
  /// An event that was never recorded has nothing to wait for.
  static bool query(tz_event &) { return true; }
  static void synchronize(tz_event &, uint64_t) {}
  static uint64_t elapsedNs(tz_event &start, tz_event &stop);

  //===--- Modules, kernels, launch: written elsewhere --------------------===//

  static std::unique_ptr<tz_module> load(tz_device &device,
                                         const tz_module_desc &desc) {
    return loadModule(device, desc);
  }
  static tz_kernel &find(tz_module &module, std::string_view name) {
    return getKernel(module, name);
  }
  static plugin::Global global(tz_module &module, std::string_view name) {
    return getGlobal(module, name);
  }
  /// One program runs on one thread of the pool.
  static tz_occupancy occupancy(tz_kernel &kernel, const tz_launch &launch) {
    tz_occupancy result{};
    result.blocks = result.clusters = 1;
    result.scratch = std::max(kernel.info.arena_bytes, launch.dyn_scratch);
    return result;
  }
  static tz_source_place place(tz_kernel &kernel, int64_t offset) {
    return findPlace(kernel, offset);
  }
  static tz_error *launch(tz_stream &stream, tz_kernel &kernel,
                          const tz_launch &request) {
    return launchKernel(&stream, &kernel, &request);
  }
};

tz_device_info CpuHalf::describe(tz_device &device) {
  const CpuInfo &cpu = CpuInfo::host();
  tz_platform &platform = *device.platform;
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
  return info;
}

tz_dptr CpuHalf::allocate(tz_device &device, const tz_memory_desc &desc) {
  if (desc.kind < TZ_MEM_DEVICE || desc.kind > TZ_MEM_MANAGED) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "cpu: unknown kind of memory");
  }
  const uint64_t align = desc.align ? desc.align : 256;
  if (align & (align - 1)) {
    throw Failure(TZ_E_INVALID_ARGUMENT, "cpu: an alignment is a power of two");
  }
  const uint64_t base =
      device.platform->memory.allocate(desc.kind, desc.size, align);
  if (base == 0) {
    throw Failure(TZ_E_OUT_OF_MEMORY,
                  "cpu: no memory for " + std::to_string(desc.size) +
                      " bytes; the machine has " +
                      std::to_string(CpuInfo::host().totalMemory));
  }
  return base;
}

/// Host memory of anybody is device memory here; its extent is not known.
tz_mem_info CpuHalf::memoryInfo(tz_platform &platform, tz_dptr address) {
  tz_mem_info info{};
  info.device = &platform.device;
  if (auto found = platform.memory.find(address)) {
    info.kind = found->kind;
    info.base = found->base;
    info.size = found->size;
  } else if (isMapped(address)) {
    info.kind = TZ_MEM_DEVICE;
    info.base = address;
  } else {
    throw Failure(TZ_E_NOT_FOUND, "cpu: the address is not mapped");
  }
  return info;
}

uint64_t CpuHalf::elapsedNs(tz_event &start, tz_event &stop) {
  if (!start.recorded || !stop.recorded) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "cpu: an event of the pair was not recorded");
  }
  if (stop.timeNs < start.timeNs) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "cpu: the stop event was recorded before the start event");
  }
  return stop.timeNs - start.timeNs;
}

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

const tz_device_api &tz::cpu::deviceApi() {
  return *tz::plugin::deviceTableOf<CpuHalf>();
}
