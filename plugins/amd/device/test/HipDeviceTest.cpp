//===- HipDeviceTest.cpp - devices, memory, streams -----------------------===//
//
// What   HIP that is missing, too old or without a device; what a device says
//        of itself; memory of each kind; streams and events of the program.
// Why    What a user meets first on a machine.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/test/HipFixture.h"

namespace tz::amd::test {
namespace {

using testing::HasSubstr;

struct HipDeviceTest : HipFixture {
  /// Why a library has no devices.
  Told lack(const std::string &library) {
    if (platform) {
      api.destroy(std::exchange(platform, nullptr));
    }
    const Told opened = open(library);
    EXPECT_EQ(opened.code, TZ_E_OK) << opened.text;
    tz_device *const *list = nullptr;
    return api.devices(platform, TZ_DEVICES_REAL, &list, &count);
  }
  size_t count = 0;
};

TEST_F(HipDeviceTest, ALackOfHipIsTold) {
  EXPECT_EQ(lack("/no/such/hip.so").text, "no HIP: /no/such/hip.so not found");
  const Told other = lack("libm.so.6");
  EXPECT_EQ(other.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(other.text, "no HIP: libm.so.6 has no function hipInit; it is no "
                        "HIP of version 6.0 or newer");
}

TEST_F(HipDeviceTest, AHipThatIsTooOldIsTold) {
  setenv("TZ_TEST_HIP_VERSION", "50221153", 1);
  const Told told = lack(TZ_TEST_HIP);
  unsetenv("TZ_TEST_HIP_VERSION");
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(told.text, "HIP too old: " TZ_TEST_HIP
                       " is of version 5.2.21153, Terrazzo needs 6.0 or "
                       "newer; update ROCm");
}

TEST_F(HipDeviceTest, AMachineWithoutADeviceHasNone) {
  const Told told = lack(TZ_TEST_HIP);
  EXPECT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(count, 0u);
}

TEST_F(HipDeviceTest, ChecksWhichCodeItRuns) {
  begin();
  auto check = [&](std::string_view target) {
    return Told(api.check_target(device, plugin::str(target)));
  };
  EXPECT_EQ(check("amd:gfx942").code, TZ_E_OK);
  EXPECT_EQ(check("amd:gfx1100").code, TZ_E_FAILED_PRECONDITION);
  EXPECT_EQ(check("amd:gfx1100").text,
            "code for amd:gfx1100 does not run on amd:0, which is amd:gfx942");
  EXPECT_EQ(check("amd:gfx1").code, TZ_E_NOT_FOUND);
  EXPECT_EQ(Told(api.check_artifact(device, plugin::str("gfx90a"))).text,
            "the code was compiled for gfx90a, amd:0 is gfx942");
}

TEST_F(HipDeviceTest, MemoryIsKnownByAnyOfItsAddresses) {
  begin();
  for (uint32_t kind : {TZ_MEM_DEVICE, TZ_MEM_HOST_PINNED, TZ_MEM_MANAGED}) {
    const tz_dptr made = memory(1000, kind);
    tz_mem_info info{};
    info.struct_size = sizeof(info);
    ASSERT_EQ(Told(api.mem_info(platform, made + 999, &info)).code, TZ_E_OK);
    EXPECT_EQ(info.kind, kind);
    EXPECT_EQ(info.base, made);
    EXPECT_EQ(info.size, 1000u);
    EXPECT_EQ(info.device, device);
    EXPECT_EQ(Told(api.mem_free(device, made, nullptr)).code, TZ_E_OK);
    const Told again = api.mem_free(device, made, nullptr);
    EXPECT_EQ(again.code, TZ_E_INVALID_ARGUMENT);
    EXPECT_THAT(again.text, HasSubstr("which amd:0 did not allocate or has "
                                      "freed"));
  }
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  EXPECT_EQ(Told(api.mem_info(platform, tz_dptr(&info), &info)).code,
            TZ_E_NOT_FOUND);
}

TEST_F(HipDeviceTest, MemoryOfOthersIsFoundByHip) {
  begin();
  void *foreign = nullptr;
  ASSERT_EQ(hipDevice().driver.memAlloc(&foreign, 512), hip::Success);
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  const auto address = reinterpret_cast<tz_dptr>(foreign);
  const Told told = api.mem_info(platform, address + 100, &info);
  EXPECT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(info.kind, uint32_t(TZ_MEM_DEVICE));
  EXPECT_EQ(info.base, address);
  EXPECT_EQ(info.size, 512u);
  EXPECT_EQ(hipDevice().driver.memFree(foreign), hip::Success);
}

TEST_F(HipDeviceTest, AlignmentsAreKept) {
  begin();
  for (uint64_t align : {1u, 256u, 4096u, 65536u}) {
    tz_dptr made = 0;
    ASSERT_EQ(
        Told(calls.allocate(device, TZ_MEM_DEVICE, 10, align, nullptr, &made))
            .code,
        TZ_E_OK);
    EXPECT_EQ(made % align, 0u);
  }
}

TEST_F(HipDeviceTest, TooMuchMemoryIsRefusedInWords) {
  begin();
  tz_dptr made = 0;
  const Told told = calls.allocate(device, TZ_MEM_DEVICE, uint64_t(1) << 50, 0,
                                   nullptr, &made);
  EXPECT_EQ(told.code, TZ_E_OUT_OF_MEMORY);
  EXPECT_THAT(told.text, HasSubstr("cannot allocate 1048576 GiB of device "
                                   "memory: out of memory "
                                   "(hipErrorOutOfMemory); "));
  EXPECT_THAT(told.text, HasSubstr("are free on amd:0"));
}

TEST_F(HipDeviceTest, FillsOfAnyAddressAndWidth) {
  begin();
  const tz_dptr out = memory(64);
  ASSERT_EQ(Told(api.fill(stream, out, 64, 0, 1)).code, TZ_E_OK);
  ASSERT_EQ(Told(api.fill(stream, out + 1, 8, 0x04030201, 4)).code, TZ_E_OK);
  ASSERT_EQ(Told(api.fill(stream, out + 16, 4, 0x0605, 2)).code, TZ_E_OK);
  const auto bytes = download<uint8_t>(out, 24);
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin(), bytes.begin() + 10),
            (std::vector<uint8_t>{0, 1, 2, 3, 4, 1, 2, 3, 4, 0}));
  EXPECT_EQ(std::vector<uint8_t>(bytes.begin() + 16, bytes.begin() + 21),
            (std::vector<uint8_t>{5, 6, 5, 6, 0}));
}

TEST_F(HipDeviceTest, CopiesOfWhatIsNoMemoryAreExplained) {
  begin();
  int32_t here = 0;
  const Told told = api.copy(stream, tz_dptr(&here), tz_dptr(&here), 4,
                             TZ_COPY_HOST_TO_DEVICE);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told.text, HasSubstr("the destination is ordinary host memory"));
}

