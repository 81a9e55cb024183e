//===- RuntimeDevice.h - devices, memory, streams, events -----------------===//
//
// What   The runtime's objects over a vendor's tz_device_api: each call is
//        checked, its error becomes a Status, optional functions get their
//        stated fallback.
// Why    Above this file nobody knows which vendor it is.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_DEVICE_RUNTIMEDEVICE_H
#define TERRAZZO_RUNTIME_DEVICE_RUNTIMEDEVICE_H

#include "runtime/device/DeviceShadows.h"
#include "runtime/device/LogRing.h"
#include "runtime/device/PartLog.h"
#include "runtime/launch/PlanEvaluator.h"
#include "runtime/loader/Registry.h"

#include <terrazzo/terrazzo.h>

#include <atomic>
#include <deque>
#include <span>

namespace tz::runtime {

class Stream;
class Event;

/// [thread: any]
class Device : public std::enable_shared_from_this<Device> {
public:
  /// code: the target id that kernels are compiled for; empty: the device's
  /// own. It is not checked here (Registry::resolve has done that).
  static Result<std::shared_ptr<Device>> open(Plugin &plugin, size_t index,
                                              std::string code = {});
  /// Device `index` in a context of the program's: memory, code and streams are
  /// that context's. It outlives the device.
  static Result<std::shared_ptr<Device>> wrap(Plugin &plugin, size_t index,
                                              const tz_native &native,
                                              std::string code = {});
  ~Device();

  Plugin &plugin() const { return owner; }
  int index() const { return number; }
  const DeviceFunctions &api() const { return place.half->api; }
  tz_device *handle() const { return place.handle; }
  const Plugin::DeviceHalf &half() const { return *place.half; }
  bool isSimulator() const { return place.isSimulator; }

  /// "x:0"
  const std::string &label() const { return deviceLabel; }
  const std::string &name() const { return deviceName; }
  /// What kernels for this device are compiled for.
  const std::string &target() const { return targetId; }
  const std::string &driverVersion() const { return driver; }
  const tz_device_info &info() const { return facts; } // strings: see above
  bool isHostMemory() const { return facts.flags & TZ_DEVICE_HOST_MEMORY; }
  const std::array<int64_t, 7> &planProperties() const { return properties; }

  /// kind: TZ_MEM_*; align 0: the device's choice.
  Result<tz_dptr> allocate(uint64_t size, uint64_t align = 0,
                           uint32_t kind = TZ_MEM_DEVICE,
                           Stream *stream = nullptr);
  Status free(tz_dptr memory, Stream *stream = nullptr);
  /// Whether the host, too, reads and writes the memory at this address, as the
  /// device says.
  bool isHostPinned(tz_dptr memory) const;
  /// The allocation that holds the address, as far as the device knows.
  std::optional<tz_memory_range> allocationAt(tz_dptr address) const;
  /// What nothing has written yet, for kernels that check it.
  WrittenMemory &written() { return writtenMemory; }
  Result<std::unique_ptr<Stream>> createStream(int32_t priority = 0);
  /// A stream over one of another interface.
  Result<std::unique_ptr<Stream>> wrapStream(const tz_native &native);
  /// native: null, or an event of another interface.
  Result<std::unique_ptr<Event>> createEvent(bool timing,
                                             const tz_native *native = nullptr);

  /// A failing call of this device.
  Status check(tz_error *error) const {
    return error ? takeError(error, deviceLabel) : Status();
  }

private:
  Device(Plugin &plugin, const Plugin::DevicePlace &place, size_t index,
         bool isWrapped);
  Status readFacts(std::string code);
  Result<std::unique_ptr<Stream>> makeStream(int32_t priority,
                                             const tz_native *native);

  Plugin &owner;
  Plugin::DevicePlace place;
  const bool isWrapped; // the handle is ours to release
  int number;
  std::string deviceLabel, deviceName, targetId, driver;
  tz_device_info facts{};
  std::array<int64_t, 7> properties;
  WrittenMemory writtenMemory{*this};
};

/// One thread at a time. What the launch path needs per stream lives here: log
/// ring buffers, ticket, workspaces; so that a launch takes no lock.
class Stream {
public:
  ~Stream();
  Device &device() const { return *owner; }
  const std::shared_ptr<Device> &sharedDevice() const { return owner; }
  tz_stream *handle() const { return native; }

