//===- ZeDeviceTest.cpp - devices, contexts, memory, foreign lists --------===//
//
// What   What is listed; memory of each kind; contexts and lists of the
//        program's and of SYCL.
// Why    Memory of two contexts does not mix, and others append to their lists.
//===----------------------------------------------------------------------===//
#include "plugins/intel/Notes.h"
#include "plugins/intel/device/test/ForeignContext.h"
#include "plugins/intel/device/test/SyclStandIn.h"
#include "plugins/intel/device/test/ZeForeign.h"

#include <thread>

namespace tz::intel::test {
namespace {

using testing::HasSubstr;

struct ZeDevices : ZeFixture {};

TEST_F(ZeDevices, SayWhatTheyAre) {
  begin();
  tz_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(Told(api.device_info(device, &info)).code, TZ_E_OK);
  EXPECT_EQ(plugin::view(info.name), "simulated GPU");
  EXPECT_EQ(plugin::view(info.target), "intel:pvc");
  EXPECT_EQ(plugin::view(info.uuid), "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf");
  EXPECT_EQ(plugin::view(info.pci_bus_id), "0000:3a:00.0");
  EXPECT_EQ(plugin::view(info.driver_version), "Level Zero 1.4, driver 17");
  EXPECT_EQ(plugin::view(info.native_kinds), "sycl,level_zero");
  EXPECT_EQ(info.flags, 0u);
  EXPECT_EQ(info.dlpack_type, 14u);
  EXPECT_EQ(info.compute_units, 16u);
  EXPECT_EQ(info.max_threads_per_block, 1024u);
  EXPECT_EQ(info.total_mem, uint64_t(8) << 30);
  EXPECT_TRUE(devices(TZ_DEVICES_SIMULATED).empty());
}

TEST_F(ZeDevices, HaveTheTargetOfTheirNumber) {
  sim().deviceId = 0x56A0;
  begin();
  EXPECT_EQ(Told(api.check_target(device, plugin::str("intel:dg2"))).code,
            TZ_E_OK);
  const Told told = api.check_target(device, plugin::str("intel:pvc"));
  EXPECT_EQ(told.text,
            "code for intel:pvc does not run on intel:0, which is intel:dg2");
}

struct ZeMemory : ZeFixture {};

TEST_F(ZeMemory, OfEachKindIsCopiedAndFilled) {
  begin();
  for (uint32_t kind : {TZ_MEM_DEVICE, TZ_MEM_HOST_PINNED, TZ_MEM_MANAGED}) {
    const tz_dptr there = memory(64, kind);
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
    EXPECT_EQ(info.device, device);
    EXPECT_EQ(Told(api.mem_free(device, there, stream)).code, TZ_E_OK);
    EXPECT_EQ(Told(api.mem_free(device, there, nullptr)).code,
              TZ_E_INVALID_ARGUMENT);
  }
}

TEST_F(ZeMemory, IsFreedWithoutTheExtensionToo) {
  begin();
  sim().failing = "zeMemFreeExt";
  sim().result = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  EXPECT_EQ(Told(api.mem_free(device, memory(64), nullptr)).code, TZ_E_OK);
}

TEST_F(ZeMemory, BeyondTheDeviceIsRefusedByName) {
  begin();
  tz_dptr out = 0;
  const Told told = calls.allocate(device, TZ_MEM_DEVICE, uint64_t(1) << 40, 0,
                                   nullptr, &out);
  EXPECT_EQ(told.code, TZ_E_OUT_OF_MEMORY);
  EXPECT_EQ(told.text, "cannot allocate 1024 GiB of device memory on intel:0, "
                       "which has 8 GiB");
}

/// More events than a pool has, used again once they were reached.
TEST_F(ZeMemory, OfEventsIsUsedAgain) {
  begin();
  for (int i = 0; i < 1000; ++i) {
    tz_event *event = nullptr;
    ASSERT_EQ(Told(calls.createEvent(device, 0, &event)).code, TZ_E_OK);
    ASSERT_EQ(Told(api.event_record(event, stream)).code, TZ_E_OK);
    ASSERT_EQ(Told(api.event_sync(event, UINT64_MAX)).code, TZ_E_OK);
    api.event_destroy(event);
  }
  EXPECT_EQ(sim().pools, 1);
}

/// A mark that a stream has yet to pass is not used again.
TEST_F(ZeMemory, OfEventsIsKeptWhileAStreamWaits) {
  begin();
  tz_stream *other = nullptr;
  ASSERT_EQ(Told(calls.createStream(device, 0, &other)).code, TZ_E_OK);
  const tz_dptr counter = memory(4);
  tz_kernel *count = kernel("count");
  const Packed packed = Packed() << counter << int32_t(100000000);
  const tz_launch slow = request(packed, 1, 1);
  ASSERT_EQ(Told(api.launch(other, count, &slow)).code, TZ_E_OK);
  auto record = [&] {
    tz_event *event = nullptr;
    EXPECT_EQ(Told(calls.createEvent(device, 0, &event)).code, TZ_E_OK);
    EXPECT_EQ(Told(api.event_record(event, stream)).code, TZ_E_OK);
    EXPECT_EQ(Told(api.event_sync(event, UINT64_MAX)).code, TZ_E_OK);
    return event;
  };
  tz_event *passed = record();
  ASSERT_EQ(Told(api.stream_wait(other, passed)).code, TZ_E_OK);
  api.event_destroy(passed);
  for (int i = 0; i < 130; ++i) {
    api.event_destroy(record());
  }
  EXPECT_EQ(sim().misused, 0);
  ASSERT_EQ(Told(api.stream_sync(other)).code, TZ_E_OK);
  api.stream_destroy(other);
}

TEST_F(ZeDevices, TellHowManyGroupsOfAKernelRunAtOnce) {
  begin();
  tz_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(Told(api.device_info(device, &info)).code, TZ_E_OK);
  tz_launch asked{};
  asked.struct_size = sizeof(asked);
  asked.grid[0] = asked.grid[1] = asked.grid[2] = 1;
  asked.block[0] = 64;
  tz_occupancy told{};
  told.struct_size = sizeof(told);
  const Told result = api.kernel_occupancy(kernel("groups"), &asked, &told);
  ASSERT_EQ(result.code, TZ_E_OK) << result.text;
  EXPECT_EQ(told.blocks, 4096 / 64 / info.compute_units);
  EXPECT_EQ(told.scratch, 640u);
  EXPECT_EQ(told.local, 96u);
  asked.block[0] = 1u << 20;
  EXPECT_EQ(Told(api.kernel_occupancy(kernel("mark"), &asked, &told)).code,
            TZ_E_RESOURCE_LIMIT);
}

TEST_F(ZeDevices, GiveTwiceAsManyRegistersToAModuleThatAsks) {
  begin();
  kernel("mark");
  const std::string always = "-ze-opt-greater-than-4GB-buffer-required";
  EXPECT_EQ(sim().flags, always);
  tz_module *large = nullptr;
  const Told told = load(noted(spirv(), std::string(LargeFileNote)), &large);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(sim().flags, always + " -ze-opt-large-register-file");
  api.module_unload(large);
}

//===--- Objects of the program's -----------------------------------------===//

TEST_F(ZeForeign, EventOfTheProgramIsWaitedForInItsContext) {
  ASSERT_EQ(wrapContext().code, TZ_E_OK);
  ze_event_pool_desc_t pools{};
  pools.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  pools.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
  pools.count = 1;
  ze_event_pool_handle_t pool = nullptr;
  ze_event_handle_t theirs = nullptr;
  ASSERT_EQ(driver().zeEventPoolCreate(context, &pools, 0, nullptr, &pool),
            ZE_RESULT_SUCCESS);
  ze_event_desc_t one{};
  one.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
  ASSERT_EQ(driver().zeEventCreate(pool, &one, &theirs), ZE_RESULT_SUCCESS);

  tz_native given{sizeof(given), "level_zero", context, nullptr, theirs};
  tz_event_desc desc{sizeof(desc), nullptr, 0, 0, &given};
  tz_event *event = nullptr;
  ASSERT_EQ(Told(api.event_create(wrapped, &desc, &event)).code, TZ_E_OK);
  int32_t done = 1;
  ASSERT_EQ(Told(api.event_query(event, &done)).code, TZ_E_OK);
  EXPECT_EQ(done, 0) << "nobody has signalled it";
  tz_stream *own = nullptr;
  ASSERT_EQ(Told(calls.createStream(wrapped, 0, &own)).code, TZ_E_OK);
  ASSERT_EQ(driver().zeCommandListAppendBarrier(list, theirs, 0, nullptr),
            ZE_RESULT_SUCCESS);
  EXPECT_EQ(Told(api.stream_wait(own, event)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.stream_sync(own)).code, TZ_E_OK);
  ASSERT_EQ(Told(api.event_query(event, &done)).code, TZ_E_OK);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(Told(api.event_record(event, own)).text,
            "an event of the program's is waited for, not recorded, on the "
            "program's context on intel:0");
  api.event_destroy(event);
  api.stream_destroy(own);

  // What is missing, or of another context, is said.
  tz_event *none = nullptr;
  EXPECT_EQ(Told(api.event_create(device, &desc, &none)).text,
            "the event to be wrapped is in another context than intel:0; make "
            "a device of that context first (device_wrap)");
  desc.flags = TZ_EVENT_TIMING;
  EXPECT_EQ(Told(api.event_create(wrapped, &desc, &none)).code,
            TZ_E_UNIMPLEMENTED);
  desc.flags = 0;
  given.context = nullptr;
  EXPECT_THAT(Told(api.event_create(wrapped, &desc, &none)).text,
              HasSubstr("give it too (a ze_context_handle_t)"));
  given.object = nullptr;
  EXPECT_THAT(Told(api.event_create(wrapped, &desc, &none)).text,
              HasSubstr("it is a ze_event_handle_t"));
  given.kind = "sycl";
  EXPECT_THAT(Told(api.event_create(wrapped, &desc, &none)).text,
              HasSubstr("give its ze_event_handle_t as 'level_zero'"));
  (void)driver().zeEventDestroy(theirs);
  (void)driver().zeEventPoolDestroy(pool);
}

TEST_F(ZeForeign, ListOfAnotherContextIsRefused) {
  tz_stream *made = nullptr;
  const Told told =
      calls.wrapStream(device, list, &made, "level_zero", context);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(told.text,
            "the list to be wrapped is in another context than intel:0; make a "
            "device of that context first (device_wrap)");
  EXPECT_THAT(Told(calls.wrapStream(device, nullptr, &made, "level_zero")).text,
              HasSubstr("it is an immediate ze_command_list_handle_t"));
  const tz_native nothing{sizeof(nothing), "level_zero", nullptr, nullptr,
                          nullptr};
  EXPECT_THAT(wrapDevice(nothing).text,
              HasSubstr("the context to be wrapped is null"));
}

/// What others appended to the list comes first.
TEST_F(ZeForeign, ListKeepsTheOrderOfWhatOthersAppend) {
  ASSERT_EQ(wrapContext().code, TZ_E_OK);
  tz_stream *over = nullptr;
  ASSERT_EQ(Told(calls.wrapStream(wrapped, list, &over, "level_zero")).code,
            TZ_E_OK);
  std::swap(device, wrapped);
  std::swap(stream, over);
  const tz_dptr counter = memory(4), copied = memory(4);
  ASSERT_EQ(Told(api.fill(stream, counter, 4, 0, 4)).code, TZ_E_OK);
  sync();
  // A kernel of the program's own, which takes a while.
  const std::string code = spirv();
  ze_module_desc_t desc{};
  desc.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  desc.format = ZE_MODULE_FORMAT_IL_SPIRV;
  desc.inputSize = code.size();
  desc.pInputModule = reinterpret_cast<const uint8_t *>(code.data());
  ze_module_handle_t theirs = nullptr;
  ASSERT_EQ(
      driver().zeModuleCreate(context, device->native, &desc, &theirs, nullptr),
      ZE_RESULT_SUCCESS);
  const ze_kernel_desc_t name{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0,
                              "count"};
  ze_kernel_handle_t counts = nullptr;
  ASSERT_EQ(driver().zeKernelCreate(theirs, &name, &counts), ZE_RESULT_SUCCESS);
  const uint32_t steps = 20000000;
  (void)driver().zeKernelSetGroupSize(counts, 1, 1, 1);
  (void)driver().zeKernelSetArgumentValue(counts, 0, 8, &counter);
  (void)driver().zeKernelSetArgumentValue(counts, 1, 4, &steps);
  const ze_group_count_t one{1, 1, 1};
  ASSERT_EQ(driver().zeCommandListAppendLaunchKernel(list, counts, &one,
                                                     nullptr, 0, nullptr),
            ZE_RESULT_SUCCESS);
  ASSERT_EQ(
      Told(api.copy(stream, copied, counter, 4, TZ_COPY_DEVICE_TO_DEVICE)).code,
      TZ_E_OK);
  EXPECT_EQ(download<uint32_t>(copied, 1)[0], steps);
  (void)driver().zeKernelDestroy(counts);
  (void)driver().zeModuleDestroy(theirs);
  std::swap(stream, over);
  std::swap(device, wrapped);
  api.stream_destroy(over);
}

struct SyclQueue : ForeignContext<ZeForeign> {
  void SetUp() override {
    ForeignContext::SetUp();
    if (IsSkipped()) {
      return;
    }
    queue.context = reinterpret_cast<uintptr_t>(context);
    queue.device = reinterpret_cast<uintptr_t>(device->native);
    queue.list = reinterpret_cast<uintptr_t>(list);
  }
  static void loadRuntime() {
    static void *const library = dlopen(TZ_TEST_SYCL, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
  }
  tz_native native() {
    return {sizeof(tz_native), "sycl", nullptr, nullptr, &queue};
  }

  StandInQueue queue;
};

TEST_F(SyclQueue, ARuntimeIsNeeded) {
  // The runtime of the next tests is not loaded before them.
  const Told told = wrapDevice(native());
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_THAT(told.text, HasSubstr("this program has loaded no SYCL runtime"));
}

TEST_F(SyclQueue, BIsADeviceAndAStream) {
  loadRuntime();
  const Told made = wrapDevice(native());
  ASSERT_EQ(made.code, TZ_E_OK) << made.text;
  expectToWork(native());
}

/// What PyTorch does: its queue is the first that the device sees.
TEST_F(SyclQueue, BOfTheFirstStreamIsTheDevicesContext) {
  loadRuntime();
  tz_platform *const other = std::exchange(platform, nullptr);
  tz_device *const otherDevice = device;
  tz_stream *const otherStream = std::exchange(stream, nullptr);
  ASSERT_EQ(open().code, TZ_E_OK);
  device = devices(TZ_DEVICES_REAL).front();
  const Told made = calls.wrapStream(device, &queue, &stream);
  ASSERT_EQ(made.code, TZ_E_OK) << made.text;
  const tz_dptr a = upload<float>({1, 2}), out = memory(8);
  const Told ran =
      launch(kernel("add"), Packed() << a << a << out << int32_t(2), 2);
  EXPECT_EQ(ran.code, TZ_E_OK) << ran.text;
  EXPECT_EQ(download<float>(out, 2), (std::vector<float>{2, 4}));
  EXPECT_EQ(device->context(), context);
  EXPECT_EQ(Told(api.mem_free(device, out, nullptr)).code, TZ_E_OK);
  api.stream_destroy(stream);
  api.module_unload(std::exchange(module, nullptr));
  api.destroy(platform);
  platform = other;
  device = otherDevice;
  stream = otherStream;
}

TEST_F(SyclQueue, CThatIsOfAnotherKindIsRefusedByName) {
  loadRuntime();
  queue.isInOrder = false;
  EXPECT_THAT(wrapDevice(native()).text,
              HasSubstr("sycl::property::queue::in_order"));
  queue.isInOrder = true;
  queue.isList = false;
  EXPECT_THAT(wrapDevice(native()).text,
              HasSubstr("the SYCL queue is no immediate command list"));
  queue.isList = true;
  queue.backend = 1;
  EXPECT_THAT(wrapDevice(native()).text,
              HasSubstr("ONEAPI_DEVICE_SELECTOR=level_zero:gpu"));
  tz_native null = native();
  null.object = nullptr;
  EXPECT_THAT(wrapDevice(null).text, HasSubstr("it is a sycl::queue *"));
  // In the device's own context it would meet memory that is not its.
  queue.backend = 2;
  const tz_native given = native();
  const tz_stream_desc desc{sizeof(desc), nullptr, 0, 0, &given};
  tz_stream *none = nullptr;
  EXPECT_THAT(Told(api.stream_create(device, &desc, &none)).text,
              HasSubstr("is in another context than intel:0"));
}

} // namespace
} // namespace tz::intel::test
