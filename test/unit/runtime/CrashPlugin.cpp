//===- CrashPlugin.cpp - a plugin that crashes in one of its functions ----===//
//
// What   Both halves, right in everything but that the function that is named
//        by TZ_TEST_CRASH_AT ("device.copy") writes to address 0.
// Why    Whichever function of a plugin ends the process, it is named
//        (CrashTest.cpp).
//===----------------------------------------------------------------------===//
#include "runtime/loader/Functions.h"

#include <terrazzo/plugin/Compiler.h>
#include <terrazzo/plugin/HostMemory.h>

#include <cstdlib>
#include <string_view>

using namespace tz::plugin;

namespace {

struct OneCompiler final : Compiler {
  using Compiler::Compiler;
  std::vector<std::string> targets() override { return {"crash:any"}; }
  tz_target_desc describe(std::string_view) override {
    tz_target_desc d{};
    d.id = str("crash:any");
    return d;
  }
  std::vector<Option> options(std::string_view) { return {}; }
  void check(const Request &) {}
  Artifact compile(const Request &) override { return {}; }
};

struct OneEvent {
  bool query() { return true; }
  void synchronize(uint64_t) {}
  uint64_t elapsedNs(OneEvent &) { return 5; }
};

struct OneKernel {
  void encode(uint32_t, const tz_tensor_view &, void *, size_t) {}
  tz_occupancy occupancy(const tz_launch &) {
    tz_occupancy result{};
    result.blocks = 1;
    return result;
  }
  std::optional<tz_source_place> place(int64_t) { return std::nullopt; }
};

struct OneModule {
  OneKernel kernel;
  OneKernel *find(std::string_view) { return &kernel; }
  std::optional<Global> global(std::string_view) { return std::nullopt; }
};

struct OneStream {
  void copy(tz_dptr, tz_dptr, uint64_t, uint32_t) {}
  void fill(tz_dptr, uint64_t, uint32_t, uint32_t) {}
  void launch(OneKernel &, const tz_launch &) {
    throw Failure(TZ_E_FAULT, "a fault");
  }
  void synchronize() {}
  void record(OneEvent &) {}
  void wait(OneEvent &) {}
  void callBack(void (*)(void *, int32_t), void *) {}
  bool isRecording() { return false; }
  void cancel() {}
};

struct OneDevice : HostDevice {
  using Stream = OneStream;
  using Event = OneEvent;
  using Module = OneModule;
  using Kernel = OneKernel;

  static std::vector<std::unique_ptr<OneDevice>>
  enumerate(const tz_create_desc &) {
    std::vector<std::unique_ptr<OneDevice>> devices;
    devices.push_back(std::make_unique<OneDevice>());
    return devices;
  }
  static std::unique_ptr<OneDevice> wrap(const tz_native &) {
    return std::make_unique<OneDevice>();
  }
  tz_device_info describe() {
    tz_device_info info{};
    info.name = str("crash device");
    info.target = str("crash:any");
    info.native_kinds = str("other");
    return info;
  }
  void checkTarget(std::string_view) {}
  void checkArtifact(std::string_view) {}
  std::optional<tz_mem_info> memoryInfo(tz_dptr) { return std::nullopt; }
  std::unique_ptr<OneStream> createStream(const tz_stream_desc &) {
    return std::make_unique<OneStream>();
  }
  std::unique_ptr<OneEvent> createEvent(const tz_event_desc &) {
    return std::make_unique<OneEvent>();
  }
  std::unique_ptr<OneModule> load(const tz_module_desc &) {
    return std::make_unique<OneModule>();
  }
};

template <typename Result, typename... Arguments>
Result crash(Arguments...) {
  *static_cast<volatile int *>(nullptr) = 1;
  std::abort();
}
template <typename Result, typename... Arguments>
void wreck(Result (*&slot)(Arguments...)) {
  slot = crash<Result, Arguments...>;
}

std::string_view wrecked() {
  const char *name = std::getenv("TZ_TEST_CRASH_AT");
  return name ? name : "";
}

#define WRECK(half, name)                                                      \
  if (wrecked() == #half "." #name) {                                          \
    wreck(table.name);                                                         \
  }
#define WRECK_COMPILER(name) WRECK(compiler, name)
#define WRECK_DEVICE(name) WRECK(device, name)

const tz_compiler_api *compilers() {
  static const tz_compiler_api all = [] {
    tz_compiler_api table = *compilerTable<OneCompiler>();
    TZ_COMPILER_FUNCTIONS(WRECK_COMPILER)
    return table;
  }();
  return &all;
}

const tz_device_api *devices() {
  static const tz_device_api all = [] {
    tz_device_api table = *deviceTable<OneDevice>();
    TZ_DEVICE_FUNCTIONS(WRECK_DEVICE)
    return table;
  }();
  return &all;
}

} // namespace

extern "C" TZ_PLUGIN_EXPORT const tz_plugin *
tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self =
      entry("crash", "Terrazzo", "1.0", "crash-1",
            [](const char *id) -> const void * {
              const std::string_view wanted = id;
              return wanted == "tz.compiler/1"
                         ? static_cast<const void *>(compilers())
                     : wanted == "tz.device/1" ? devices()
                                               : nullptr;
            });
  return answer(query, self);
}
