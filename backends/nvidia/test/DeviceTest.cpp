//===- DeviceTest.cpp - devices, memory, copies, streams, events ----------===//
//
// What   The table over the fake driver, as the runtime uses it, with each
//        error a user can cause.
// Why    The table is the contract; what is behind it may change.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/test/DeviceFixture.h"

#include <thread>

using namespace tz::nvidia;
using namespace tz::nvidia::test;
using testing::HasSubstr;

namespace {

using Device = DeviceFixture;

std::string text(tz_str s) { return std::string(tz::plugin::view(s)); }

TEST_F(Device, DescribesEveryDeviceWithoutAContext) {
  api.stream_destroy(stream);
  stream = nullptr;
  api.destroy(platform);
  fake.reset();
  ASSERT_EQ(open().code, TZ_E_OK);
  tz_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(Told(api.device_info(other(), &info)).code, TZ_E_OK);
  EXPECT_EQ(text(info.name), "fake GPU 1");
  EXPECT_EQ(text(info.target), "nvidia:sm_90a");
  EXPECT_EQ(text(info.uuid), "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1");
  EXPECT_EQ(text(info.pci_bus_id), "0000:01:00.0");
  EXPECT_EQ(text(info.driver_version), "CUDA 13.0");
  EXPECT_EQ(info.dlpack_type, 2u);
  EXPECT_EQ(info.dlpack_id, 1u);
  EXPECT_EQ(info.compute_units, 132u);
  EXPECT_EQ(info.subgroup_size, 32u);
  EXPECT_EQ(info.scratch_bytes, 227u << 10);
  EXPECT_EQ(info.l2_bytes, 50u << 20);
  EXPECT_EQ(info.total_mem, uint64_t{1} << 30);
  EXPECT_EQ(info.free_mem, 0u) << "unknown before the first work";
  std::map<std::string, int64_t> props;
  for (size_t i = 0; i < info.num_props; ++i) {
    props[text(info.props[i].key)] = info.props[i].i64;
  }
  EXPECT_EQ(props["capability"], 90);
  EXPECT_EQ(props["clock.hz"], 1980000000);
  EXPECT_EQ(props["launch.clusters"], 1);
  EXPECT_EQ(fake.contexts, 0);
}

TEST_F(Device, KnowsFreeMemoryOnceItWorks) {
  tz_dptr p = memory(1 << 20);
  tz_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(Told(api.device_info(device, &info)).code, TZ_E_OK);
  EXPECT_EQ(info.free_mem, (uint64_t{1} << 30) - (1 << 20));
  EXPECT_EQ(Told(api.mem_free(device, p, nullptr)).code, TZ_E_OK);
}

TEST_F(Device, AnOlderCallerGetsWhatItKnows) {
  alignas(tz_device_info) unsigned char bytes[sizeof(tz_device_info) + 64];
  std::memset(bytes, 0xa5, sizeof(bytes));
  auto *info = reinterpret_cast<tz_device_info *>(bytes);
  info->struct_size = TZ_SIZE_UPTO(tz_device_info, target);
  ASSERT_EQ(Told(api.device_info(device, info)).code, TZ_E_OK);
  EXPECT_EQ(info->struct_size, TZ_SIZE_UPTO(tz_device_info, target));
  EXPECT_EQ(bytes[TZ_SIZE_UPTO(tz_device_info, target)], 0xa5);
}

TEST_F(Device, NullHandlesAreErrors) {
  tz_dptr p = 5;
  uint64_t ns = 0;
  int32_t done = 0;
  tz_launch launch = request();
  tz_tensor_view view{};
  tz_occupancy occupancy{};
  tz_mem_info info{};
  for (tz_error *error : {api.device_info(nullptr, nullptr),
                          api.check_artifact(nullptr, {}),
                          calls.allocate(nullptr, 1, 1, 0, nullptr, &p),
                          api.mem_free(nullptr, 1, nullptr),
                          api.mem_info(nullptr, 1, &info),
                          api.copy(nullptr, 1, 1, 1, 0),
                          api.fill(nullptr, 1, 1, 1, 1),
                          calls.createStream(nullptr, 0, nullptr),
                          calls.wrapStream(nullptr, nullptr, nullptr),
                          api.stream_sync(nullptr),
                          api.stream_wait(stream, nullptr),
                          api.stream_callback(nullptr, nullptr, nullptr),
                          api.stream_callback(stream, nullptr, nullptr),
                          calls.createEvent(nullptr, 0, nullptr),
                          api.event_record(nullptr, stream),
                          api.event_query(nullptr, &done),
                          api.event_sync(nullptr, 0),
                          api.event_elapsed_ns(nullptr, nullptr, &ns),
                          calls.load(nullptr, nullptr, 0, nullptr, nullptr),
                          api.kernel_get(nullptr, {}, nullptr),
                          api.module_global(nullptr, {}, nullptr, nullptr),
                          api.arg_encode(nullptr, 0, &view, nullptr, 0),
                          api.kernel_occupancy(nullptr, &launch, &occupancy),
                          api.launch(stream, nullptr, &launch),
                          calls.devices(nullptr, nullptr, nullptr)}) {
    Told told = error;
    EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT) << told.text;
    EXPECT_THAT(told.text, HasSubstr("null"));
  }
  EXPECT_EQ(p, 5u) << "out-parameters are untouched on error";
  api.stream_destroy(nullptr);
  api.event_destroy(nullptr);
  api.module_unload(nullptr);
  api.destroy(nullptr);
}

