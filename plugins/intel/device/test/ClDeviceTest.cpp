//===- ClDeviceTest.cpp - devices, simulators, contexts, memory -----------===//
//
// What   What is listed and when; memory of each kind; contexts of the
//        program's.
// Why    A CPU must never be taken for a device, and memory of two contexts
//        does not mix.
//===----------------------------------------------------------------------===//
#include "plugins/intel/Notes.h"
#include "plugins/intel/device/test/ClForeign.h"

namespace tz::intel::test {
namespace {

using testing::HasSubstr;

tz_device_info infoOf(const tz_device_api &api, tz_device *device) {
  tz_device_info info{};
  info.struct_size = sizeof(info);
  EXPECT_EQ(Told(api.device_info(device, &info)).code, TZ_E_OK);
  return info;
}

struct ClDevices : ClFixture {};

TEST_F(ClDevices, OfCpusAreSimulators) {
  shim().isGpu = false;
  ASSERT_EQ(open().code, TZ_E_OK);
  EXPECT_TRUE(devices(TZ_DEVICES_REAL).empty());
  const std::vector<tz_device *> simulators = devices(TZ_DEVICES_SIMULATED);
  ASSERT_FALSE(simulators.empty());
  const tz_device_info info = infoOf(api, simulators[0]);
  EXPECT_EQ(plugin::view(info.target), "intel:opencl");
  EXPECT_TRUE(info.flags & TZ_DEVICE_HOST_MEMORY);
  EXPECT_EQ(plugin::view(info.native_kinds), "opencl");
  EXPECT_GT(info.compute_units, 0u);
  EXPECT_GT(info.total_mem, 0u);
  // The same answer each time.
  EXPECT_EQ(devices(TZ_DEVICES_SIMULATED), simulators);
}

TEST_F(ClDevices, AreNotLookedForBeforeTheyAreAskedFor) {
  shim().platformCalls = 0;
  ASSERT_EQ(open().code, TZ_E_OK);
  EXPECT_EQ(shim().platformCalls, 0);
}

TEST_F(ClDevices, OfTheMachineHaveTheTargetOfTheirNumber) {
  shim().deviceId = 0x0BD5;
  ASSERT_EQ(open().code, TZ_E_OK);
  const auto found = devices(TZ_DEVICES_REAL);
  ASSERT_FALSE(found.empty());
  const tz_device_info info = infoOf(api, found[0]);
  EXPECT_EQ(plugin::view(info.target), "intel:pvc");
  EXPECT_EQ(info.flags, 0u);
  EXPECT_EQ(Told(api.check_target(found[0], plugin::str("intel:pvc"))).code,
            TZ_E_OK);
  EXPECT_EQ(Told(api.check_target(found[0], plugin::str("intel:dg2"))).code,
            TZ_E_FAILED_PRECONDITION);
}

TEST_F(ClDevices, WithoutAnyPlatformThereAreNone) {
  shim().hasNoPlatform = true;
  ASSERT_EQ(open().code, TZ_E_OK);
  EXPECT_TRUE(devices(TZ_DEVICES_REAL).empty());
  tz_device *const *list = nullptr;
  size_t count = 0;
  const Told told = api.devices(platform, TZ_DEVICES_SIMULATED, &list, &count);
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_THAT(told.text, HasSubstr("Python package intel-opencl-rt"));
}

struct ClMemory : ClFixture {};

TEST_F(ClMemory, OfEachKindIsCopiedAndFilled) {
  begin();
  for (uint32_t kind : {TZ_MEM_DEVICE, TZ_MEM_HOST_PINNED, TZ_MEM_MANAGED}) {
    const tz_dptr there = memory(64, kind);
    EXPECT_EQ(there % 256, 0u);
    ASSERT_EQ(Told(api.fill(stream, there, 64, 0x01020304, 4)).code, TZ_E_OK);
    ASSERT_EQ(Told(api.fill(stream, there + 3, 6, 0xaabb, 2)).code, TZ_E_OK);
    const auto bytes = download<unsigned char>(there, 12);
    EXPECT_EQ(bytes, (std::vector<unsigned char>{4, 3, 2, 0xbb, 0xaa, 0xbb,
                                                 0xaa, 0xbb, 0xaa, 3, 2, 1}));
    tz_mem_info info{};
    info.struct_size = sizeof(info);
    ASSERT_EQ(Told(api.mem_info(platform, there + 63, &info)).code, TZ_E_OK);
    EXPECT_EQ(info.kind, kind);
    EXPECT_EQ(info.base, there);
    EXPECT_EQ(info.size, 64u);
    EXPECT_EQ(info.device, device);
    EXPECT_EQ(info.context, nullptr);
    EXPECT_EQ(Told(api.mem_free(device, there, stream)).code, TZ_E_OK);
    const Told again = api.mem_free(device, there, nullptr);
    EXPECT_EQ(again.code, TZ_E_INVALID_ARGUMENT);
    EXPECT_THAT(again.text, HasSubstr("did not allocate or has freed"));
  }
}

TEST_F(ClMemory, HasTheAlignmentThatWasAskedFor) {
  begin();
  for (uint64_t align = 1; align <= 65536; align *= 16) {
    tz_dptr out = 0;
    ASSERT_EQ(
        Told(calls.allocate(device, TZ_MEM_DEVICE, 100, align, nullptr, &out))
            .code,
        TZ_E_OK);
    EXPECT_EQ(out % align, 0u);
    EXPECT_EQ(Told(api.mem_free(device, out, nullptr)).code, TZ_E_OK);
  }
  tz_dptr out = 0;
  EXPECT_EQ(
      Told(calls.allocate(device, TZ_MEM_DEVICE, 100, 48, nullptr, &out)).text,
      "the alignment 48 is no power of two");
}

TEST_F(ClMemory, BeyondTheDeviceIsRefusedByName) {
  begin();
  tz_dptr out = 0;
  const Told told = calls.allocate(device, TZ_MEM_DEVICE, uint64_t(1) << 50, 0,
                                   nullptr, &out);
  EXPECT_EQ(told.code, TZ_E_OUT_OF_MEMORY);
  EXPECT_THAT(told.text, HasSubstr("cannot allocate 1048576 GiB of device "
                                   "memory on intel:0, which has "));
}

TEST_F(ClMemory, BeyondTheUsualLimitOfOnePieceIsAskedForByAFlag) {
  begin();
  const_cast<ClFacts &>(device->facts).maxAllocation = 4096;
  memory(2048);
  EXPECT_EQ(shim().memoryFlags, 0u);
  memory(8192);
  EXPECT_EQ(shim().memoryFlags, 1u << 23); // CL_MEM_ALLOW_UNRESTRICTED_SIZE
  kernel("add");
  EXPECT_EQ(shim().options, "-cl-intel-greater-than-4GB-buffer-required");
}

TEST_F(ClMemory, OfTwiceAsManyRegistersIsAskedForByTheModule) {
  begin();
  const Told told = load(noted(spirv(), std::string(LargeFileNote)), &module);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(shim().options, "-cl-intel-greater-than-4GB-buffer-required "
                            "-cl-intel-256-GRF-per-thread");
}

/// A variable of the environment for one test, and no longer.
class ScopedVariable {
public:
  ScopedVariable(const char *name, const char *value) : name(name) {
    const char *old = getenv(name);
    before = old ? std::optional<std::string>(old) : std::nullopt;
    set(value);
  }
  ~ScopedVariable() { set(before ? before->c_str() : nullptr); }

private:
  void set(const char *value) {
    value ? setenv(name, value, /*overwrite=*/1) : unsetenv(name);
  }
  const char *name;
  std::optional<std::string> before;
};

TEST_F(ClMemory, OfASimulatorHasQuickBuildsOnlyWithSubgroups) {
  shim().isGpu = false;
  ASSERT_EQ(open().code, TZ_E_OK);
  device = devices(TZ_DEVICES_SIMULATED).front();
  for (const auto &[value, options] :
       {std::pair<const char *, const char *>{"1", "-cl-opt-disable"},
        {"True", "-cl-opt-disable"},
        {"0", ""},
        {nullptr, ""}}) {
    const ScopedVariable variable("CL_CONFIG_CPU_O0_VECTORIZATION", value);
    tz_module *loaded = nullptr;
    const Told told = load(spirv(), &loaded);
    ASSERT_EQ(told.code, TZ_E_OK) << told.text;
    EXPECT_EQ(shim().options, options) << (value ? value : "unset");
    api.module_unload(loaded);
  }
}

TEST_F(ClMemory, OfTheHostIsNotKnown) {
  begin();
  int local = 0;
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  const Told told =
      api.mem_info(platform, reinterpret_cast<tz_dptr>(&local), &info);
  EXPECT_EQ(told.code, TZ_E_NOT_FOUND);
  EXPECT_THAT(told.text, HasSubstr("it is ordinary host memory, of another "
                                   "context, or was freed"));
}

TEST_F(ClMemory, WithoutUnifiedMemoryIsSharedVirtualMemory) {
  shim().hidden = "cl_intel_unified_shared_memory";
  begin();
  const tz_dptr a = upload<float>({1, 2, 3, 4}),
                b = upload<float>({5, 6, 7, 8});
  const tz_dptr out = memory(16);
  ASSERT_EQ(Told(api.fill(stream, out, 16, 0, 4)).code, TZ_E_OK);
  const Told told =
      launch(kernel("add"), Packed() << a << b << out << int32_t(3), 4);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(download<float>(out, 4), (std::vector<float>{6, 8, 10, 0}));
  tz_dptr pinned = 0;
  const Told refused =
      calls.allocate(device, TZ_MEM_HOST_PINNED, 16, 0, nullptr, &pinned);
  EXPECT_EQ(refused.code, TZ_E_UNIMPLEMENTED);
  EXPECT_EQ(refused.text,
            "intel:0 gives no pinned host memory: its driver has not "
            "cl_intel_unified_shared_memory");
  EXPECT_EQ(Told(api.mem_free(device, out, nullptr)).code, TZ_E_OK);
}

/// OpenCL does not tell how much of a kernel fits at once, so the host takes
/// code that need not know it.
TEST_F(ClDevices, SayNothingOfOccupancy) {
  EXPECT_EQ(api.kernel_occupancy, nullptr);
}

struct ClSimulator : ClFixture {};

TEST_F(ClSimulator, LaunchHasEndedWhenItReturns) {
  shim().isGpu = false;
  ASSERT_EQ(open().code, TZ_E_OK);
  device = devices(TZ_DEVICES_SIMULATED).front();
  ASSERT_EQ(Told(calls.createStream(device, 0, &stream)).code, TZ_E_OK);
  // Memory of the host's own, as arrays of a program are.
  std::vector<int32_t> own(64, 0);
  const Told told = launch(kernel("mark"), Packed() << own.data() << int32_t(9)
                                                    << int32_t(own.size()));
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(own, std::vector<int32_t>(64, 9));
}

//===--- Contexts of the program's (see ForeignTest.cpp) ------------------===//

TEST_F(ClForeign, QueueOfTheOwnContextIsAStream) {
  tz_stream *other = nullptr;
  const Told refused = calls.wrapStream(device, queue, &other);
  EXPECT_EQ(refused.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(refused.text,
            "the queue to be wrapped is in another context than intel:0; make "
            "a device of that context first (device_wrap)");
  EXPECT_EQ(Told(calls.wrapStream(device, nullptr, &other)).code,
            TZ_E_INVALID_ARGUMENT);
}

TEST_F(ClForeign, QueueOutOfOrderIsNoStream) {
  ASSERT_EQ(wrapDevice(context).code, TZ_E_OK);
  cl_command_queue unordered =
      makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  tz_stream *made = nullptr;
  const Told told = calls.wrapStream(wrapped, unordered, &made);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told.text, HasSubstr("runs its commands out of order"));
  driver().clReleaseCommandQueue(unordered);
}

TEST_F(ClForeign, QueueWithoutTimesMeasuresNothing) {
  ASSERT_EQ(wrapDevice(context).code, TZ_E_OK);
  cl_command_queue untimed = makeQueue(0);
  tz_stream *made = nullptr;
  ASSERT_EQ(Told(calls.wrapStream(wrapped, untimed, &made)).code, TZ_E_OK);
  tz_event *event = nullptr;
  ASSERT_EQ(Told(calls.createEvent(wrapped, TZ_EVENT_TIMING, &event)).code,
            TZ_E_OK);
  const Told told = api.event_record(event, made);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(told.text, HasSubstr("CL_QUEUE_PROFILING_ENABLE"));
  api.event_destroy(event);
  api.stream_destroy(made);
  driver().clReleaseCommandQueue(untimed);
}

TEST_F(ClForeign, ObjectsOfAnotherInterfaceAreRefused) {
  const Told told = wrapDevice(context, "level_zero");
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told.text, HasSubstr("does not work on objects of 'level_zero'"));
  EXPECT_THAT(wrapDevice(nullptr).text, HasSubstr("it is a cl_context"));
}

TEST_F(ClForeign, EventOfTheProgramIsWaitedFor) {
  ASSERT_EQ(wrapDevice(context).code, TZ_E_OK);
  tz_stream *made = nullptr;
  ASSERT_EQ(Told(calls.wrapStream(wrapped, queue, &made)).code, TZ_E_OK);
  cl_event theirs = nullptr;
  ASSERT_EQ(driver().clEnqueueMarkerWithWaitList(queue, 0, nullptr, &theirs),
            CL_SUCCESS);
  const tz_native given{sizeof(given), "opencl", nullptr, nullptr, theirs};
  const tz_event_desc desc{sizeof(desc), nullptr, 0, 0, &given};
  tz_event *event = nullptr;
  const Told told = api.event_create(wrapped, &desc, &event);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(Told(api.stream_wait(made, event)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.event_sync(event, UINT64_MAX)).code, TZ_E_OK);
  api.event_destroy(event);
  driver().clReleaseEvent(theirs);
  api.stream_destroy(made);
}

} // namespace
} // namespace tz::intel::test