  Status copy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t kind);
  Status fill(tz_dptr to, uint64_t bytes, uint32_t pattern,
              uint32_t patternBytes);
  /// Of memory of the runtime's own, which no kernel is told of.
  Status fillUnnoted(tz_dptr to, uint64_t bytes, uint8_t pattern) {
    return owner->check(owner->api().fill(native, to, bytes, pattern, 1));
  }
  /// Waits, then decodes the log ring buffers: prints go to `sink` of
  /// setPrintSink, a failed assert is TZ_E_ASSERTION.
  /// Parts of programs are added to `parts`, or told to nobody.
  Status synchronize(LaunchParts *parts = nullptr);
  /// Waits for nothing else.
  Status finish();
  /// Tells the same of launches that have ended, without waiting; nothing while
  /// the stream is recorded, and nothing of launches that a graph holds.
  Status poll();
  /// Whether what is asked of it now is recorded in a graph.
  bool isRecording() const;
  /// From any thread: ends the launch or synchronisation that another thread
  /// waits in.
  Status cancel();
  /// Of each launch and synchronisation; 0: as long as they take.
  void setTimeout(uint64_t ns) { timeoutNs = ns; }
  uint64_t timeout() const { return timeoutNs; }
  Status wait(Event &event);
  Status callback(void (*fn)(void *, int32_t), void *user);
  /// An empty sink drops what is printed. Gives the sink before.
  PrintSink setPrintSink(PrintSink sink) {
    return std::exchange(print, std::move(sink));
  }
  /// What launches may touch besides the device's own memory.
  void knowMemory(std::span<const tz_memory_range> ranges);
  /// The array that begins at the address or holds it: the shortest of those
  /// that the stream knows, else what the device says. Nothing: not known.
  std::optional<tz_memory_range> memoryAt(tz_dptr address) const;

  // For the launcher.
  Result<tz_dptr> logRing(const std::shared_ptr<const Artifact> &artifact);
  /// For the next launch, number `id`, of the artifact's kernel: a piece of its
  /// own, which logRing() gives. The launch ends it with end().
  Result<std::shared_ptr<PartLog>>
  beginParts(const std::shared_ptr<const Artifact> &artifact, uint64_t id,
             uint64_t programs);
  void forgetNextLog() { nextLog = 0; }
  Result<tz_dptr> ticket();
  Result<tz_dptr> workspace(const void *owner, uint64_t bytes, uint64_t align,
                            uint32_t zero);
  RaceMemory &races() { return raceMemory; }
  /// Extensions of the launch, or null.
  const tz_ext *extensions() const {
    return known.num_ranges ? &known.head : nullptr;
  }

private:
  friend class Device;
  explicit Stream(std::shared_ptr<Device> device);
  Status waitInSteps();

  struct Workspace {
    const void *owner; // null: shared by all that need no zeros kept
    tz_dptr memory;
    uint64_t bytes, align;
  };
  std::shared_ptr<Device> owner;
  tz_stream *native = nullptr;
  std::vector<std::unique_ptr<LogRing>> rings;
  std::vector<std::shared_ptr<PartLog>> partLogs;
  tz_dptr nextLog = 0; ///< of beginParts()
  std::vector<Workspace> workspaces;
  RaceMemory raceMemory;
  tz_dptr ticketMemory = 0;
  PrintSink print;
  uint64_t timeoutNs = 0;
  std::unique_ptr<Event> passed; // for waits that may be interrupted
  std::atomic<bool> cancelled{false};
  tz_known_memory known{};
  std::vector<tz_memory_range> knownRanges;
  std::deque<std::string> knownNames;
};

/// One thread at a time.
class Event {
public:
  ~Event();
  Status record(Stream &stream);
  Result<bool> query();
  Status synchronize(uint64_t timeoutNs = UINT64_MAX);
  /// From this event to `stop`.
  Result<uint64_t> elapsedNs(Event &stop);
  tz_event *handle() const { return native; }
  Device &device() const { return *owner; }

private:
  friend class Device;
  explicit Event(std::shared_ptr<Device> device) : owner(std::move(device)) {}
  std::shared_ptr<Device> owner;
  tz_event *native = nullptr;
};

} // namespace tz::runtime

#endif
