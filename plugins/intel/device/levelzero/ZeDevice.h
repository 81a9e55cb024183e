//===- ZeDevice.h - the objects behind the handles of tz.device/1 ---------===//
//
// What   Platform, device, stream, event, module and kernel over Level Zero.
// Why    plugin.h leaves these types opaque; the files of this folder share
//        their definitions here.
//
// Contexts   A device has a context of its own, made at first use, or works in
//            one of the program's: that of device_wrap, or, where nothing was
//            asked of it before, that of the first stream over a list or queue
//            of the program's. Memory, code and lists of two
//            contexts do not mix.
// Order      A stream is an immediate command list. Its commands may overlap,
//            so a barrier stands behind each of them.
// Events     A tz_event is a name for the last mark that was recorded. A mark
//            is an event of the driver from a pool; it goes back to the pool
//            when nobody holds it, and is used again when it was reached. So
//            an event may be recorded again, or destroyed, while a stream still
//            waits for the mark before.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_LEVELZERO_ZEDEVICE_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_LEVELZERO_ZEDEVICE_H

#include "plugins/intel/device/KernelPool.h"
#include "plugins/intel/device/Machines.h"
#include "plugins/intel/device/Slots.h"
#include "plugins/intel/device/levelzero/ZeDriver.h"

#include <terrazzo/plugin/DeviceMemory.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <thread>

namespace tz::intel {

using plugin::addressText;
using plugin::Allocation;
using plugin::Allocations;
using plugin::checkAllocation;
using plugin::checkCopy;
using plugin::memoryName;
using plugin::sizeText;
using plugin::splitFill;

/// Whose objects devices and streams may be made over. "sycl", the usual one,
/// is what PyTorch hands out: a sycl::queue *. "level_zero":
/// ze_context_handle_t, ze_device_handle_t, and an immediate
/// ze_command_list_handle_t; for events a ze_event_handle_t, with its context.
inline constexpr std::string_view ZeNativeKinds = "sycl,level_zero";

/// Numbers of one device, read when it is made.
struct ZeFacts {
  std::string name, uuid, pciBusId, driverVersion, target;
  uint32_t computeUnits = 0, queueGroup = 0, maxPriority = 0;
  uint64_t totalMemory = 0, localMemory = 0, cacheBytes = 0, maxAllocation = 0;
  uint64_t ticksPerSecond = 0, tickMask = 0; ///< of the device's clock
  Abilities abilities;
};

/// A place in a stream, and the time at which it was reached.
struct ZeMark {
  ze_event_handle_t event = nullptr;
  uint64_t *time = nullptr; ///< in ticks; of the host's memory
};

/// Marks of one context, used again and again. [thread: any]
class ZeMarks {
public:
  explicit ZeMarks(tz_device &device) : device(device) {}
  ~ZeMarks();
  /// One that is not reached. It comes back when nobody holds it.
  std::shared_ptr<const ZeMark> take();
  /// Gives back one that no list was told of.
  void giveUnused(std::shared_ptr<const ZeMark> mark);
  /// Destroys all; nobody holds one.
  void clear();

private:
  struct Loan;
  void give(const ZeMark &mark);
  ZeMark fresh();
  void addPool();

  struct Pool {
    ze_event_pool_handle_t handle = nullptr;
    void *times = nullptr;
    std::vector<ze_event_handle_t> events;
  };
  tz_device &device;
  std::mutex mutex; ///< guards what follows
  std::vector<Pool> pools;
  std::vector<ZeMark> idle, returned; ///< returned: perhaps not yet reached
};

/// Calls what streams are to call when they get somewhere, in the order of each
/// stream. Its thread begins with the first. [thread: any]
class ZeCallbacks {
public:
  struct Entry {
    const tz_stream *stream = nullptr;
    std::shared_ptr<const ZeMark> mark;
    void (*function)(void *user, int32_t code) = nullptr;
    void *user = nullptr;
    int32_t code = TZ_E_OK;
  };
  explicit ZeCallbacks(tz_device &device) : device(device) {}
  ~ZeCallbacks();
  /// Before the mark is made: what can fail, so that add() cannot.
  void prepare();
  void add(Entry entry);
  /// Waits until all of the stream's were called.
  void finish(const tz_stream &stream);
  /// The same for all streams, and no more is added.
  void end();

private:
  void run();
  std::vector<Entry>::iterator findReached();

