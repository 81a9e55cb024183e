//===- HipDevice.h - the classes of this device half ----------------------===//
//
// What   Device, stream, event, module and kernel over HIP, as
//        terrazzo/plugin/Device.h asks for them.
// Why    The files of this folder share their definitions.
//
// Contexts  HIP has one context for each device, which all libraries of the
//           process share: pointers, streams and events are theirs and ours
//           alike. The current device belongs to the thread; it is ours only
//           inside a call.
// Faults    ROCm ends the process for most of them. What HIP tells instead is
//           told with the kernels that may have caused it, and kept: later
//           calls repeat it. A simulator's faults end with the launch.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_DEVICE_HIPDEVICE_H
#define TERRAZZO_PLUGINS_AMD_DEVICE_HIPDEVICE_H

#include "plugins/amd/device/HipDriver.h"
#include "plugins/amd/device/LoadedObject.h"

#include <terrazzo/plugin/Device.h>
#include <terrazzo/plugin/DeviceMemory.h>
#include <terrazzo/plugin/RecentKernels.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tz::amd {

/// Whose streams and events may be wrapped: hipStream_t and hipEvent_t.
inline constexpr std::string_view NativeKind = "hip";

/// Numbers of one device, read when the platform is made.
struct DeviceFacts {
  std::string name, uuid, pciBusId;
  std::string processor, target; ///< "gfx942", "amd:gfx942"
  std::string architecture;      ///< with its features: "gfx942:sramecc+"
  uint32_t units = 0, lanes = 0, maxThreads = 0, maxGrid[3] = {0, 0, 0};
  uint64_t totalMemory = 0, l2Bytes = 0, sharedBytes = 0;
  bool isCooperative = false;
  /// Kernels reach the memory of the process by its own page tables, and the
  /// host theirs: one memory for both.
  bool isHostMemory = false;
  std::vector<tz_kv> props;
};
/// Throws if HIP does not tell them.
DeviceFacts readFacts(const HipDriver &driver, int ordinal);

class HipDevice;
struct HipStream;
struct HipModule;

struct HipEvent {
  explicit HipEvent(HipDevice &device) : device(device) {}
  ~HipEvent();
  HipEvent(const HipEvent &) = delete;

  bool query();
  void synchronize(uint64_t timeoutNs);
  uint64_t elapsedNs(HipEvent &stop);

  HipDevice &device;
  hip::Event native = nullptr;
  bool isTimed = false, isRecorded = false, isOwned = true;
};

struct HipKernel {
  HipKernel(HipModule &module, std::string name)
      : module(module), name(std::move(name)) {}

  tz_occupancy occupancy(const tz_launch &request);

  HipModule &module;
  const std::string name;
  KernelFacts facts;
  hip::Function function = nullptr;
  uint32_t registers = 0, maxThreads = 0;
  uint64_t localBytes = 0;
};

struct HipModule {
  explicit HipModule(HipDevice &device) : device(device) {}
  ~HipModule();
  HipModule(const HipModule &) = delete;

  HipKernel *find(std::string_view name);
  std::optional<plugin::Global> global(std::string_view name);

  HipDevice &device;
  CodeObject about;
  std::string image; ///< HIP may read it as long as it is loaded
  hip::Module native = nullptr;

private:
  std::mutex mutex; ///< guards kernels
  std::map<std::string, std::unique_ptr<HipKernel>, std::less<>> kernels;
};

struct HipStream {
  HipStream(HipDevice &device, hip::Stream native, bool isOwned);
  ~HipStream();
  HipStream(const HipStream &) = delete;

  void copy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t kind);
  void fill(tz_dptr to, uint64_t bytes, uint32_t pattern,
            uint32_t patternBytes);
  void launch(HipKernel &kernel, const tz_launch &request);
  void synchronize();
  void record(HipEvent &event);
  void wait(HipEvent &event);
  void callBack(void (*fn)(void *, int32_t), void *user);
  bool isRecording();

  HipDevice &device;
  hip::Stream native;
  const bool isOwned;
  plugin::RecentKernels recent;
};

class HipDevice {
public:
  using Stream = HipStream;
  using Event = HipEvent;
  using Module = HipModule;
  using Kernel = HipKernel;

