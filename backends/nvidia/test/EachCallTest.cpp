//===- EachCallTest.cpp - a launch in which each call fails once ----------===//
//
// What   The runtime with the device half over the fake driver: a session, a
//        kernel, memory, a launch; each function of the driver, each allocation
//        and file call fails once.
// Why    FaultTest holds the device half; what the runtime makes of its errors
//        is held here.
//===----------------------------------------------------------------------===//
#include "test/faults/Scenario.h"

#include "backends/nvidia/test/FakeDriver.h"
#include "runtime/file/File.h"
#include "runtime/launch/RuntimeArtifact.h"

#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <numeric>

using namespace tz::faults;
using namespace tz::runtime;
using tz::nvidia::test::FakeDriver;

namespace {

FakeDriver &fakeDriver() {
  static FakeDriver *control = [] {
    void *library = dlopen(TZ_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "fakeCudaDriver") : nullptr;
    tz::nvidia::test::FakeDriverEntry entry = nullptr;
    std::memcpy(&entry, &symbol, sizeof(entry));
    return entry ? entry() : nullptr;
  }();
  return *control;
}

/// add(x, y, out, n), as the fake driver has it.
std::string addKernel() {
  constexpr struct {
    const char *name;
    uint32_t type, size, offset;
  } slots[] = {{"x", TZ_TYPE_PTR, 8, 0},
               {"y", TZ_TYPE_PTR, 8, 8},
               {"out", TZ_TYPE_PTR, 8, 16},
               {"n", TZ_TYPE_I32, 4, 24}};
  Artifact code;
  code.plugin = "nvidia";
  code.target = "nvidia:sm_90a";
  code.function = "add";
  code.compat = "compute_90";
  code.blobs.push_back({"main", "cubin",
                        "\177ELF\narch 90\n"
                        "kernel add regs=32 params=8,8,8,4\n"});
  Variant &variant = code.variants.emplace_back();
  variant.name = "add";
  variant.block = {128, 1, 1};
  variant.argBytes = 32;
  for (const auto &slot : slots) {
    ArgInfo arg;
    arg.name = slot.name;
    arg.kind = TZ_ARG_USER;
    arg.index = uint32_t(code.userTypes.size());
    arg.type = slot.type;
    arg.size = arg.align = slot.size;
    arg.offset = slot.offset;
    variant.args.push_back(arg);
    SpecializedParameter parameter;
    parameter.name = slot.name;
    parameter.spec.kind = ArgumentSpec::Runtime;
    parameter.spec.type = slot.type;
    parameter.spec.element = slot.type == TZ_TYPE_PTR ? TZ_TYPE_F32 : 0;
    code.parameters.push_back(std::move(parameter));
    code.userLeaves.push_back(arg.index);
    code.userTypes.push_back(slot.type);
  }
  return code.write();
}

void prepare(Attempt &attempt) {
  setenv("TERRAZZO_NVIDIA_DRIVER", TZ_FAKE_DRIVER, 1);
  setenv("TERRAZZO_PLUGIN_FILES", TZ_TEST_PLUGIN_FOLDER "/nvidia.json", 1);
  if (!replaceFile(attempt.folder + "/add.tzo", addKernel()).ok()) {
    std::abort();
  }
  FakeDriver &fake = fakeDriver();
  fake.reset();
  // A driver's own memory is none of ours, and it keeps texts for ever.
  fake.enter = leaveForTest;
  fake.leave = returnFromTest;
  fake.fails = [] {
    returnFromTest();
    const bool fails = mustFail(Call::Driver);
    leaveForTest();
    return fails;
  };
  for (const char *function : {"cuGetErrorName", "cuGetErrorString"}) {
    using tz::nvidia::driver::InvalidValue;
    using Code = tz::nvidia::driver::Result;
    using Function = Code (*)(Code, const char **);
    const char *text = nullptr;
    void *library = dlopen(TZ_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL);
    (void)reinterpret_cast<Function>(dlsym(library, function))(InvalidValue,
                                                               &text);
  }
}

/// Gone in the right order whatever happened.
struct Handles {
  tz_session_t session = nullptr;
  tz_device_t device = nullptr;
  tz_stream_t stream = nullptr;
  tz_event_t start = nullptr, stop = nullptr;
  tz_kernel_t kernel = nullptr;
  uint64_t memory[3] = {};