  tz_device &device;
  std::mutex mutex; ///< guards what follows
  std::condition_variable changed;
  std::vector<Entry> waiting;
  const tz_stream *running = nullptr;
  bool isEnding = false;
  std::thread thread;
};

} // namespace tz::intel

struct tz_device {
  /// `context`: of the program's; null: one of its own.
  tz_device(tz_platform &platform, ze_driver_handle_t vendor,
            ze_device_handle_t native, std::string label,
            ze_context_handle_t context = nullptr);
  ~tz_device();
  tz_device(const tz_device &) = delete;

  /// Made at first use.
  ze_context_handle_t context();
  ze_context_handle_t knownContext() const { return made.load(); }
  /// Works in the program's context from now on, unless it has one already.
  /// False: it has another one.
  bool adopt(ze_context_handle_t context);

  tz_platform &platform;
  const tz::intel::ZeDriver &driver;
  const ze_driver_handle_t vendor;
  const ze_device_handle_t native;
  const std::string label; ///< "intel:0"
  const bool isWrapped;
  const tz::intel::ZeFacts facts;
  tz::intel::Allocations allocations;
  tz::intel::ZeMarks marks;
  tz::intel::ZeCallbacks callbacks;

private:
  std::mutex mutex; ///< while the context is made
  std::atomic<ze_context_handle_t> made{nullptr};
  bool isAdopted = false; ///< the context is the program's
};

struct tz_platform {
  /// Throws TZ_E_UNAVAILABLE without a usable driver.
  explicit tz_platform(const std::string &library);

  void addWrapped(tz_device *device);
  void removeWrapped(tz_device *device);
  /// Of all devices, also wrapped ones: the first for which `ask` is true.
  tz_device *find(const std::function<bool(tz_device &)> &ask);

  const tz::intel::ZeDriver driver;
  /// That devices have, their own and the program's.
  std::atomic<uint32_t> contexts{0};
  std::vector<std::unique_ptr<tz_device>> devices;
  std::vector<tz_device *> handles;

private:
  std::mutex mutex; ///< guards wrapped
  std::vector<tz_device *> wrapped;
};

struct tz_stream {
  tz_device &device;
  tz::intel::ZeOwned<ze_command_list_handle_t> list;
  bool isForeign = false; ///< others append to it, too
  /// What it waits for, until it was waited for itself.
  std::vector<std::shared_ptr<const tz::intel::ZeMark>> held;
  /// The name of what was launched last, for the message of a failure.
  const std::string *last = nullptr;
};

struct tz_event {
  tz_device &device;
  bool isTimed = false;
  std::shared_ptr<const tz::intel::ZeMark> mark; ///< null: never recorded
  bool isForeign = false; ///< the mark is an event of the program's
};

struct tz_kernel {
  tz_module &module;
  const tz::intel::SpirvKernel &about;
  tz::intel::KernelPool<ze_kernel_handle_t> objects;
};

struct tz_module {
  explicit tz_module(tz_device &device) : device(device) {}
  ~tz_module();

  tz_device &device;
  tz::intel::SpirvModule spirv;
  tz::intel::ZeOwned<ze_module_handle_t> native;
  std::mutex mutex; ///< guards kernels
  std::map<std::string, tz_kernel, std::less<>> kernels;
};

namespace tz::intel {

/// The table that get_interface("tz.device/1") answers.
const tz_device_api &zeDeviceApi();

/// What a queue of the program's stands for.
struct ZeForeign {
  ze_context_handle_t context = nullptr;
  ze_device_handle_t device = nullptr;
  ze_command_list_handle_t list = nullptr;
};
/// Of a tz_native of either kind; throws for one of another kind.
ZeForeign readNative(const tz_native &native);
/// Of a sycl::queue *. Throws TZ_E_INVALID_ARGUMENT for one that is of another
/// driver or out of order, TZ_E_UNAVAILABLE without the SYCL runtime.
ZeForeign readSyclQueue(void *queue);

struct ZeSlots : Slots {
  static tz_occupancy occupancy(tz_kernel &kernel, const tz_launch &request);
};

// Beside the slots:

/// Frees what was not freed.
void releaseAll(tz_device &device);
/// Before and behind a command of the list.
void keepOrderBefore(tz_stream &stream);
void keepOrderBehind(tz_stream &stream);

} // namespace tz::intel

#endif
