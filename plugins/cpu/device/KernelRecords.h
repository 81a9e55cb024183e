//===- KernelRecords.h - When launches ran --------------------------------===//
//
// What   The table x.terrazzo.profiler/0: a record for each launch, with begin
//        and end on the thread that launched it.
// Why    What the host sees of a launch has its preparation in it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_KERNELRECORDS_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_KERNELRECORDS_H

#include <terrazzo/plugin/ProfilerTable.h>

#include <atomic>
#include <mutex>

/// A platform's only one, which is there whether anybody asks for it or not: a
/// launch never meets one that goes.
struct tz_profiler {
  /// One load and a branch of each launch.
  bool isEnabled() const { return enabled.load(std::memory_order_relaxed); }
  void add(uint64_t correlation, uint32_t stream, uint64_t began,
           uint64_t ended);

  // As the slots of the table.
  void open(const tz::plugin::RecordHost &host);
  void close();
  void enable(uint64_t kinds);
  void flush();

private:
  std::atomic<bool> enabled{false};
  std::mutex mutex; ///< guards what follows
  bool isOpen = false;
  tz::plugin::RecordBuffer buffer;
};

namespace tz::cpu {

/// The table that get_interface(TZ_PROFILER_INTERFACE) answers.
const tz_profiler_api &profilerApi();

} // namespace tz::cpu

#endif
