//===- CudaDevice.h - the objects behind the handles of tz.device/1 -------===//
//
// What   Platform, device, stream, event, module and kernel over the driver.
// Why    plugin.h leaves these types opaque; the files of this folder share
//        their definitions here.
//
// Contexts   A device uses its primary context, the one that the runtime API,
//            PyTorch and other libraries of the process use: pointers, streams
//            and events are theirs and ours alike. It is retained at the first
//            call that needs it and is current only inside a call. A device
//            that was made over a context of the program's uses that one, which
//            is neither retained nor released.
// Faults     After a kernel's fault the driver answers every call of the
//            context with the same error. The first one is told with the
//            kernels that may have caused it, and kept: later calls repeat it
//            without asking the driver. The process goes on.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUDADEVICE_H
#define TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUDADEVICE_H

#include "backends/nvidia/device/CudaDriver.h"
#include "backends/nvidia/device/TensorMap.h"

#include <terrazzo/plugin/DeviceMemory.h>
#include <terrazzo/plugin/RecentKernels.h>

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tz::nvidia {

/// Numbers of one device, read when the platform is made.
struct DeviceFacts {
  std::string name, uuid, pciBusId, target;
  int major = 0, minor = 0;
  uint32_t multiprocessors = 0, warpSize = 0, maxThreads = 0, maxGridY = 0;
  uint32_t numaNode = 0;
  uint64_t totalMemory = 0, l2Bytes = 0;
  uint64_t sharedBytes = 0, sharedOptinBytes = 0; ///< of a block
  uint32_t registersPerBlock = 0;
  bool memoryPools = false, cooperative = false, clusters = false;
  std::vector<tz_kv> props;
};

/// Memory that was handed out.
struct Allocation {
  driver::Pointer base = 0; ///< what the driver gave; at most the address
  uint64_t size = 0;
  uint32_t kind = 0;    ///< TZ_MEM_*
  bool ordered = false; ///< by cuMemAllocAsync
};

} // namespace tz::nvidia

struct tz_device {
  tz_device(tz_platform &platform, int ordinal);
  /// The same device in a context of the program's.
  tz_device(const tz_device &primary, tz::nvidia::driver::Context foreign);
  ~tz_device();
  tz_device(const tz_device &) = delete;

  /// The primary context, retained at first use; or the program's.
  tz::nvidia::driver::Context context();
  bool hasContext() const { return retained.load() != nullptr; }
  /// Throws what was told at the fault, if there was one.
  void mustWork() const {
    if (lost.load(std::memory_order_acquire)) [[unlikely]] {
      throwLost();
    }
  }
  /// Throws if the result is a failure; `attempt` is only called then.
  template <typename Attempt>
  void check(tz::nvidia::driver::Result result, Attempt attempt) {
    if (result != tz::nvidia::driver::Success) [[unlikely]] {
      fail(result, attempt());
    }
  }
  [[noreturn]] void fail(tz::nvidia::driver::Result result,
                         std::string_view attempt, std::string_view facts = {});
  /// For messages: the context that its objects belong to.
  std::string contextName() const {
    return isForeign ? "the one that the device was made over"
                     : "the primary one of " + label();
  }
  /// "nvidia:0"
  std::string label() const { return "nvidia:" + std::to_string(ordinal); }

  void add(tz_stream *stream);
  void remove(tz_stream *stream);

  tz_platform &platform;
  const tz::nvidia::Driver &driver;
  const int ordinal;
  const bool isForeign = false; ///< in a context of the program's
  tz::nvidia::driver::DeviceNumber number = 0;
  tz::nvidia::DeviceFacts facts;

  std::mutex memoryMutex; ///< guards allocations
  std::map<tz_dptr, tz::nvidia::Allocation> allocations;

private:
  [[noreturn]] void throwLost() const;
  std::string kernelsInFlight();

  std::atomic<tz::nvidia::driver::Context> retained{nullptr};
  mutable std::mutex mutex; ///< guards what follows and the retaining
  std::vector<tz_stream *> streams;
  std::atomic<bool> lost{false};
  std::string lostMessage;
  int lostResult = 0;
};

struct tz_platform {
  /// Throws TZ_E_UNAVAILABLE without a usable driver.
  explicit tz_platform(const std::string &library);

  /// A copy of the name that lives as long as the platform.
  const std::string *intern(std::string_view name);

  tz::nvidia::Driver driver;
  std::string driverVersion;
  std::vector<std::unique_ptr<tz_device>> devices;
  std::vector<tz_device *> handles;

  /// Those over contexts of the program's, which the program releases.
  void add(tz_device *foreign);
  void remove(tz_device *foreign);
  /// What `fn` finds in one of all devices; stops where it answers true.
  template <typename F>
  void eachDevice(F fn) {
    std::lock_guard guard(foreignMutex);
    for (const auto *list : {&handles, &foreignDevices}) {
      for (tz_device *device : *list) {
        if (fn(*device)) {
          return;
        }
      }
    }
  }

private:
  std::mutex foreignMutex;
  std::vector<tz_device *> foreignDevices;
  std::mutex namesMutex;
  std::set<std::string, std::less<>> names;
};

struct tz_stream {
  tz_stream(tz_device &device, tz::nvidia::driver::Stream native, bool owned);
  ~tz_stream();

  tz_device &device;
  const tz::nvidia::driver::Stream native;
  const bool owned;
  tz::plugin::RecentKernels recent;
};

struct tz_event {
  tz_device &device;
  tz::nvidia::driver::Event native = nullptr;
  bool timed = false, recorded = false, owned = true;
};

