//===- DeviceActivity.cpp - records of a plugin's devices -----------------===//
//
// What   See DeviceActivity.h.
// Why    See DeviceActivity.h.
//===----------------------------------------------------------------------===//
#include "runtime/profile/DeviceActivity.h"

#include "runtime/profile/ProfileData.h"

#include <cstring>

namespace tz::runtime {

static constexpr size_t BufferBytes = size_t(64) << 10;
static constexpr uint64_t Kinds =
    1u << TZ_RECORD_KERNEL | 1u << TZ_RECORD_COPY | 1u << TZ_RECORD_FILL;

DeviceActivity::DeviceActivity(const Device &device, Reader reader,
                               Watcher watcher)
    : label(device.plugin().name()), half(device.half().place),
      device(device.handle()), reader(std::move(reader)),
      watcher(std::move(watcher)) {}

Result<std::unique_ptr<DeviceActivity>>
DeviceActivity::open(const Device &device, Reader reader, Watcher watcher) {
  const Plugin::DeviceHalf &half = device.half();
  PluginMark mark(*half.place, "get_interface");
  const void *found = half.info->get_interface(TZ_PROFILER_INTERFACE);
  if (!found) {
    return Status(TZ_E_UNIMPLEMENTED, "the plugin '" + device.plugin().name() +
                                          "' makes no records of kernels");
  }
  std::unique_ptr<DeviceActivity> made(
      new DeviceActivity(device, std::move(reader), std::move(watcher)));
  made->table = wholeTable(static_cast<const tz_profiler_api *>(found));
  const tz_profiler_api &table = made->table;
  if (!table.create || !table.destroy || !table.enable || !table.flush) {
    return Status(TZ_E_INTERNAL, device.plugin().name() +
                                     ": a function of its profiler is missing");
  }
  Status s = made->check(table.create(half.platform, Kinds, made.get(),
                                      getBuffer, putBuffer, &made->object));
  if (!s.ok()) {
    return s;
  }
  made->readClock();
  made->watch();
  return made;
}

/// Calls `body`, whose lack of memory the plugin does not see.
template <typename Body>
static auto withoutThrowing(Body &&body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return decltype(body())();
  }
}

/// A plugin that cannot watch tells what was pushed.
void DeviceActivity::watch() {
  if (!table.watch) {
    return;
  }
  tz_profiler_watcher told{};
  told.struct_size = sizeof(told);
  told.ctx = this;
  told.launching = [](void *self) {
    return withoutThrowing([&] {
      return static_cast<DeviceActivity *>(self)->watcher.launching();
    });
  };
  told.range_begins = [](void *self, tz_str name) {
    withoutThrowing([&] {
      static_cast<DeviceActivity *>(self)->watcher.rangeBegins(view(name));
    });
  };
  told.range_ends = [](void *self) {
    withoutThrowing(
        [&] { static_cast<DeviceActivity *>(self)->watcher.rangeEnds(); });
  };
  PluginMark mark(*half, "profiler.watch");
  (void)check(table.watch(object, &told));
}

DeviceActivity::~DeviceActivity() {
  if (object) {
    PluginMark mark(*half, "profiler.destroy");
    table.destroy(object);
  }
}

Status DeviceActivity::enable(bool records) {
  PluginMark mark(*half, "profiler.enable");
  return check(table.enable(object, records ? Kinds : 0));
}

Status DeviceActivity::flush() {
  readClock();
  PluginMark mark(*half, "profiler.flush");
  return check(table.flush(object, 1));
}

void DeviceActivity::push(uint64_t external) {
  PluginMark mark(*half, "profiler.push_external");
  (void)check(table.push_external(object, external));
}

void DeviceActivity::pop() {
  uint64_t external = 0;
  PluginMark mark(*half, "profiler.pop_external");
  if (table.pop_external) {
    (void)check(table.pop_external(object, &external));
  }
}

void DeviceActivity::readClock() {
  uint64_t deviceNs = 0, hostNs = 0;
  PluginMark mark(*half, "profiler.clock_pair");
  if (table.clock_pair &&
      check(table.clock_pair(device, &deviceNs, &hostNs)).ok()) {
    offset = int64_t(hostNs - deviceNs);
  }
}

void *DeviceActivity::getBuffer(void *ctx, size_t *size) {
  auto &self = *static_cast<DeviceActivity *>(ctx);
  try {
    std::lock_guard guard(self.lock);
    if (self.unused.empty()) {
      // Records are read as 64-bit words.
      self.all.push_back(std::make_unique<std::byte[]>(BufferBytes));
      self.unused.reserve(self.all.size());
      self.unused.push_back(self.all.back().get());
    }
    void *buffer = self.unused.back();
    self.unused.pop_back();
    *size = BufferBytes;
    return buffer;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void DeviceActivity::putBuffer(void *ctx, void *buffer, size_t valid) {
  auto &self = *static_cast<DeviceActivity *>(ctx);
  const auto *bytes = static_cast<const std::byte *>(buffer);
  // A plugin may know a shorter or a longer record.
  for (size_t at = 0; at + 2 * sizeof(uint32_t) <= valid;) {
    tz_record record{};
    uint32_t size = 0;
    std::memcpy(&size, bytes + at, sizeof(size));
    if (size < offsetof(tz_record, a) || size > valid - at) {
      break;
    }
    std::memcpy(static_cast<void *>(&record), bytes + at,
                std::min<size_t>(size, sizeof(record)));
    at += size;
    try {
      self.reader(record);
    } catch (const std::bad_alloc &) {
      // This record is lost; its launch is counted as such.
    }
  }
  std::lock_guard guard(self.lock);
  self.unused.push_back(buffer); // reserved
}

} // namespace tz::runtime