  static std::vector<std::unique_ptr<HipDevice>>
  enumerate(const tz_create_desc &desc);
  /// Of the library that simulates devices. Throws TZ_E_UNAVAILABLE without.
  static std::vector<std::unique_ptr<HipDevice>>
  simulators(const tz_create_desc &desc);

  HipDevice(std::shared_ptr<const HipDriver> driver, int ordinal,
            bool isSimulator);
  ~HipDevice();
  HipDevice(const HipDevice &) = delete;

  tz_device_info describe();
  void checkTarget(std::string_view target);
  void checkArtifact(std::string_view compat);
  tz_dptr allocate(const tz_memory_desc &desc);
  void free(tz_dptr memory);
  std::optional<tz_mem_info> memoryInfo(tz_dptr address);
  std::unique_ptr<HipStream> createStream(const tz_stream_desc &desc);
  std::unique_ptr<HipEvent> createEvent(const tz_event_desc &desc);
  std::unique_ptr<HipModule> load(const tz_module_desc &desc);

  /// Throws what was told at the fault, if there was one.
  void mustWork() const {
    if (lost.load(std::memory_order_acquire)) [[unlikely]] {
      throwLost();
    }
  }
  /// Throws if the result is a failure; `attempt` is only called then.
  template <typename Attempt>
  void check(hip::Result result, Attempt attempt) {
    if (result != hip::Success) [[unlikely]] {
      fail(result, attempt());
    }
  }
  [[noreturn]] void fail(hip::Result result, std::string_view attempt,
                         std::string_view facts = {});
  /// "device memory of amd:0", "ordinary host memory": for messages.
  std::string whatIs(tz_dptr address);
  /// "amd:0"
  std::string label() const {
    return isSimulator ? "the simulated " + facts.processor
                       : "amd:" + std::to_string(ordinal);
  }

  void add(HipStream *stream);
  void remove(HipStream *stream);

  const std::shared_ptr<const HipDriver> owned;
  const HipDriver &driver;
  const int ordinal;
  const bool isSimulator;
  const DeviceFacts facts;
  plugin::Allocations allocations;

private:
  static std::vector<std::unique_ptr<HipDevice>>
  listOf(const std::shared_ptr<const HipDriver> &driver, bool areSimulators);
  std::unique_ptr<HipStream> wrapStream(const tz_native &native);
  [[noreturn]] void throwLost() const;
  std::string kernelsInFlight();

  const std::string version; ///< "HIP 6.2.41134"
  mutable std::mutex mutex;  ///< guards what follows
  std::vector<HipStream *> streams;
  std::atomic<bool> lost{false};
  std::string lostMessage;
  int lostResult = 0;
};

/// The device is the thread's current one while this lives.
class DeviceScope {
public:
  explicit DeviceScope(HipDevice &device);
  ~DeviceScope();
  DeviceScope(const DeviceScope &) = delete;

private:
  const HipDriver &driver;
  int before = -1; ///< -1: it was the current one
};

/// What this thread prepares while this lives (memory, code) is nothing that a
/// stream would order: it is allowed while one of the process records a graph.
class PreparationScope {
public:
  explicit PreparationScope(const HipDriver &driver) : driver(driver) {
    isRelaxed =
        driver.told(driver.threadExchangeCaptureMode(&mode)) == hip::Success;
  }
  ~PreparationScope() {
    if (isRelaxed) {
      (void)driver.told(driver.threadExchangeCaptureMode(&mode));
    }
  }
  PreparationScope(const PreparationScope &) = delete;

private:
  const HipDriver &driver;
  hip::CaptureMode mode = hip::CaptureRelaxed; // then the one before
  bool isRelaxed = false;
};

inline void *pointer(tz_dptr address) {
  return reinterpret_cast<void *>(address);
}

/// The library with the simulators: TERRAZZO_AMD_SIMULATOR, else the one beside
/// this half. Throws TZ_E_UNAVAILABLE, TZ_E_FAILED_PRECONDITION: none, or one
/// that is not trusted.
class SimulatorFile {
public:
  SimulatorFile();
  ~SimulatorFile();
  SimulatorFile(const SimulatorFile &) = delete;

  /// After dlopen(path): throws TZ_E_FAILED_PRECONDITION if another file has
  /// its name now.
  void mustBeTheSame() const;

  std::string path; ///< absolute

private:
  int descriptor = -1;
};

/// The table that get_interface("tz.device/1") answers.
const tz_device_api &deviceApi();

} // namespace tz::amd

#endif
