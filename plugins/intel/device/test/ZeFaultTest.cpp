//===- ZeFaultTest.cpp - what is told when something is missing or fails --===//
//
// What   No loader, no driver, no SPIR-V, sizes that a device has not, a
//        compiler that fails, calls that fail.
// Why    Each is one sentence that says what to do, with the driver's own log.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/test/ZeFixture.h"

namespace tz::intel::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

/// Without a driver.
struct ZeMissing : HalfFixture {
  ZeMissing() : HalfFixture(zeDeviceApi(), "spirv", spirv()) {}
};

TEST_F(ZeMissing, LoaderIsNamed) {
  const Told told = open("level_zero", "/no/such/libze_loader.so.1");
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(told.text, "no Level Zero: /no/such/libze_loader.so.1 not found");
}

TEST_F(ZeMissing, FunctionIsNamed) {
  const Told told = open("level_zero", "libm.so.6");
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(told.text, "no Level Zero: libm.so.6 has no function zeInit; it is "
                       "no loader of Level Zero");
}

/// The loader starts once a process, so this one has a process of its own.
TEST_F(ZeMissing, DriverIsNoCrash) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto ask = [&] {
    unsetenv("ZE_ENABLE_ALT_DRIVERS");
    setenv("ZE_ENABLE_ALT_DRIVERS", "/no/such/driver.so", 1);
    for (int i = 0; i < 2; ++i) { // asked again it says the same
      const Told told = open("level_zero", "");
      std::fprintf(stderr, "%d %s\n", told.code, told.text.c_str());
    }
    std::exit(0);
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(0),
              "14 no Level Zero: libze_loader.so.1 (found no driver with a "
              "device|not found)\n14 no Level Zero: ");
}

struct ZeFault : ZeFixture {
  void fail(const char *function, ze_result_t result) {
    sim().failing = function;
    sim().result = uint32_t(result);
  }
};

TEST_F(ZeFault, DriverWithoutSpirv) {
  sim().spirvVersion = 0;
  begin();
  tz_module *none = nullptr;
  const Told told = load(spirv(), &none);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_EQ(told.text, "the driver of intel:0 (simulated GPU) takes no SPIR-V; "
                       "install a newer one");
}

TEST_F(ZeFault, DeviceWithoutWhatTheCodeNeeds) {
  sim().spirvVersion = 0x10002;
  sim().moduleFlags = 0;
  begin();
  tz_module *none = nullptr;
  EXPECT_EQ(load(spirv(), &none).text,
            "intel:0 (simulated GPU) lacks what the code needs: SPIR-V 1.3 "
            "(its driver takes up to 1.2); 64-bit floats");
}

TEST_F(ZeFault, CompilerOfTheDriverTellsItsLog) {
  begin();
  tz_module *none = nullptr;
  std::vector<std::string> log;
  const Told told = load(spirv("call"), &none, &log);
  EXPECT_EQ(told.code, TZ_E_UNSUPPORTED_OP);
  EXPECT_THAT(told.text, StartsWith("cannot load SPIR-V on intel:0 (simulated "
                                    "GPU): ZE_RESULT_ERROR_MODULE_BUILD_"
                                    "FAILURE (0x70000004); the driver's "
                                    "compiler says: "));
  EXPECT_THAT(log, Contains(HasSubstr("no_such_thing_at_all")));
}

TEST_F(ZeFault, LogOfCodeThatLoadsIsToldToo) {
  begin();
  sim().log = "warning: kernel 'add' spills\n";
  std::vector<std::string> log;
  EXPECT_EQ(load(spirv(), &module, &log).code, TZ_E_OK);
  EXPECT_THAT(log, Contains("warning: kernel 'add' spills"));
}

TEST_F(ZeFault, MemoryThatTheDriverHasNot) {
  begin();
  fail("zeMemAllocDevice", ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
  tz_dptr out = 0;
  const Told told =
      calls.allocate(device, TZ_MEM_DEVICE, 4096, 0, nullptr, &out);
  EXPECT_EQ(told.code, TZ_E_OUT_OF_MEMORY);
  EXPECT_EQ(told.text, "cannot allocate 4 KiB of device memory on intel:0: "
                       "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY (0x70000003)");
}

TEST_F(ZeFault, LaunchThatTheDriverRefuses) {
  begin();
  tz_kernel *count = kernel("count");
  const tz_dptr out = memory(64);
  fail("zeCommandListAppendLaunchKernel",
       ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
  const Told told = launch(count, Packed() << out << int32_t(1));
  EXPECT_EQ(told.code, TZ_E_RESOURCE_LIMIT);
  EXPECT_THAT(told.text, StartsWith("cannot launch kernel 'count' on intel:0 "
                                    "(1x1x1 work-items a group): "));
}

TEST_F(ZeFault, LostDeviceNamesTheKernel) {
  begin();
  const tz_dptr out = memory(64);
  ASSERT_EQ(launch(kernel("count"), Packed() << out << int32_t(1)).code,
            TZ_E_OK);
  fail("zeEventHostSynchronize", ZE_RESULT_ERROR_DEVICE_LOST);
  const Told told = api.stream_sync(stream);
  EXPECT_EQ(told.code, TZ_E_DEVICE_LOST);
  EXPECT_EQ(told.flags, uint32_t(TZ_ERR_STICKY));
  EXPECT_THAT(told.text, HasSubstr("the last kernel on it was 'count'"));
}

/// A mark that no list was told of is used again.
TEST_F(ZeFault, EventThatCannotBeRecordedIsNotLost) {
  begin();
  tz_event *event = nullptr;
  ASSERT_EQ(Told(calls.createEvent(device, 0, &event)).code, TZ_E_OK);
  fail("zeCommandListAppendBarrier", ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(Told(api.event_record(event, stream)).code, TZ_E_OUT_OF_MEMORY);
  }
  sim().failing.clear();
  EXPECT_EQ(Told(api.event_record(event, stream)).code, TZ_E_OK);
  EXPECT_EQ(sim().pools, 1);
  sync();
  api.event_destroy(event);
}

TEST_F(ZeFault, ContextThatCannotBeMadeIsTriedAgain) {
  ASSERT_EQ(open().code, TZ_E_OK);
  device = devices(TZ_DEVICES_REAL).front();
  fail("zeContextCreate", ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
  const Told told = calls.createStream(device, 0, &stream);
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_THAT(told.text, HasSubstr("the group 'render' may"));
  sim().failing.clear();
  EXPECT_EQ(Told(calls.createStream(device, 0, &stream)).code, TZ_E_OK);
}

} // namespace
} // namespace tz::intel::test
