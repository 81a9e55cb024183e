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

struct OneEvent final : Event {
  bool query() override { return true; }
  void synchronize(uint64_t) override {}
  uint64_t elapsedNs(Event &) override { return 5; }
};

struct OneModule final : Module {
  Code code;
  Code *find(std::string_view) override { return &code; }
};

struct OneStream final : Stream {
  void copy(tz_dptr, tz_dptr, uint64_t, uint32_t) override {}
  void fill(tz_dptr, uint64_t, uint32_t, uint32_t) override {}
  void launch(Code &, const tz_launch &) override {
    throw Failure(TZ_E_FAULT, "a fault");
  }
  void synchronize() override {}
  void record(Event &) override {}
  void wait(Event &) override {}
};

struct OneDevice final : HostDevice {
  static std::vector<std::unique_ptr<Device>> enumerate(const tz_host *) {
    std::vector<std::unique_ptr<Device>> devices;
    devices.push_back(std::make_unique<OneDevice>());
    return devices;
  }
  tz_device_info describe() override {
    tz_device_info info{};
    info.name = str("crash device");
    info.target = str("crash:any");
    return info;
  }
  void checkTarget(std::string_view) override {}
  std::unique_ptr<Stream> createStream(int32_t) override {
    return std::make_unique<OneStream>();
  }
  std::unique_ptr<Event> createEvent(bool) override {
    return std::make_unique<OneEvent>();
  }
  std::unique_ptr<Module> load(const tz_blob *, size_t) override {
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

/// For slots that the SDK leaves empty.
template <typename... Arguments>
void fillIn(tz_error *(*&slot)(Arguments...)) {
  if (!slot) {
    slot = [](Arguments...) -> tz_error * { return nullptr; };
  }
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
    fillIn(table.fingerprint);
    TZ_COMPILER_FUNCTIONS(WRECK_COMPILER)
    return table;
  }();
  return &all;
}

const tz_device_api *devices() {
  static const tz_device_api all = [] {
    tz_device_api table = *deviceTable<OneDevice>();
    fillIn(table.check_artifact);
    fillIn(table.mem_info);
    fillIn(table.stream_wrap);
    fillIn(table.stream_callback);
    fillIn(table.arg_encode);
    table.kernel_occupancy = [](tz_kernel *, const tz_launch *,
                                tz_occupancy *out) -> tz_error * {
      out->blocks = 1;
      return nullptr;
    };
    fillIn(table.stream_recording);
    fillIn(table.stream_cancel);
    fillIn(table.source_place);
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