struct tz_kernel {
  tz_kernel(tz_module &module, const std::string *name)
      : module(module), name(name) {}

  tz_module &module;
  const std::string *name; ///< the platform's copy
  tz::nvidia::driver::Function function = nullptr;
  uint32_t registers = 0, maxThreads = 0;
  uint64_t sharedBytes = 0, localBytes = 0;
  /// Bytes of the packed arguments; 0: the driver is too old to say.
  uint64_t argBytes = 0;
  /// Where each parameter lies in them, if the driver wants them elsewhere.
  std::vector<uint32_t> offsets;
  /// Dynamic shared memory that the driver was told to allow.
  std::atomic<uint64_t> dynamicLimit{0};
  std::atomic<bool> largeClusters{false};
  std::map<uint32_t, tz::nvidia::TensorView> views; ///< by argument
  tz::nvidia::EncodedViews encoded;
};

struct tz_module {
  explicit tz_module(tz_device &device) : device(device) {}
  ~tz_module();

  tz_device &device;
  std::vector<tz::nvidia::TensorView> views;
  /// Guards what follows, and the changing of kernels' attributes.
  std::mutex mutex;
  std::vector<tz::nvidia::driver::Module> parts;
  std::deque<std::string> waiting; ///< PTX of parts that nobody asked for
  std::map<std::string, std::unique_ptr<tz_kernel>, std::less<>> kernels;
};

namespace tz::nvidia {

using plugin::memoryName;
using plugin::sizeText;

/// The table that get_interface("tz.device/1") answers.
const tz_device_api &deviceApi();

/// The device's context is current while this lives; what was current before is
/// so again afterwards.
class ContextScope {
public:
  explicit ContextScope(tz_device &device);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;

private:
  const Driver &driver;
  bool pushed = false;
};

/// What this thread prepares while this lives (memory, code) is nothing that a
/// stream would order: it is allowed while one of the process records a graph.
class PreparationScope {
public:
  explicit PreparationScope(const Driver &driver) : driver(driver) {
    isRelaxed = driver.threadExchangeCaptureMode(&mode) == driver::Success;
  }
  ~PreparationScope() {
    if (isRelaxed) {
      (void)driver.threadExchangeCaptureMode(&mode);
    }
  }
  PreparationScope(const PreparationScope &) = delete;

private:
  const Driver &driver;
  driver::CaptureMode mode = driver::CaptureRelaxed; // then the one before
  bool isRelaxed = false;
};

/// A device that works in native.context.
std::unique_ptr<tz_device> wrapDevice(tz_platform &platform,
                                      const tz_native &native);

/// Reads the facts of a device; throws if the driver does not tell them.
DeviceFacts readFacts(const Driver &driver, int ordinal,
                      driver::DeviceNumber number);

/// Whose objects streams and events may be made over: handles of the driver's
/// own interface, CUstream and CUevent; `context` is a CUcontext.
inline constexpr std::string_view NativeKind = "cuda";

// Slots of the table, by file. They throw Failure; the SDK's table turns that
// into error objects.

// CudaMemory.cpp
tz_dptr allocate(tz_device &device, uint32_t kind, uint64_t size,
                 uint64_t align, tz_stream *stream);
void release(tz_device &device, tz_dptr memory, tz_stream *stream);
tz_mem_info describeMemory(tz_platform &platform, tz_dptr address);
/// "memory of nvidia:1", "pageable host memory": for messages.
std::string whatIs(tz_platform &platform, tz_dptr address);

// CudaCopy.cpp
void copy(tz_stream &stream, tz_dptr to, tz_dptr from, uint64_t bytes,
          uint32_t kind);
void fill(tz_stream &stream, tz_dptr to, uint64_t bytes, uint32_t pattern,
          uint32_t patternBytes);

// CudaStream.cpp
std::unique_ptr<tz_stream> createStream(tz_device &device, int32_t priority);
std::unique_ptr<tz_stream> wrapStream(tz_device &device,
                                      const tz_native &native);
void destroy(tz_stream &stream);
void synchronize(tz_stream &stream);
/// Whether what is asked of it now becomes a part of a graph.
bool isRecording(tz_stream &stream);
void wait(tz_stream &stream, tz_event &event);
void callBack(tz_stream &stream, void (*fn)(void *, int32_t), void *user);
std::unique_ptr<tz_event> createEvent(tz_device &device, bool timed);
/// timed: the program made it so that it measures.
std::unique_ptr<tz_event> wrapEvent(tz_device &device, const tz_native &native,
                                    bool timed);
void destroy(tz_event &event);
void record(tz_event &event, tz_stream &stream);
bool query(tz_event &event);
void synchronize(tz_event &event, uint64_t timeoutNs);
uint64_t elapsedNs(tz_event &start, tz_event &stop);

// CudaModule.cpp
std::unique_ptr<tz_module> loadModule(tz_device &device,
                                      const tz_module_desc &desc);
tz_kernel &findKernel(tz_module &module, std::string_view name);
void findGlobal(tz_module &module, std::string_view name, tz_dptr &address,
                uint64_t &size);

// CudaLaunch.cpp
void launch(tz_stream &stream, tz_kernel &kernel, const tz_launch &request);
tz_occupancy occupancy(tz_kernel &kernel, const tz_launch &request);

// TensorMap.cpp
void encode(tz_kernel &kernel, uint32_t argument, const tz_tensor_view &view,
            void *to, size_t bytes);

} // namespace tz::nvidia

#endif
