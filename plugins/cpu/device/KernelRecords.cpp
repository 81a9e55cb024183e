//===- KernelRecords.cpp - When launches ran ------------------------------===//
//
// What   See KernelRecords.h.
// Why    See KernelRecords.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/KernelRecords.h"

#include "plugins/cpu/device/CpuDevice.h"

using tz::plugin::Failure;

void tz_profiler::open(const tz::plugin::RecordHost &host) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isOpen) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "cpu: another profiler has this device's records");
  }
  isOpen = true;
  buffer.begin(host);
}

void tz_profiler::close() {
  enabled.store(false, std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(mutex);
  buffer.give();
  isOpen = false;
}

void tz_profiler::enable(uint64_t kinds) {
  enabled.store(kinds & (1u << TZ_RECORD_KERNEL), std::memory_order_relaxed);
}

void tz_profiler::flush() {
  std::lock_guard<std::mutex> lock(mutex);
  buffer.flush();
}

void tz_profiler::add(uint64_t correlation, uint32_t stream, uint64_t began,
                      uint64_t ended) {
  tz_record record{};
  record.kind = TZ_RECORD_KERNEL;
  record.correlation = correlation;
  record.t0_ns = began;
  record.t1_ns = ended;
  record.stream = stream;
  std::lock_guard<std::mutex> lock(mutex);
  if (isOpen) {
    buffer.add(record);
  }
}

namespace tz::cpu {

namespace {

/// Its clock is the host's.
struct Records {
  static tz_profiler *create(tz_platform &platform,
                             const plugin::RecordHost &host) {
    platform.records.open(host);
    return &platform.records;
  }
  static void destroy(tz_profiler &records) { records.close(); }
  static void enable(tz_profiler &records, uint64_t kinds) {
    records.enable(kinds);
  }
  static void flush(tz_profiler &records, bool) { records.flush(); }
};

} // namespace

const tz_profiler_api &profilerApi() {
  return plugin::profilerTableOf<Records>();
}

} // namespace tz::cpu