TEST_F(Device, RestoresTheContextOfTheApplication) {
  auto bind = [](const char *name, auto &fn) {
    void *symbol = dlsym(dlopen(TZ_FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL), name);
    std::memcpy(&fn, &symbol, sizeof(fn));
  };
  driver::Result (*push)(driver::Context), (*pop)(driver::Context *),
      (*get)(driver::Context *);
  bind("cuCtxPushCurrent_v2", push);
  bind("cuCtxPopCurrent_v2", pop);
  bind("cuCtxGetCurrent", get);
  push(other()->context());
  memory(64);
  driver::Context now = nullptr;
  get(&now);
  EXPECT_EQ(now, other()->context());
  pop(&now);
  get(&now);
  EXPECT_EQ(now, nullptr) << "nothing of ours stays current";
}

//===--- Memory -----------------------------------------------------------===//

TEST_F(Device, AllocatesAlignedMemoryOfEveryKind) {
  for (uint32_t kind : {TZ_MEM_DEVICE, TZ_MEM_HOST_PINNED, TZ_MEM_MANAGED}) {
    for (uint64_t align : {0, 64, 4096}) {
      tz_dptr p = 0;
      Told told = calls.allocate(device, kind, 1000, align, nullptr, &p);
      ASSERT_EQ(told.code, TZ_E_OK) << told.text;
      EXPECT_EQ(p % std::max<uint64_t>(align, 256), 0u);
      tz_mem_info info{};
      info.struct_size = sizeof(info);
      ASSERT_EQ(Told(api.mem_info(platform, p + 999, &info)).code, TZ_E_OK);
      EXPECT_EQ(info.kind, kind);
      EXPECT_EQ(info.base, p);
      EXPECT_EQ(info.size, 1000u);
      EXPECT_EQ(info.device, device);
      EXPECT_EQ(Told(api.mem_free(device, p, nullptr)).code, TZ_E_OK);
    }
  }
  EXPECT_EQ(fake.allocations, 0u);
}

TEST_F(Device, AllocatesInStreamOrder) {
  tz_dptr p = 0;
  ASSERT_EQ(Told(calls.allocate(device, TZ_MEM_DEVICE, 64, 0, stream, &p)).code,
            TZ_E_OK);
  EXPECT_EQ(fake.calls["cuMemAllocAsync"], 1);
  EXPECT_EQ(Told(api.mem_free(device, p, stream)).code, TZ_E_OK);
  EXPECT_EQ(fake.calls["cuMemFreeAsync"], 1);
  // What was not allocated so is freed once the stream has passed.
  p = memory(64);
  int waits = fake.calls["cuStreamSynchronize"];
  EXPECT_EQ(Told(api.mem_free(device, p, stream)).code, TZ_E_OK);
  EXPECT_EQ(fake.calls["cuStreamSynchronize"], waits + 1);
  EXPECT_EQ(fake.allocations, 0u);
  Told told = calls.allocate(other(), TZ_MEM_DEVICE, 64, 0, stream, &p);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(told.text,
            "the stream belongs to nvidia:0, the memory is asked of nvidia:1");
}

