//===- CpuDevice.h - The objects behind the handles of tz.device/1 --------===//
//
// What   Platform, device, stream, event, module and kernel of the host CPU.
// Why    plugin.h leaves these types opaque; the files of this folder share
//        their definitions here.
//
// Order of work: every call does its work before it returns, on the caller's
// thread and the pool. A stream is therefore in order by itself, an event is
// complete once it is recorded, and waiting for one never blocks.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_CPUDEVICE_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_CPUDEVICE_H

#include "plugins/cpu/KernelEntry.h"
#include "plugins/cpu/device/CpuInfo.h"
#include "plugins/cpu/device/CpuMemory.h"
#include "plugins/cpu/device/ElfObject.h"
#include "plugins/cpu/device/KernelRecords.h"
#include "plugins/cpu/device/LaunchControl.h"
#include "plugins/cpu/device/LineTable.h"
#include "plugins/cpu/device/ThreadPool.h"

#include "terrazzo/plugin/DeviceTable.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

struct tz_device {
  tz_platform *platform = nullptr;
};

/// The base of objects in pages of their own: a kernel that writes over the
/// heap does not reach what threads wait for, which could then wait for ever.
struct tz_in_own_pages {
  static void *operator new(size_t bytes);
  static void operator delete(void *pages, size_t bytes);
};

struct tz_platform : tz_in_own_pages {
  tz_platform(unsigned threads, const tz_host *host, bool catchesFaults);

  const tz_host *const host; ///< may be null
  const bool catchesFaults;
  tz::cpu::Reminder reminder;
  tz::cpu::ThreadPool pool;
  tz::cpu::CpuMemory memory;
  tz_device device;
  tz_device *deviceList[1];
  std::string driverVersion;
  std::vector<tz_kv> props;
  tz_profiler records;
  std::atomic<uint32_t> streams{0}; ///< that were made
};

struct tz_stream : tz_in_own_pages {
  explicit tz_stream(tz_device *device)
      : device(device), number(1 + device->platform->streams.fetch_add(1)),
        control(device->platform->host, device->platform->reminder) {}

  tz_device *const device;
  const uint32_t number; ///< in order of creation, from 1
  tz::cpu::LaunchControl control;
};

struct tz_event {
  bool recorded = false;
  uint64_t timeNs = 0; ///< monotonic
};

struct tz_kernel {
  std::string name;
  tz_cpu_entry entry = nullptr;
  tz_cpu_kernel_info info{};
  tz_module *module = nullptr;
  /// Of checked code.
  std::span<const tz_cpu_argument> arguments;
  tz::cpu::LaunchCost cost; ///< see GridJob
};

struct tz_module {
  tz_module() = default;
  ~tz_module();
  tz_module(const tz_module &) = delete;

  std::unique_ptr<tz::cpu::ElfObject> object;
  void *debugRegistration = nullptr;
  std::mutex mutex; ///< guards what follows
  std::optional<tz::cpu::LineTable> lines;
  std::map<std::string, std::unique_ptr<tz_kernel>, std::less<>> kernels;
};

namespace tz::cpu {

/// The table that get_interface("tz.device/1") answers.
const tz_device_api &deviceApi();

// Slots of the table that live in files of their own. They throw
// plugin::Failure, or answer an error with its facts.
std::unique_ptr<tz_module> loadModule(tz_device &device,
                                      const tz_module_desc &desc);
tz_kernel &getKernel(tz_module &module, std::string_view name);
plugin::Global getGlobal(tz_module &module, std::string_view name);
/// The line of an instruction, if it is known; with the module's lock.
std::optional<tz_source_place> findLine(tz_module &module, uint64_t pc);
/// The kernel's instruction `offset` bytes behind its first.
tz_source_place findPlace(tz_kernel &kernel, int64_t offset);
tz_error *launchKernel(tz_stream *stream, tz_kernel *kernel,
                       const tz_launch *launch);
tz_error *copyMemory(tz_stream *stream, tz_dptr dst, tz_dptr src, uint64_t n,
                     uint32_t kind);
tz_error *fillMemory(tz_stream *stream, tz_dptr dst, uint64_t n,
                     uint32_t pattern, uint32_t patternBytes);

} // namespace tz::cpu

#endif
