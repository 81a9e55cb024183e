//===- EchoPlugin.cpp - a device that shows what it was given -------------===//
//
// What   The device half, over the plugin SDK, in host memory.
// Why    See EchoPlugin.h.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/EchoPlugin.h"

#include <terrazzo/plugin/HostMemory.h>

#include <atomic>

using namespace tz::plugin;

Echo &Echo::instance() {
  static Echo echo;
  return echo;
}

namespace {

/// Failure injection: every function of the table passes here.
void step() {
  Echo &echo = Echo::instance();
  if (echo.failAt >= 0 && echo.failAt-- == 0) {
    throw Failure(TZ_E_UNAVAILABLE, "injected failure", 77);
  }
}

struct EchoEvent final : Event {
  bool query() override { return !Echo::instance().isBehind; }
  void synchronize(uint64_t) override { step(); }
  uint64_t elapsedNs(Event &) override { return 5; }
};

struct EchoCode final : Code {
  std::string name;
};

struct EchoModule final : Module {
  std::vector<std::unique_ptr<EchoCode>> codes;
  Code *find(std::string_view name) override {
    step();
    Echo::instance().sought.emplace_back(name);
    if (name == "missing") {
      return nullptr;
    }
    codes.push_back(std::make_unique<EchoCode>());
    codes.back()->name = name;
    return codes.back().get();
  }
};

struct EchoStream final : HostStream {
  void copy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t kind) override {
    step();
    HostStream::copy(to, from, bytes, kind);
  }
  void fill(tz_dptr to, uint64_t bytes, uint32_t pattern,
            uint32_t patternBytes) override {
    step();
    HostStream::fill(to, bytes, pattern, patternBytes);
  }
  void launch(Code &code, const tz_launch &l) override {
    step();
    Echo &echo = Echo::instance();
    if (!echo.record) {
      return;
    }
    const auto *args = static_cast<const uint8_t *>(l.args);
    echo.launches.push_back({static_cast<EchoCode &>(code).name,
                             {l.grid[0], l.grid[1], l.grid[2]},
                             {args, args + l.args_size},
                             l.flags});
    if (echo.body) {
      echo.body(echo.launches.back());
    }
  }
  void synchronize() override {
    step();
    ++std::atomic_ref(Echo::instance().waits); // streams of any thread
  }
  void record(Event &) override {}
};

struct EchoDevice final : HostDevice {
  uint32_t flags;
  explicit EchoDevice(uint32_t flags) : flags(flags) {}
  /// Device 0 says that its memory is the host's, device 1 does not.
  static std::vector<std::unique_ptr<Device>> enumerate(const tz_host *) {
    step();
    std::vector<std::unique_ptr<Device>> devices;
    devices.push_back(std::make_unique<EchoDevice>(TZ_DEVICE_HOST_MEMORY));
    devices.push_back(std::make_unique<EchoDevice>(0));
    return devices;
  }
  tz_device_info describe() override {
    step();
    tz_device_info info{};
    info.name = str("echo device");
    info.target = str("echo:any");
    info.flags = flags;
    info.compute_units = 4;
    return info;
  }
  /// It runs echo:any and echo:small; echo:large is another machine's.
  void checkTarget(std::string_view target) override {
    if (target == "echo:large") {
      throw Failure(TZ_E_FAILED_PRECONDITION, "it is too small");
    }
    if (target != "echo:any" && target != "echo:small") {
      throw Failure(TZ_E_NOT_FOUND, "unknown");
    }
  }
  tz_dptr allocate(uint32_t kind, uint64_t size, uint64_t align) override {
    step();
    ++Echo::instance().allocations;
    return HostDevice::allocate(kind, size, align);
  }
  void free(tz_dptr memory) override {
    ++Echo::instance().frees;
    HostDevice::free(memory);
  }
  std::unique_ptr<Stream> createStream(int32_t) override {
    step();
    return std::make_unique<EchoStream>();
  }
  std::unique_ptr<Event> createEvent(bool) override {
    step();
    return std::make_unique<EchoEvent>();
  }
  std::unique_ptr<Module> load(const tz_blob *, size_t) override {
    step();
    return std::make_unique<EchoModule>();
  }
};

tz_error *encode(tz_kernel *, uint32_t arg, const tz_tensor_view *v, void *dst,
                 size_t size) {
  // Base, first dim and stride, so that a test reads them back.
  int64_t text[4] = {int64_t(v->base), int64_t(arg), v->shape[0],
                     v->strides[0]};
  std::memcpy(dst, text, std::min(size, sizeof(text)));
  return nullptr;
}

tz_error *occupancy(tz_kernel *, const tz_launch *, tz_occupancy *out) {
  out->blocks = 3;
  return nullptr;
}

const void *getInterface(const char *id) {
  static const tz_device_api table = [] {
    tz_device_api t = *deviceTable<EchoDevice>();
    t.arg_encode = encode;
    t.kernel_occupancy = occupancy;
    t.stream_recording = [](tz_stream *, int32_t *out) -> tz_error * {
      *out = Echo::instance().isRecording;
      return nullptr;
    };
    return t;
  }();
  static const tz_device_api old = [] {
    tz_device_api t = table;
    t.struct_size = TZ_SIZE_UPTO(tz_device_api, stream_cancel);
    // Behind the end of the table: never to be read.
    t.source_place = reinterpret_cast<decltype(t.source_place)>(8);
    return t;
  }();
  if (std::string_view(id) != "tz.device/1") {
    return nullptr;
  }
  return Echo::instance().isOld ? &old : &table;
}

const tz_plugin *query(const tz_query *) {
  static const tz_plugin plugin = {sizeof(tz_plugin),
                                   TZ_PLUGIN_MAGIC,
                                   TZ_ABI_MAJOR,
                                   TZ_ABI_MINOR,
                                   TZ_ABI_MINOR,
                                   str("echo"),
                                   str("test"),
                                   str("1"),
                                   str("test"),
                                   TZ_SANITIZER_TAG,
                                   0,
                                   getInterface,
                                   nullptr};
  return &plugin;
}

} // namespace

tz::runtime::BuiltinPlugin echoPlugin() { return {"echo", nullptr, query}; }
