//===- DeviceActivity.h - records of a plugin's devices -------------------===//
//
// What   A plugin's "x.terrazzo.profiler/0": made, told what to record, and its
//        buffers read.
// Why    Kernels are timed by who runs them, and those of other libraries in
//        the same process show too.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_DEVICEACTIVITY_H
#define TERRAZZO_RUNTIME_PROFILE_DEVICEACTIVITY_H

#include "runtime/device/RuntimeDevice.h"

#include <functional>
#include <map>
#include <mutex>

namespace tz::runtime {

/// Of one device half. [thread: any]
class DeviceActivity {
public:
  /// Told of each record, from any thread.
  using Reader = std::function<void(const tz_record &)>;

  /// Told on the threads that the program works on, inside of its calls.
  struct Watcher {
    std::function<uint64_t()> launching; ///< as in tz_profiler_watcher
    std::function<void(std::string_view name)> rangeBegins;
    std::function<void()> rangeEnds;
  };

  /// TZ_E_UNIMPLEMENTED: the plugin makes no records.
  static Result<std::unique_ptr<DeviceActivity>>
  open(const Device &device, Reader reader, Watcher watcher);
  ~DeviceActivity();
  DeviceActivity(const DeviceActivity &) = delete;

  Status enable(bool records);
  /// Waits for what has ended.
  Status flush();
  bool hasExternals() const { return table.push_external; }
  void push(uint64_t external);
  void pop();
  /// Of this device's clock, in the host's. Asked again at each flush.
  uint64_t hostTime(uint64_t deviceNs) const {
    return deviceNs + uint64_t(offset.load(std::memory_order_relaxed));
  }

private:
  DeviceActivity(const Device &device, Reader reader, Watcher watcher);
  void watch();
  Status check(tz_error *error) const { return takeError(error, label); }
  void readClock();
  static void *getBuffer(void *ctx, size_t *size);
  static void putBuffer(void *ctx, void *buffer, size_t valid);

  const std::string label;
  const PluginHalf *const half;
  tz_device *const device;
  const Reader reader;
  const Watcher watcher;
  tz_profiler_api table{};
  tz_profiler *object = nullptr;
  std::atomic<int64_t> offset{0};
  std::mutex lock; ///< guards what follows
  std::vector<std::unique_ptr<std::byte[]>> all;
  std::vector<void *> unused;
};

} // namespace tz::runtime

#endif
