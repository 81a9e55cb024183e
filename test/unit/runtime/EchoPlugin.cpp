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

struct EchoEvent {
  bool query() { return !Echo::instance().isBehind; }
  void synchronize(uint64_t) { step(); }
  uint64_t elapsedNs(EchoEvent &) { return 5; }
};

struct EchoKernel {
  std::string name;

  void encode(uint32_t arg, const tz_tensor_view &v, void *dst, size_t size) {
    // Base, first dim and stride, so that a test reads them back.
    int64_t text[4] = {int64_t(v.base), int64_t(arg), v.shape[0], v.strides[0]};
    std::memcpy(dst, text, std::min(size, sizeof(text)));
  }
  tz_occupancy occupancy(const tz_launch &) {
    tz_occupancy result{};
    result.blocks = 3;
    return result;
  }
  std::optional<tz_source_place> place(int64_t) { return std::nullopt; }
};

struct EchoModule {
  std::vector<std::unique_ptr<EchoKernel>> kernels;
  EchoKernel *find(std::string_view name) {
    step();
    Echo::instance().sought.emplace_back(name);
    if (name == "missing") {
      return nullptr;
    }
    kernels.push_back(std::make_unique<EchoKernel>());
    kernels.back()->name = name;
    return kernels.back().get();
  }
};

struct EchoStream : HostStream {
  void copy(tz_dptr to, tz_dptr from, uint64_t bytes, uint32_t kind) {
    step();
    HostStream::copy(to, from, bytes, kind);
  }
  void fill(tz_dptr to, uint64_t bytes, uint32_t pattern,
            uint32_t patternBytes) {
    step();
    HostStream::fill(to, bytes, pattern, patternBytes);
  }
  void launch(EchoKernel &kernel, const tz_launch &l) {
    step();
    Echo &echo = Echo::instance();
    if (!echo.record) {
      return;
    }
    const auto *args = static_cast<const uint8_t *>(l.args);
    echo.launches.push_back({kernel.name,
                             {l.grid[0], l.grid[1], l.grid[2]},
                             {args, args + l.args_size},
                             l.flags});
    if (echo.body) {
      echo.body(echo.launches.back());
    }
    tz_record record{};
    record.size = sizeof(record);
    record.kind = TZ_RECORD_KERNEL;
    record.correlation = l.correlation;
    record.t0_ns = 1000;
    record.t1_ns = 1000 + 100 * l.grid[0];
    echo.records.push_back(record);
  }
  void synchronize() {
    step();
    ++std::atomic_ref(Echo::instance().waits); // streams of any thread
  }
  void record(EchoEvent &) {}
  void wait(EchoEvent &) {}
  bool isRecording() { return Echo::instance().isRecording; }
};

struct EchoDevice : HostDevice {
  using Stream = EchoStream;
  using Event = EchoEvent;
  using Module = EchoModule;
  using Kernel = EchoKernel;

  uint32_t flags;
  explicit EchoDevice(uint32_t flags) : flags(flags) {}
  /// Device 0 says that its memory is the host's, device 1 does not.
  static std::vector<std::unique_ptr<EchoDevice>>
  enumerate(const tz_create_desc &) {
    step();
    std::vector<std::unique_ptr<EchoDevice>> devices;
    devices.push_back(std::make_unique<EchoDevice>(TZ_DEVICE_HOST_MEMORY));
    devices.push_back(std::make_unique<EchoDevice>(0));
    return devices;
  }
  tz_device_info describe() {
    step();
    tz_device_info info{};
    info.name = str("echo device");
    info.target = str("echo:any");
    info.flags = flags;
    info.compute_units = 4;
    return info;
  }
  /// It runs echo:any and echo:small; echo:large is another machine's.
  void checkTarget(std::string_view target) {
    if (target == "echo:large") {
      throw Failure(TZ_E_FAILED_PRECONDITION, "it is too small");
    }
    if (target != "echo:any" && target != "echo:small") {
      throw Failure(TZ_E_NOT_FOUND, "unknown");
    }
  }
  tz_dptr allocate(const tz_memory_desc &desc) {
    step();
    ++Echo::instance().allocations;
    return HostDevice::allocate(desc);
  }
  void free(tz_dptr memory) {
    ++Echo::instance().frees;
    HostDevice::free(memory);
  }
  std::unique_ptr<Stream> createStream(const tz_stream_desc &) {
    step();
    return std::make_unique<EchoStream>();
  }
  std::unique_ptr<Event> createEvent(const tz_event_desc &) {
    step();
    return std::make_unique<EchoEvent>();
  }
  std::unique_ptr<Module> load(const tz_module_desc &) {
    step();
    return std::make_unique<EchoModule>();
  }
};

