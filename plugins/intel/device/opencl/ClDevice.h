//===- ClDevice.h - the objects behind the handles of tz.device/1 ---------===//
//
// What   Platform, device, stream, event, module and kernel over OpenCL.
// Why    plugin.h leaves these types opaque; the files of this folder share
//        their definitions here.
//
// Devices    GPUs of the vendor are devices. A CPU behind OpenCL is a
//            simulator: its memory is the host's, and what is asked of it has
//            ended when the call returns, as the host expects of such devices.
// Contexts   A device has a context of its own, made at first use, or works in
//            one of the program's (device_wrap). Memory, code and queues of two
//            contexts do not mix.
// Memory     Unified memory by cl_intel_unified_shared_memory; without the
//            extension shared virtual memory of OpenCL, which is device memory
//            only.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_OPENCL_CLDEVICE_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_OPENCL_CLDEVICE_H

#include "plugins/intel/device/KernelPool.h"
#include "plugins/intel/device/Machines.h"
#include "plugins/intel/device/Slots.h"
#include "plugins/intel/device/opencl/ClDriver.h"

#include <terrazzo/plugin/DeviceMemory.h>

#include <atomic>
#include <map>
#include <memory>

namespace tz::intel {

using plugin::addressText;
using plugin::Allocation;
using plugin::Allocations;
using plugin::checkAllocation;
using plugin::checkCopy;
using plugin::memoryName;
using plugin::sizeText;
using plugin::splitFill;

/// Whose objects devices, streams and events may be made over: cl_context,
/// cl_device_id, cl_command_queue, cl_event.
inline constexpr std::string_view ClNativeKind = "opencl";

/// Numbers of one device, read when it is made.
struct ClFacts {
  std::string name, uuid, pciBusId, driverVersion, target;
  uint32_t computeUnits = 0;
  uint64_t totalMemory = 0, localMemory = 0, cacheBytes = 0, maxAllocation = 0;
  bool hasUnifiedMemory = false, hasSharedMemory = false, hasPriorities = false;
  Abilities abilities;
};

ClFacts readFacts(const ClDriver &driver, cl_device_id device,
                  const ClExtensions &extensions);

} // namespace tz::intel

struct tz_platform;

struct tz_device {
  /// `context`: of the program's; null: one of its own.
  tz_device(tz_platform &platform, cl_platform_id vendor, cl_device_id native,
            std::string label, bool isSimulator, cl_context context = nullptr);
  ~tz_device();
  tz_device(const tz_device &) = delete;

  /// Made at first use.
  cl_context context();
  /// The context if there is one already.
  cl_context knownContext() const { return made.load(); }
  /// Throws what is missing if the device has no memory with plain addresses.
  void mustHaveMemory() const;

  tz_platform &platform;
  const tz::intel::ClDriver &driver;
  const cl_platform_id vendor;
  const cl_device_id native;
  const std::string label; ///< "intel:0", "simulator 0 of OpenCL"
  const bool isSimulator, isWrapped;
  const tz::intel::ClExtensions extensions;
  const tz::intel::ClFacts facts;
  tz::intel::Allocations allocations;

private:
  std::mutex mutex; ///< while the context is made
  std::atomic<cl_context> made{nullptr};
};

struct tz_platform {
  /// Throws TZ_E_UNAVAILABLE without OpenCL. `library` empty: the usual one,
  /// which is asked for GPUs only if the machine has a graphics device.
  explicit tz_platform(const std::string &library,
                       const tz_host *host = nullptr);

  enum Kind { Real, Simulated };
  /// Made at the first call of its kind.
  const std::vector<tz_device *> &list(Kind kind);
  void addWrapped(tz_device *device);
  void removeWrapped(tz_device *device);
  /// Of all devices, also wrapped ones: the first for which `ask` is true.
  tz_device *find(const std::function<bool(tz_device &)> &ask);

  const tz::intel::ClDriver driver;
  const tz_host *const host; ///< may be null
  /// That devices have, their own and the program's.
  std::atomic<uint32_t> contexts{0};

private:
  void enumerate(cl_device_type type, bool isSimulator,
                 std::vector<tz_device *> &into);

  const bool asksForDevices;
  std::mutex mutex; ///< guards what follows
  std::vector<std::unique_ptr<tz_device>> devices;
  std::vector<tz_device *> handles[2], wrapped;
  bool isListed[2] = {false, false};
};

struct tz_stream {
  tz_device &device;
  tz::intel::ClOwned<cl_command_queue>
      queue;           ///< also of a foreign one, retained
  bool isTimed = true; ///< the queue keeps the times of its commands
  /// The name of what was launched last, for the message of a failure.
  const std::string *last = nullptr;
};

struct tz_event {
  tz_device &device;
  bool isTimed = false;
  tz::intel::ClOwned<cl_event> mark; ///< null: it was never recorded
};

struct tz_kernel {
  tz_module &module;
  const tz::intel::SpirvKernel &about;
  tz::intel::KernelPool<cl_kernel> objects;
};

struct tz_module {
  explicit tz_module(tz_device &device) : device(device) {}
  ~tz_module();

  tz_device &device;
  tz::intel::SpirvModule spirv;
  tz::intel::ClOwned<cl_program> program;
  std::mutex mutex; ///< guards kernels
  std::map<std::string, tz_kernel, std::less<>> kernels;
};

namespace tz::intel {

/// The table that get_interface("tz.device/1") answers.
const tz_device_api &clDeviceApi();

// Beside the slots (Slots.h):

/// Frees what was not freed.
void releaseAll(tz_device &device);
/// After something was asked of the queue: it begins, and has ended if the
/// device is a simulator.
void begin(tz_stream &stream);

} // namespace tz::intel

#endif
