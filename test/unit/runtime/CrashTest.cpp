//===- CrashTest.cpp - a plugin that ends the process is named ------------===//
//
// What   A plugin crashes in each function of its tables, one after the other,
//        each in a process of its own.
// Why    A plugin is somebody else's code. Whoever sees a crash learns which
//        plugin, which of its functions, and which file.
//===----------------------------------------------------------------------===//
#include "test/unit/runtime/TemporaryFolder.h"

#include "runtime/launch/LoadedKernel.h"
#include "runtime/loader/Functions.h"

#include <csignal>
#include <gmock/gmock.h>

using namespace tz::runtime;

namespace {

struct Scenario {
  TemporaryFolder folder;
  std::unique_ptr<Registry> registry;

  explicit Scenario(int32_t (*onWait)(void *) = nullptr) {
    folder.write("crash.json",
                 R"({"manifest_version":"1.0","plugin":{"name":"crash",)"
                 R"("version":"1.0","abi":{"major":0,"built_minor":2},)"
                 R"("library":{"compiler":")" TZ_TEST_CRASH_PLUGIN
                 R"(","device":")" TZ_TEST_CRASH_PLUGIN R"("}}})");
    RegistryOptions options;
    options.readEnvironment = false;
    options.defaultFolders = {folder.path};
    options.catchFaults = true;
    options.interrupt.hook = onWait;
    registry = std::make_unique<Registry>(options);
  }

  /// Calls every function of the compiler half.
  void compile() {
    Plugin &plugin = **registry->find("crash");
    const Plugin::CompilerHalf &half = **plugin.compiler();
    tz_target_desc about{};
    about.struct_size = sizeof about;
    tz_compile_request request{};
    request.struct_size = sizeof request;
    uint8_t print[32];
    tz_artifact *artifact = nullptr;
    const tz_option_info *const *options = nullptr;
    size_t count = 0;
    (void)half.api->describe_target(half.object, str("crash:any"), &about);
    (void)half.api->check(half.object, &request);
    (void)half.api->fingerprint(half.object, &request, print);
    (void)half.api->compile(half.object, &request, &artifact);
    (void)half.api->list_options(half.object, str("crash:any"), &options,
                                 &count);
    registry.reset();
  }

  /// Calls every function of the device half that this host calls.
  void run() {
    auto code = std::make_shared<Artifact>();
    code->plugin = "crash";
    code->function = "kernel";
    code->userTypes = {TZ_TYPE_PTR};
    code->userLeaves = {0};
    code->variants.resize(1);
    code->variants[0].name = "general";
    code->variants[0].argBytes = 64;
    code->variants[0].grid[0] = {{TZ_X_OCCUPANCY, 0, 0}};
    ArgInfo view;
    view.kind = TZ_ARG_TENSOR_VIEW;
    view.size = view.align = 64;
    view.view.elementBits = 32;
    view.view.dims = view.view.strides = {Expr{{TZ_X_CONST, 0, 1}}};
    code->variants[0].args = {view};
    (void)registry->resolve("crash:crash:any");
    auto device = *Device::open(**registry->find("crash"), 0);
    auto kernel = std::move(*LoadedKernel::load(device, code));
    auto stream = std::move(*device->createStream());
    auto event = std::move(*device->createEvent(true));
    const tz_dptr memory = *device->allocate(64);
    (void)device->isHostPinned(memory);
    (void)stream->copy(memory, memory + 8, 8, TZ_COPY_ANY);
    (void)stream->fill(memory, 8, 0, 4);
    (void)stream->isRecording();
    (void)stream->cancel();
    (void)stream->callback([](void *, int32_t) {}, nullptr);
    (void)event->record(*stream);
    (void)event->query();
    (void)event->synchronize();
    (void)event->elapsedNs(*event);
    (void)stream->wait(*event);
    const ArgValue args[] = {{TZ_TYPE_PTR, memory}};
    (void)kernel->launch(*stream, {1, 1, 1}, args);
    (void)kernel->withPlace(Status(TZ_E_FAULT, "x").with("pc_offset", "4"));
    (void)stream->synchronize();
    (void)device->free(memory);
    kernel.reset();
    event.reset();
    stream.reset();
    device.reset();
    const tz_native context{sizeof(tz_native), "other", nullptr, nullptr,
                            nullptr};
    (void)Device::wrap(**registry->find("crash"), 0, context);
    registry.reset();
  }
};

class Crash : public testing::TestWithParam<const char *> {
protected:
  Crash() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  static void wreck(const std::string &half) {
    setenv("TZ_TEST_CRASH_AT", (half + GetParam()).c_str(), 1);
  }
  static std::string inFunction(const std::string &function) {
    return "error: SIGSEGV in plugin 'crash' \\(.*crash.json\\).*, in its "
           "function '" +
           function + "' of .*crash.so";
  }
};

using CompilerCrash = Crash;
using DeviceCrash = Crash;

TEST_P(CompilerCrash, IsNamed) {
  EXPECT_EXIT(
      {
        wreck("compiler.");
        Scenario().compile();
      },
      testing::KilledBySignal(SIGSEGV),
      inFunction(GetParam()) + "; TERRAZZO_COMPILE_WORKER=on keeps");
}

TEST_P(DeviceCrash, IsNamed) {
  EXPECT_EXIT(
      {
        wreck("device.");
        Scenario().run();
      },
      testing::KilledBySignal(SIGSEGV), inFunction(GetParam()) + "\n");
}

INSTANTIATE_TEST_SUITE_P(Compilers, CompilerCrash,
                         testing::Values("create", "destroy", "list_targets",
                                         "describe_target", "check",
                                         "fingerprint", "compile",
                                         "list_options"));
INSTANTIATE_TEST_SUITE_P(
    Devices, DeviceCrash,
    testing::Values("create", "destroy", "devices", "device_info",
                    "check_artifact", "mem_alloc", "mem_free", "mem_info",
                    "copy", "fill", "stream_create", "device_wrap",
                    "device_release", "stream_destroy", "stream_sync",
                    "stream_wait", "stream_callback", "event_create",
                    "event_destroy", "event_record", "event_query",
                    "event_sync", "event_elapsed_ns", "module_load",
                    "module_unload", "kernel_get", "arg_encode",
                    "kernel_occupancy", "launch", "check_target",
                    "stream_recording", "stream_cancel", "source_place"));

TEST_F(Crash, WhatIsNotAPluginsIsNotBlamedOnIt) {
  EXPECT_EXIT(
      {
        Scenario scenario;
        auto device = *Device::open(**scenario.registry->find("crash"), 0);
        (void)device->allocate(64);
        std::fputs("now\n", stderr);
        *static_cast<volatile int *>(nullptr) = 1;
      },
      testing::KilledBySignal(SIGSEGV), "^now\n$");
}

TEST_F(Crash, NoFunctionIsCalledWhenNoneIsWrecked) {
  unsetenv("TZ_TEST_CRASH_AT");
  Scenario().compile();
  Scenario().run();
}

} // namespace