/// Records as a device tells them: when it is asked.
struct Records {
  void *ctx = nullptr;
  void *(*get)(void *, size_t *) = nullptr;
  void (*put)(void *, void *, size_t) = nullptr;

  void flush() {
    Echo &echo = Echo::instance();
    size_t size = 0, used = 0;
    auto *buffer =
        echo.hasBuffers ? static_cast<char *>(get(ctx, &size)) : nullptr;
    for (const tz_record &record : echo.records) {
      if (buffer && used + sizeof(record) <= size) {
        std::memcpy(buffer + used, &record, sizeof(record));
        used += sizeof(record);
      }
    }
    echo.records.clear();
    if (buffer) {
      put(ctx, buffer, used);
    }
  }
};

Records theRecords;
tz_profiler *const handle = reinterpret_cast<tz_profiler *>(&theRecords);

const tz_profiler_api RecordsTable = {
    sizeof(tz_profiler_api),
    [](tz_platform *, uint64_t, void *ctx, void *(*get)(void *, size_t *),
       void (*put)(void *, void *, size_t), tz_profiler **out) {
      return guarded([&] {
        if (Echo::instance().refusesRecords) {
          throw Failure(TZ_E_UNAVAILABLE, "another tool has the records");
        }
        theRecords = {ctx, get, put};
        *out = handle;
      });
    },
    [](tz_profiler *) { theRecords = {}; },
    [](tz_profiler *, uint64_t) -> tz_error * { return nullptr; },
    [](tz_profiler *, uint32_t) {
      return guarded([&] { theRecords.flush(); });
    },
    [](tz_profiler *, uint64_t id) -> tz_error * {
      Echo::instance().externals.push_back(id);
      return nullptr;
    },
    [](tz_profiler *, uint64_t *id) -> tz_error * {
      *id = Echo::instance().externals.back();
      Echo::instance().externals.pop_back();
      return nullptr;
    },
    // Its clock began 500 ns before the host's.
    [](tz_device *, uint64_t *device, uint64_t *host) -> tz_error * {
      *device = 700;
      *host = 200;
      return nullptr;
    },
    [](tz_profiler *, const tz_profiler_watcher *watcher) -> tz_error * {
      Echo::instance().watcher = *watcher;
      return nullptr;
    }};

/// What the test puts there.
const tz_sampler_api SamplerTable = {
    sizeof(tz_sampler_api),
    [](tz_platform *, uint64_t *period, tz_sampler **out) {
      return guarded([&] {
        if (Echo::instance().refusesSamples) {
          throw Failure(TZ_E_UNAVAILABLE, "nobody may");
        }
        Echo::instance().samplePeriod = *period;
        *out = reinterpret_cast<tz_sampler *>(&Echo::instance());
      });
    },
    [](tz_sampler *) { Echo::instance().samplePeriod = 0; },
    [](tz_sampler *, int32_t samples) -> tz_error * {
      Echo::instance().isSampling = samples != 0;
      return nullptr;
    },
    [](tz_sampler *, void *ctx, void (*told)(void *, const tz_sample *),
       uint64_t *lost) -> tz_error * {
      Echo &echo = Echo::instance();
      for (const tz_sample &sample : echo.samples) {
        told(ctx, &sample);
      }
      echo.samples.clear();
      *lost = std::exchange(echo.lostSamples, 0);
      return nullptr;
    }};

const void *getInterface(const char *id) {
  static const tz_device_api old = [] {
    tz_device_api t = *deviceTable<EchoDevice>();
    t.struct_size = TZ_SIZE_UPTO(tz_device_api, launch);
    // Behind the end of the table: never to be read.
    t.source_place = reinterpret_cast<decltype(t.source_place)>(8);
    return t;
  }();
  if (std::string_view(id) == TZ_PROFILER_INTERFACE) {
    return Echo::instance().hasRecords ? &RecordsTable : nullptr;
  }
  if (std::string_view(id) == TZ_SAMPLER_INTERFACE) {
    return Echo::instance().hasSamples ? &SamplerTable : nullptr;
  }
  if (std::string_view(id) != "tz.device/1") {
    return nullptr;
  }
  return Echo::instance().isOld ? &old : deviceTable<EchoDevice>();
}

const tz_plugin *query(const tz_query *asked) {
  static constexpr tz_plugin self =
      entry("echo", "test", "1", "test", getInterface);
  return answer(asked, self);
}

} // namespace

tz::runtime::BuiltinPlugin echoPlugin() { return {"echo", nullptr, query}; }