TEST_F(HipDeviceTest, StreamsOfTheProgramAreUsed) {
  begin();
  hip::Stream foreign = nullptr;
  const HipDriver &driver = hipDevice().driver;
  ASSERT_EQ(driver.streamCreate(&foreign, 0, 0), hip::Success);
  for (void *object :
       {static_cast<void *>(foreign), static_cast<void *>(nullptr),
        static_cast<void *>(hip::PerThreadStream)}) {
    tz_stream *wrapped = nullptr;
    const Told told = calls.wrapStream(device, object, &wrapped, "hip");
    ASSERT_EQ(told.code, TZ_E_OK) << told.text;
    const tz_dptr out = memory(64);
    EXPECT_EQ(Told(api.fill(wrapped, out, 64, 9, 4)).code, TZ_E_OK);
    EXPECT_EQ(Told(api.stream_sync(wrapped)).code, TZ_E_OK);
    EXPECT_EQ(download<int32_t>(out, 16), std::vector<int32_t>(16, 9));
    api.stream_destroy(wrapped);
  }
  EXPECT_EQ(driver.streamDestroy(foreign), hip::Success) << "it was left";
}

TEST_F(HipDeviceTest, WhatIsNoStreamOfTheDeviceIsRefused) {
  begin();
  tz_stream *wrapped = nullptr;
  int other = 0;
  const Told none = calls.wrapStream(device, &other, &wrapped);
  EXPECT_EQ(none.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(none.text, HasSubstr("cannot wrap a stream: invalid handle"));
  EXPECT_EQ(Told(calls.wrapStream(device, nullptr, &wrapped, "cuda")).text,
            "this device does not work on objects of 'cuda'; it does on those "
            "of hip");
  EXPECT_EQ(
      Told(calls.wrapStream(device, nullptr, &wrapped, "hip", &other)).text,
      "native.context is not NULL; HIP has one context for each device, "
      "and amd:0 works in its own");
}

TEST_F(HipDeviceTest, EventsOfTheProgramAreUsed) {
  begin();
  hip::Event foreign = nullptr;
  const HipDriver &driver = hipDevice().driver;
  ASSERT_EQ(driver.eventCreate(&foreign, 0), hip::Success);
  ASSERT_EQ(driver.eventRecord(foreign, nullptr), hip::Success);
  tz_native native{};
  native.struct_size = sizeof(native);
  native.object = foreign;
  const tz_event_desc desc{sizeof(desc), nullptr, TZ_EVENT_TIMING, 0, &native};
  tz_event *event = nullptr;
  ASSERT_EQ(Told(api.event_create(device, &desc, &event)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.stream_wait(stream, event)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.event_sync(event, UINT64_MAX)).code, TZ_E_OK);
  api.event_destroy(event);
  EXPECT_EQ(driver.eventDestroy(foreign), hip::Success) << "it was left";
  native.object = nullptr;
  EXPECT_EQ(Told(api.event_create(device, &desc, &event)).text,
            "the event to be wrapped is null; it is a hipEvent_t");
}

TEST_F(HipDeviceTest, LeavesNoErrorToTheProgram) {
  begin();
  const HipDriver &driver = hipDevice().driver;
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  int32_t here = 0;
  (void)Told(api.copy(stream, tz_dptr(&here), 8, 4, TZ_COPY_HOST_TO_DEVICE));
  (void)Told(api.mem_info(platform, tz_dptr(&here), &info));
  EXPECT_EQ(driver.getLastError(), hip::Success);
}

} // namespace
} // namespace tz::amd::test
