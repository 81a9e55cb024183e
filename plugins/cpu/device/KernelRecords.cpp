//===- KernelRecords.cpp - When launches ran ------------------------------===//
//
// What   See KernelRecords.h.
// Why    See KernelRecords.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/KernelRecords.h"

#include "plugins/cpu/device/CpuDevice.h"

#include <terrazzo/plugin/Error.h>

#include <cstring>

using tz::plugin::Failure;
using tz::plugin::guarded;

void tz_profiler::open(void *itsCtx, void *(*getBuffer)(void *, size_t *),
                       void (*putBuffer)(void *, void *, size_t)) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isOpen) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "cpu: another profiler has this device's records");
  }
  isOpen = true;
  ctx = itsCtx;
  get = getBuffer;
  give = putBuffer;
  dropped = 0;
}

void tz_profiler::close() {
  enabled.store(false, std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(mutex);
  put();
  isOpen = false;
}

void tz_profiler::enable(uint64_t kinds) {
  enabled.store(kinds & (1u << TZ_RECORD_KERNEL), std::memory_order_relaxed);
}

void tz_profiler::flush() {
  std::lock_guard<std::mutex> lock(mutex);
  if (dropped && hasRoom()) {
    tz_record record{};
    record.size = sizeof(record);
    record.kind = TZ_RECORD_DROPPED;
    record.a = std::exchange(dropped, 0);
    std::memcpy(buffer + used, &record, sizeof(record));
    used += sizeof(record);
  }
  put();
}

/// With the lock held, as what follows.
void tz_profiler::put() {
  if (buffer) {
    give(ctx, std::exchange(buffer, nullptr), used);
  }
}

/// For one record more.
bool tz_profiler::hasRoom() {
  if (buffer && used + sizeof(tz_record) > size) {
    put();
  }
  if (!buffer) {
    size = used = 0;
    buffer = static_cast<char *>(get(ctx, &size));
  }
  return buffer && size >= sizeof(tz_record);
}

void tz_profiler::add(uint64_t correlation, uint32_t stream, uint64_t began,
                      uint64_t ended) {
  tz_record record{};
  record.size = sizeof(record);
  record.kind = TZ_RECORD_KERNEL;
  record.correlation = correlation;
  record.t0_ns = began;
  record.t1_ns = ended;
  record.stream = stream;
  std::lock_guard<std::mutex> lock(mutex);
  if (!isOpen) {
    return;
  }
  if (!hasRoom()) {
    ++dropped;
    return;
  }
  std::memcpy(buffer + used, &record, sizeof(record));
  used += sizeof(record);
}

const tz_profiler_api &tz::cpu::profilerApi() {
  static constexpr tz_profiler_api table = {
      sizeof(tz_profiler_api),
      [](tz_platform *platform, uint64_t kinds, void *ctx,
         void *(*getBuffer)(void *, size_t *),
         void (*putBuffer)(void *, void *, size_t), tz_profiler **out) {
        return guarded([&] {
          platform->records.open(ctx, getBuffer, putBuffer);
          platform->records.enable(kinds);
          *out = &platform->records;
        });
      },
      [](tz_profiler *records) { records->close(); },
      [](tz_profiler *records, uint64_t kinds) -> tz_error * {
        records->enable(kinds);
        return nullptr;
      },
      [](tz_profiler *records, uint32_t) {
        return guarded([&] { records->flush(); });
      },
      nullptr,
      nullptr,
      nullptr}; // its clock is the host's
  return table;
}