  ~Handles() {
    Inside here;
    tz_kernel_destroy(kernel);
    tz_event_destroy(start);
    tz_event_destroy(stop);
    tz_stream_destroy(stream);
    for (uint64_t address : memory) {
      if (address) {
        tz_status_release(tz_memory_free(device, address));
      }
    }
    tz_session_destroy(session);
  }
};

constexpr size_t Count = 1000;
float x[Count], y[Count], sum[Count];

void open(Attempt &attempt, Handles &h) {
  attempt.step("session", [&] {
    tz_session_options options{};
    options.struct_size = sizeof(options);
    options.cache_folder = "";
    return tz_session_create(&options, &h.session);
  });
  attempt.step("device",
               [&] { return tz_device_open(h.session, "nvidia", &h.device); });
  attempt.step("stream", [&] { return tz_stream_create(h.device, &h.stream); });
  for (tz_event_t *event : {&h.start, &h.stop}) {
    attempt.step("event", [&] { return tz_event_create(h.device, event); });
  }
  for (uint64_t &address : h.memory) {
    attempt.step("memory", [&] {
      return tz_memory_alloc(h.device, sizeof(x), &address);
    });
  }
  const std::string path = attempt.folder + "/add.tzo";
  attempt.step("load", [&] {
    tz_kernel_source source{};
    source.struct_size = sizeof(source);
    source.path = path.c_str();
    return tz_kernel_load(h.session, &source, &h.kernel);
  });
}

void launch(Attempt &attempt) {
  std::iota(x, x + Count, 0.f);
  std::iota(y, y + Count, 5.f);
  std::memset(sum, 0, sizeof(sum));
  Handles h;
  open(attempt, h);
  attempt.step("copy in",
               [&] { return tz_copy_in(h.stream, h.memory[0], x, sizeof(x)); });
  attempt.step("copy in",
               [&] { return tz_copy_in(h.stream, h.memory[1], y, sizeof(y)); });
  attempt.step("fill", [&] {
    return tz_fill(h.stream, h.memory[2], sizeof(sum), 0, 4);
  });
  attempt.step("record", [&] { return tz_event_record(h.start, h.stream); });
  attempt.step("launch", [&] {
    tz_arg args[] = {tz_pointer(h.memory[0], TZ_TYPE_F32),
                     tz_pointer(h.memory[1], TZ_TYPE_F32),
                     tz_pointer(h.memory[2], TZ_TYPE_F32), tz_i32(Count)};
    int64_t grid[3] = {8, 1, 1};
    return tz_kernel_launch(h.kernel, h.stream, grid, args, 4);
  });
  attempt.step("record", [&] { return tz_event_record(h.stop, h.stream); });
  attempt.step("copy out", [&] {
    return tz_copy_out(h.stream, sum, h.memory[2], sizeof(sum));
  });
  attempt.step("wait", [&] { return tz_stream_sync(h.stream); });
  attempt.step("time", [&] {
    uint64_t ns = 0;
    return tz_event_elapsed_ns(h.start, h.stop, &ns);
  });
  for (size_t i = 0; i < Count; ++i) {
    attempt.require(sum[i] == x[i] + y[i], "an element is wrong");
  }
}

TEST(EachCallFails, LaunchOverTheDriver) {
  failEachCall({"launch over the driver",
                {Call::Driver, Call::Allocate, Call::Open, Call::Read,
                 Call::Map, Call::Thread, Call::Load},
                prepare,
                launch,
                [](Attempt &attempt) {
                  FakeDriver &fake = fakeDriver();
                  attempt.require(fake.launches.size() <= 2,
                                  "a launch was made twice");
                  // What a failing end of life leaves is the driver's.
                  fake.reset();
                }});
}

} // namespace