TEST_F(Device, OutOfMemorySaysHowMuchThereIs) {
  tz_dptr p = 7;
  Told told =
      calls.allocate(device, TZ_MEM_DEVICE, uint64_t{2} << 30, 0, nullptr, &p);
  EXPECT_EQ(told.code, TZ_E_OUT_OF_MEMORY);
  EXPECT_EQ(told.native, driver::OutOfMemory);
  EXPECT_EQ(told.text,
            "cannot allocate 2 GiB of device memory (2147483648 bytes): out of "
            "memory (CUDA_ERROR_OUT_OF_MEMORY); 1 GiB of 1 GiB are free on "
            "nvidia:0");
  EXPECT_EQ(
      Told(calls.allocate(device, TZ_MEM_DEVICE, UINT64_MAX, 512, nullptr, &p))
          .code,
      TZ_E_OUT_OF_MEMORY);
  EXPECT_EQ(
      Told(calls.allocate(device, TZ_MEM_DEVICE, 64, 48, nullptr, &p)).code,
      TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(Told(calls.allocate(device, 9, 64, 0, nullptr, &p)).code,
            TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(p, 7u);
}

TEST_F(Device, FreesOnlyWhatItAllocated) {
  tz_dptr p = memory(64);
  Told foreign = api.mem_free(other(), p, nullptr);
  EXPECT_EQ(foreign.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(foreign.text,
              HasSubstr("which nvidia:1 did not allocate or has freed; it is "
                        "device memory of nvidia:0, 64 bytes from there"));
  EXPECT_EQ(Told(api.mem_free(device, p, nullptr)).code, TZ_E_OK);
  Told twice = api.mem_free(device, p, nullptr);
  EXPECT_EQ(twice.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(twice.text, HasSubstr("ordinary host memory, or not allocated"));
  EXPECT_EQ(Told(api.mem_free(device, 0, nullptr)).code, TZ_E_OK);
}

TEST_F(Device, KnowsForeignPointers) {
  // Allocated by somebody else through the same driver.
  driver::Pointer theirs = 0;
  {
    ContextScope scope(*other());
    ASSERT_EQ(platform->driver.memAlloc(&theirs, 4096), driver::Success);
  }
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(Told(api.mem_info(platform, theirs + 100, &info)).code, TZ_E_OK);
  EXPECT_EQ(info.kind, uint32_t(TZ_MEM_DEVICE));
  EXPECT_EQ(info.device, other());
  EXPECT_EQ(info.base, theirs);
  EXPECT_EQ(info.size, 4096u);
  int local = 0;
  Told told = api.mem_info(platform, reinterpret_cast<tz_dptr>(&local), &info);
  EXPECT_EQ(told.code, TZ_E_NOT_FOUND);
  ContextScope scope(*other());
  EXPECT_EQ(platform->driver.memFree(theirs), driver::Success);
}

TEST_F(Device, LeftOverMemoryIsFreedWithThePlatform) {
  memory(100);
  memory(200);
  tz_dptr pinned = 0;
  calls.allocate(device, TZ_MEM_HOST_PINNED, 64, 0, nullptr, &pinned);
  api.stream_destroy(stream);
  api.destroy(platform);
  EXPECT_EQ(fake.allocations, 0u);
  EXPECT_EQ(fake.contexts, 0);
  stream = nullptr;
  platform = nullptr;
}

//===--- Copies and fills -------------------------------------------------===//

TEST_F(Device, CopiesEveryWay) {
  tz_dptr a = memory(1000), b = memory(1000);
  std::vector<unsigned char> in(1000), out(1000);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<unsigned char>(i * 7);
  }
  auto host = [](std::vector<unsigned char> &v) {
    return reinterpret_cast<tz_dptr>(v.data());
  };
  for (bool told : {true, false}) {
    auto kind = [&](uint32_t k) { return told ? k : uint32_t(TZ_COPY_ANY); };
    std::fill(out.begin(), out.end(), 0);
    EXPECT_EQ(
        Told(api.copy(stream, a, host(in), 1000, kind(TZ_COPY_HOST_TO_DEVICE)))
            .code,
        TZ_E_OK);
    EXPECT_EQ(
        Told(api.copy(stream, b, a, 1000, kind(TZ_COPY_DEVICE_TO_DEVICE))).code,
        TZ_E_OK);
    EXPECT_EQ(
        Told(api.copy(stream, host(out), b, 1000, kind(TZ_COPY_DEVICE_TO_HOST)))
            .code,
        TZ_E_OK);
    EXPECT_EQ(Told(api.stream_sync(stream)).code, TZ_E_OK);
    EXPECT_EQ(in, out);
  }
  EXPECT_EQ(Told(api.copy(stream, a, b, 0, 0)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.copy(stream, 0, b, 1, 0)).code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(Told(api.copy(stream, a, b, 1, 77)).code, TZ_E_INVALID_ARGUMENT);
  // Where the driver says "invalid argument" the pointers are explained.
  Told wrong =
      api.copy(stream, host(out), host(in), 16, TZ_COPY_HOST_TO_DEVICE);
  EXPECT_EQ(wrong.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(wrong.text,
              HasSubstr("cannot copy 16 bytes on nvidia:0: invalid argument "
                        "(CUDA_ERROR_INVALID_VALUE); the destination is "
                        "ordinary host memory, or not allocated at all"));
  api.mem_free(device, a, nullptr);
  api.mem_free(device, b, nullptr);
}

TEST_F(Device, FillsWithAnyPatternAtAnyAddress) {
  tz_dptr base = memory(256);
  auto *bytes = reinterpret_cast<unsigned char *>(base);
  constexpr uint32_t pattern = 0x44332211;
  for (uint32_t width : {1u, 2u, 4u}) {
    for (uint64_t shift : {0, 1, 2, 3}) {
      std::memset(bytes, 0, 256);
      Told told = api.fill(stream, base + shift, 64, pattern, width);
      ASSERT_EQ(told.code, TZ_E_OK) << told.text;
      for (uint64_t i = 0; i < 256; ++i) {
        bool inside = i >= shift && i < shift + 64;
        uint32_t expected =
            inside ? pattern >> (8 * ((i - shift) % width)) & 255 : 0;
        ASSERT_EQ(bytes[i], expected) << width << " " << shift << " " << i;
      }
    }
  }
  EXPECT_EQ(Told(api.fill(stream, base, 0, 1, 4)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.fill(stream, base, 9, 1, 3)).code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(Told(api.fill(stream, base, 10, 1, 4)).code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(Told(api.fill(stream, 0, 8, 1, 4)).code, TZ_E_INVALID_ARGUMENT);
  Told far = api.fill(stream, base, 1 << 20, 1, 4);
  EXPECT_EQ(far.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(far.text, HasSubstr("the memory is device memory of nvidia:0, "
                                  "256 bytes from there"));
  api.mem_free(device, base, nullptr);
}

//===--- Streams and events -----------------------------------------------===//

TEST_F(Device, UrgentStreamsHaveHighNumbers) {
  for (auto [asked, given] :
       {std::pair{0, 0}, {-3, 0}, {1, -1}, {4, -4}, {5, -5}, {100, -5}}) {
    tz_stream *made = nullptr;
    ASSERT_EQ(Told(calls.createStream(device, asked, &made)).code, TZ_E_OK);
    EXPECT_EQ(fake.lastPriority, given) << asked;
    api.stream_destroy(made);
  }
  EXPECT_EQ(fake.streams, 1) << "the fixture's";
}

TEST_F(Device, WrapsStreamsOfTheApplication) {
  tz_stream *wrapped = nullptr;
  for (void *native :
       {static_cast<void *>(nullptr), reinterpret_cast<void *>(1),
        reinterpret_cast<void *>(2), static_cast<void *>(stream->native)}) {
    Told told = calls.wrapStream(device, native, &wrapped);
    ASSERT_EQ(told.code, TZ_E_OK) << told.text;
    EXPECT_EQ(Told(api.stream_sync(wrapped)).code, TZ_E_OK);
    api.stream_destroy(wrapped);
  }
  EXPECT_EQ(fake.streams, 1) << "wrapped streams stay the application's";
  Told told = calls.wrapStream(other(), stream->native, &wrapped);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told.text, HasSubstr("another device than nvidia:1"));
  told = calls.wrapStream(device, stream->native, &wrapped, "cuda",
                          device->context());
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  api.stream_destroy(wrapped);
  int other = 0;
  told = calls.wrapStream(device, stream->native, &wrapped, "cuda", &other);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told.text, HasSubstr("another context than the primary one"));
  told = calls.wrapStream(device, stream->native, &wrapped, "queue");
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told.text, HasSubstr("objects of 'queue'; it does on those of "
                                   "cuda"));
}

/// A device over a context of the program's on device 1.
class ForeignContext : public Device {
protected:
  void SetUp() override {
    Device::SetUp();
    context = fake.makeContext(1);
    Told told = wrap(context, nullptr);
    ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  }
  void TearDown() override {
    api.device_release(wrapped);
    Device::TearDown();
  }
  Told wrap(void *in, void *number, const char *kind = "cuda") {
    tz_native native{sizeof(native), kind, in, number, nullptr};
    return api.device_wrap(platform, &native, &wrapped);
  }

  driver::Context context = nullptr;
  tz_device *wrapped = nullptr;
};

TEST_F(ForeignContext, HasTheFactsOfItsDevice) {
  tz_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(Told(api.device_info(wrapped, &info)).code, TZ_E_OK);
  EXPECT_EQ(text(info.name), "fake GPU 1");
  EXPECT_EQ(info.dlpack_id, 1u);
  tz_device *const *list = nullptr;
  size_t n = 0;
  ASSERT_EQ(Told(calls.devices(platform, &list, &n)).code, TZ_E_OK);
  EXPECT_EQ(n, 2u) << "it is no device of the machine's";
}

TEST_F(ForeignContext, HasMemoryCodeAndStreamsOfItsOwn) {
  const int retained = fake.contexts; // of the fixture's stream
  tz_stream *inside = nullptr;
  ASSERT_EQ(Told(calls.createStream(wrapped, 0, &inside)).code, TZ_E_OK);
  tz_dptr memory = 0;
  ASSERT_EQ(
      Told(calls.allocate(wrapped, TZ_MEM_DEVICE, 64, 0, inside, &memory)).code,
      TZ_E_OK);
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(Told(api.mem_info(platform, memory + 8, &info)).code, TZ_E_OK);
  EXPECT_EQ(info.device, wrapped);
  EXPECT_EQ(info.context, context);
  tz_module *module = nullptr;
  const tz_blob code = blob("main", "cubin", FakeCode);
  ASSERT_EQ(Told(calls.load(wrapped, &code, 1, nullptr, &module)).code,
            TZ_E_OK);
  const tz_launch one = request();
  EXPECT_EQ(Told(api.launch(inside, kernel(module, "empty"), &one)).code,
            TZ_E_OK);
  EXPECT_EQ(fake.launches.back().stream, inside->native);
  EXPECT_EQ(Told(api.stream_sync(inside)).code, TZ_E_OK);
  EXPECT_EQ(fake.contexts, retained) << "no primary context of device 1";
  api.module_unload(module);
  api.stream_destroy(inside);
  EXPECT_EQ(Told(api.mem_free(wrapped, memory, nullptr)).code, TZ_E_OK);
}

TEST_F(ForeignContext, TakesItsStreamsAloneAndSaysWhoseMemoryIsWhose) {
  tz_stream *theirs = nullptr, *over = nullptr;
  ASSERT_EQ(Told(calls.createStream(wrapped, 0, &theirs)).code, TZ_E_OK);
  Told told = calls.wrapStream(wrapped, theirs->native, &over, "cuda", context);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  api.stream_destroy(over);
  told = calls.wrapStream(other(), theirs->native, &over);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told.text, HasSubstr("another context than the primary one of "
                                   "nvidia:1"));
  told = calls.wrapStream(wrapped, stream->native, &over);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told.text, HasSubstr("another context than the one that the "
                                   "device was made over"));
  api.stream_destroy(theirs);
  // What the program itself allocated there, which no register of ours has.
  void *library = dlopen(TZ_FAKE_DRIVER, RTLD_NOW | RTLD_NOLOAD);
  driver::Result (*allocate)(driver::Pointer *, size_t) = nullptr;
  void *symbol = dlsym(library, "cuMemAlloc_v2");
  std::memcpy(&allocate, &symbol, sizeof(allocate));
  driver::Pointer address = 0;
  {
    ContextScope scope(*wrapped);
    ASSERT_EQ(allocate(&address, 64), driver::Success);
  }
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(Told(api.mem_info(platform, address, &info)).code, TZ_E_OK);
  EXPECT_EQ(info.device, wrapped);
  EXPECT_EQ(info.context, context);
}

TEST_F(ForeignContext, LeavesTheContextAsItIs) {
  tz_dptr memory = 0;
  ASSERT_EQ(
      Told(calls.allocate(wrapped, TZ_MEM_DEVICE, 64, 0, nullptr, &memory))
          .code,
      TZ_E_OK);
  const int released = fake.calls["cuDevicePrimaryCtxRelease_v2"];
  api.device_release(wrapped);
  wrapped = nullptr;
  EXPECT_EQ(fake.allocations, 0u) << "what nobody freed";
  EXPECT_EQ(fake.calls["cuDevicePrimaryCtxRelease_v2"], released);
  EXPECT_EQ(wrap(context, nullptr).code, TZ_E_OK) << "it is alive";
}

TEST_F(ForeignContext, MustBeOneAndOfTheDeviceThatIsNamed) {
  tz_device *first = wrapped;
  Told told = wrap(nullptr, nullptr);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told.text, HasSubstr("needs the CUcontext that it works in"));
  told = wrap(context, reinterpret_cast<void *>(100));
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(told.text, HasSubstr("native.device is CUdevice 100, but the "
                                   "context is of CUdevice 101"));
  told = wrap(context, nullptr, "queue");
  EXPECT_THAT(told.text, HasSubstr("objects of 'queue'"));
  driver::Context ended = fake.makeContext(0);
  fake.endContext(ended);
  told = wrap(ended, nullptr);
  EXPECT_NE(told.code, TZ_E_OK);
  EXPECT_THAT(told.text, HasSubstr("work in a context of the program's"));
  fake.failFunction = "cuCtxGetDevice";
  fake.failAt = fake.calls["cuCtxGetDevice"] + 1;
  EXPECT_NE(wrap(context, nullptr).code, TZ_E_OK);
  EXPECT_EQ(wrapped, first) << "an out-parameter is untouched";
}

TEST_F(Device, WrapsEventsOfTheApplication) {
  tz_event *own = nullptr, *wrapped = nullptr;
  ASSERT_EQ(Told(calls.createEvent(device, TZ_EVENT_TIMING, &own)).code,
            TZ_E_OK);
  tz_native native{sizeof(native), nullptr, nullptr, nullptr, own->native};
  tz_event_desc desc{sizeof(desc), nullptr, 0, 0, &native};
  Told told = api.event_create(device, &desc, &wrapped);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(Told(api.event_record(wrapped, stream)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.event_sync(wrapped, UINT64_MAX)).code, TZ_E_OK);
  const auto before = fake.events;
  api.event_destroy(wrapped);
  EXPECT_EQ(fake.events, before) << "it stays";
  native.object = nullptr;
  EXPECT_THAT(Told(api.event_create(device, &desc, &wrapped)).text,
              HasSubstr("the event to be wrapped is null"));
  api.event_destroy(own);
}

TEST_F(Device, CallsBackWithTheCode) {
  int32_t told = -1;
  auto note = [](void *user, int32_t code) {
    *static_cast<int32_t *>(user) = code;
  };
  EXPECT_EQ(Told(api.stream_callback(stream, note, &told)).code, TZ_E_OK);
  EXPECT_EQ(told, TZ_E_OK);
}

TEST_F(Device, EventsMeasureAndOrder) {
  tz_event *start = nullptr, *stop = nullptr, *plain = nullptr;
  ASSERT_EQ(Told(calls.createEvent(device, TZ_EVENT_TIMING, &start)).code,
            TZ_E_OK);
  ASSERT_EQ(Told(calls.createEvent(device, TZ_EVENT_TIMING, &stop)).code,
            TZ_E_OK);
  ASSERT_EQ(Told(calls.createEvent(device, 0, &plain)).code, TZ_E_OK);
  uint64_t ns = 1;
  EXPECT_EQ(Told(api.event_elapsed_ns(start, stop, &ns)).code,
            TZ_E_FAILED_PRECONDITION);
  EXPECT_EQ(Told(api.event_record(start, stream)).code, TZ_E_OK);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(Told(api.event_record(stop, stream)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.stream_wait(stream, stop)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.event_sync(stop, UINT64_MAX)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.event_elapsed_ns(start, stop, &ns)).code, TZ_E_OK);
  EXPECT_GE(ns, 1900000u);
  EXPECT_EQ(Told(api.event_elapsed_ns(stop, start, &ns)).code,
            TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(Told(api.event_elapsed_ns(start, plain, &ns)).text,
              HasSubstr("TZ_EVENT_TIMING"));
  tz_stream *far = nullptr;
  ASSERT_EQ(Told(calls.createStream(other(), 0, &far)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.event_record(plain, far)).text,
            "the event belongs to nvidia:0, the stream to nvidia:1");
  EXPECT_EQ(Told(api.stream_wait(far, plain)).code, TZ_E_OK)
      << "that is how devices are ordered";
  api.stream_destroy(far);
  int32_t done = 0;
  EXPECT_EQ(Told(api.event_query(stop, &done)).code, TZ_E_OK);
  EXPECT_EQ(done, 1);
  fake.eventsPending = true;
  EXPECT_EQ(Told(api.event_query(stop, &done)).code, TZ_E_OK);
  EXPECT_EQ(done, 0);
  EXPECT_THAT(Told(api.event_elapsed_ns(start, stop, &ns)).text,
              HasSubstr("wait for it first"));
  EXPECT_EQ(Told(api.event_sync(stop, 0)).code, TZ_E_TIMEOUT);
  auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(Told(api.event_sync(stop, 3000000)).code, TZ_E_TIMEOUT);
  EXPECT_GE(std::chrono::steady_clock::now() - before,
            std::chrono::milliseconds(3));
  for (tz_event *event : {start, stop, plain}) {
    api.event_destroy(event);
  }
  EXPECT_EQ(fake.events, 0);
}

TEST_F(Device, ManyThreadsShareADevice) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  tz_module *module = load();
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      auto good = [&](tz_error *error) { failures += Told(error).code != 0; };
      tz_stream *own = nullptr;
      good(calls.createStream(device, 0, &own));
      for (int i = 0; i < 50; ++i) {
        tz_dptr p = 0;
        good(calls.allocate(device, TZ_MEM_DEVICE, 64, 0, t % 2 ? own : nullptr,
                            &p));
        good(api.fill(own, p, 64, uint32_t(i), 4));
        tz_kernel *code = nullptr;
        good(api.kernel_get(module, tz::plugin::str(i % 2 ? "empty" : "staged"),
                            &code));
        tz_launch launch = request();
        launch.dyn_scratch = uint64_t(64 + i) << 10; // grows the limit
        good(api.launch(own, code, &launch));
        good(api.stream_sync(own));
        tz_mem_info info{};
        info.struct_size = sizeof(info);
        good(api.mem_info(platform, p, &info));
        good(api.mem_free(device, p, own));
      }
      api.stream_destroy(own);
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  api.module_unload(module);
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(fake.allocations, 0u);
  EXPECT_EQ(fake.launches.size(), 400u);
}

} // namespace
