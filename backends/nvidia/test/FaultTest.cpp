//===- FaultTest.cpp - no driver, old driver, lost device, failing calls --===//
//
// What   What a user reads when the driver is missing or unfit, what happens
//        after a kernel's fault, and that every function of the driver may fail
//        at any call.
// Why    These paths never run on a sound machine.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/test/DeviceFixture.h"

#include <functional>

using namespace tz::nvidia;
using namespace tz::nvidia::test;
using testing::HasSubstr;

namespace {

const tz::test::TableCalls Calls{deviceApi()};

Told createWith(const std::string &library, tz_platform **out) {
  tz_kv option{};
  option.key = tz::plugin::str("driver");
  option.kind = TZ_KV_STR;
  option.str = tz::plugin::str(library);
  return Calls.create(nullptr, &option, 1, out);
}

class Start : public testing::Test {
protected:
  FakeDriver &fake = fakeDriver();
  tz_platform *platform = nullptr;
  void SetUp() override { fake.reset(); }
  Told start() { return createWith(TZ_FAKE_DRIVER, &platform); }
};

TEST_F(Start, WithoutADriver) {
  Told told = createWith("libcuda-that-is-not-there.so.1", &platform);
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(told.text, "no driver: libcuda-that-is-not-there.so.1 not found");
  told = createWith("libm.so.6", &platform);
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(told.text,
            "no driver: libm.so.6 has no function cuInit; it is no CUDA driver "
            "of version 12.0 or newer");
  EXPECT_EQ(platform, nullptr);
}

TEST_F(Start, WithAnOldDriver) {
  fake.version = 11040;
  Told told = start();
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_THAT(told.text, HasSubstr("driver too old"));
  EXPECT_THAT(told.text, HasSubstr("serves CUDA 11.4, Terrazzo needs 12.0 or "
                                   "newer (driver 525.60.13); update the "
                                   "driver"));
}

TEST_F(Start, WithADriverThatDoesNotStart) {
  fake.init = driver::SystemDriverMismatch;
  Told told = start();
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(told.native, driver::SystemDriverMismatch);
  EXPECT_THAT(told.text, HasSubstr("(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH); "
                                   "libcuda.so.1 and the kernel module are of "
                                   "different versions; restart the machine"));
  fake.init = 12345;
  EXPECT_THAT(start().text, HasSubstr("(result 12345)"));
}

TEST_F(Start, WithoutADevice) {
  fake.devices = 0;
  Told told = start();
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  tz_device *const *list = nullptr;
  size_t n = 9;
  EXPECT_EQ(Told(Calls.devices(platform, &list, &n)).code, TZ_E_OK);
  EXPECT_EQ(n, 0u);
  deviceApi().destroy(platform);
}

//===--- After a kernel's fault -------------------------------------------===//

class Fault : public DeviceFixture {
protected:
  void fault(tz_module *module) {
    tz_launch l = request();
    EXPECT_EQ(Told(api.launch(stream, kernel(module, "empty"), &l)).code,
              TZ_E_OK);
    EXPECT_EQ(Told(api.launch(stream, kernel(module, "fault"), &l)).code,
              TZ_E_OK);
  }
};

TEST_F(Fault, NamesTheKernelsAndLosesTheDevice) {
  tz_module *module = load();
  tz_kernel *empty = kernel(module, "empty");
  fault(module);
  Told told = api.stream_sync(stream);
  EXPECT_EQ(told.code, TZ_E_DEVICE_LOST);
  EXPECT_EQ(told.native, driver::IllegalAddress);
  EXPECT_EQ(told.flags, uint32_t(TZ_ERR_STICKY));
  EXPECT_THAT(
      told.text,
      HasSubstr("device nvidia:0 is lost: cannot wait for a stream of "
                "nvidia:0: an illegal memory access was encountered "
                "(CUDA_ERROR_ILLEGAL_ADDRESS); the kernels that ran were "
                "'fault', 'empty'; a kernel used an address that it may not"));
  EXPECT_THAT(told.text, HasSubstr("this process must restart"));
  // Everything after it repeats the first report and asks the driver nothing.
  std::map<std::string, int> before = fake.calls;
  tz_dptr p = 0;
  tz_launch l = request();
  for (tz_error *error :
       {Calls.allocate(device, TZ_MEM_DEVICE, 64, 0, nullptr, &p),
        api.stream_sync(stream), api.launch(stream, empty, &l)}) {
    Told again = error;
    EXPECT_EQ(again.code, TZ_E_DEVICE_LOST);
    EXPECT_EQ(again.flags, uint32_t(TZ_ERR_STICKY));
    EXPECT_EQ(again.text, told.text);
  }
  EXPECT_EQ(fake.calls, before);
  // The other device goes on; objects can still be destroyed.
  tz_stream *far = nullptr;
  EXPECT_EQ(Told(Calls.createStream(other(), 0, &far)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.stream_sync(far)).code, TZ_E_OK);
  api.stream_destroy(far);
  api.module_unload(module);
}

TEST_F(Fault, KernelsBeforeASynchronisationAreNotNamed) {
  tz_module *module = load();
  tz_launch l = request();
  EXPECT_EQ(Told(api.launch(stream, kernel(module, "empty"), &l)).code,
            TZ_E_OK);
  EXPECT_EQ(Told(api.stream_sync(stream)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.launch(stream, kernel(module, "fault"), &l)).code,
            TZ_E_OK);
  // Met by another call of another stream.
  tz_event *event = nullptr;
  Told told = Calls.createEvent(device, 0, &event);
  EXPECT_EQ(told.code, TZ_E_DEVICE_LOST);
  EXPECT_THAT(told.text, HasSubstr("the kernel that ran was 'fault'"));
  api.module_unload(module);
}

TEST_F(Fault, ManyKernelsAreNamedOnceEach) {
  tz_module *module = load();
  tz_launch l = request();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(
        Told(api.launch(stream, kernel(module, i % 2 ? "empty" : "staged"), &l))
            .code,
        TZ_E_OK);
  }
  fault(module);
  EXPECT_THAT(Told(api.stream_sync(stream)).text,
              HasSubstr("'fault', 'empty', 'staged';"));
  api.module_unload(module);
}

//===--- Every function fails once ----------------------------------------===//

/// All that a program does, by way of the table. Stops nowhere.
void program(const tz_device_api &api, std::vector<Told> &told) {
  tz_platform *platform = nullptr;
  told.push_back(createWith(TZ_FAKE_DRIVER, &platform));
  tz_device *const *devices = nullptr;
  size_t n = 0;
  if (platform) {
    told.push_back(Calls.devices(platform, &devices, &n));
  }
  if (n == 0) {
    api.destroy(platform);
    return;
  }
  tz_device *device = devices[0];
  tz_stream *stream = nullptr, *wrapped = nullptr;
  tz_event *start = nullptr, *stop = nullptr;
  tz_module *module = nullptr;
  tz_dptr memory = 0, ordered = 0, pinned = 0, managed = 0;
  tz_device_info info{};
  info.struct_size = sizeof(info);
  auto note = [&](tz_error *error) { told.emplace_back(error); };
  note(Calls.createStream(device, 1, &stream));
  note(api.device_info(device, &info));
  note(Calls.allocate(device, TZ_MEM_DEVICE, 256, 0, nullptr, &memory));
  note(Calls.allocate(device, TZ_MEM_HOST_PINNED, 256, 0, nullptr, &pinned));
  note(Calls.allocate(device, TZ_MEM_MANAGED, 256, 0, nullptr, &managed));
  note(Calls.createEvent(device, TZ_EVENT_TIMING, &start));
  note(Calls.createEvent(device, TZ_EVENT_TIMING, &stop));
  static const driver::Context context = fakeDriver().makeContext(0);
  const tz_native native{sizeof(native), "cuda", context, nullptr, nullptr};
  tz_device *foreign = nullptr;
  note(api.device_wrap(platform, &native, &foreign));
  api.device_release(foreign);
  if (stream) {
    note(Calls.wrapStream(device, stream->native, &wrapped));
    note(Calls.allocate(device, TZ_MEM_DEVICE, 256, 0, stream, &ordered));
    if (memory && pinned && ordered) {
      note(api.copy(stream, memory, pinned, 256, TZ_COPY_HOST_TO_DEVICE));
      note(api.copy(stream, ordered, memory, 256, TZ_COPY_DEVICE_TO_DEVICE));
      note(api.copy(stream, pinned, ordered, 256, TZ_COPY_DEVICE_TO_HOST));
      note(api.copy(stream, memory, ordered, 256, TZ_COPY_ANY));
      note(api.fill(stream, memory, 256, 1, 1));
      note(api.fill(stream, memory, 256, 1, 2));
      note(api.fill(stream, memory, 252, 1, 4));
      note(api.fill(stream, memory + 1, 252, 1, 4));
    }
    note(api.stream_callback(stream, [](void *, int32_t) {}, nullptr));
    if (start && stop) {
      note(api.event_record(start, stream));
      note(api.event_record(stop, stream));
      note(api.stream_wait(stream, stop));
      note(api.event_sync(stop, UINT64_MAX));
      int32_t done = 0;
      uint64_t ns = 0;
      note(api.event_query(stop, &done));
      Told elapsed = api.event_elapsed_ns(start, stop, &ns);
      // Not recorded because recording was what failed.
      if (elapsed.code != TZ_E_FAILED_PRECONDITION) {
        told.push_back(elapsed);
      }
    }
  }
  tz_blob blob{tz::plugin::str("main"),
               tz::plugin::str("cubin"),
               {FakeCode.data(), FakeCode.size()}};
  std::string views = "view tiles 0 f16 64x64 swizzle=128 l2=128 fill=zero\n";
  tz_blob both[] = {blob,
                    {tz::plugin::str("views"),
                     tz::plugin::str("tensor-views"),
                     {views.data(), views.size()}}};
  note(Calls.load(device, both, 2, nullptr, &module));
  if (module) {
    tz_kernel *kernel = nullptr;
    tz_dptr address = 0;
    note(
        api.module_global(module, tz::plugin::str("table"), &address, nullptr));
    note(api.kernel_get(module, tz::plugin::str("tiles"), &kernel));
    if (kernel && stream) {
      alignas(128) unsigned char args[256] = {};
      int64_t shape[] = {128, 64}, strides[] = {64, 1};
      tz_tensor_view view{sizeof(view), 1 << 20, 16, 2, shape, strides};
      note(api.arg_encode(kernel, 0, &view, args, 128));
      tz_launch launch{};
      launch.struct_size = sizeof(launch);
      launch.grid[0] = 16;
      launch.block[0] = 64;
      launch.cluster[0] = 16;
      launch.dyn_scratch = 100 << 10;
      launch.args = args;
      launch.args_size = 256;
      tz_occupancy occupancy{};
      occupancy.struct_size = sizeof(occupancy);
      note(api.kernel_occupancy(kernel, &launch, &occupancy));
      note(api.launch(stream, kernel, &launch));
    }
  }
  if (stream) {
    note(api.stream_sync(stream));
  }
  note(api.mem_free(device, memory, nullptr));
  note(api.mem_free(device, pinned, nullptr));
  note(api.mem_free(device, managed, nullptr));
  note(api.mem_free(device, ordered, stream));
  api.event_destroy(start);
  api.event_destroy(stop);
  api.module_unload(module);
  api.stream_destroy(wrapped);
  api.stream_destroy(stream);
  api.destroy(platform);
}

TEST(EveryFunction, MayFailAtAnyCall) {
  FakeDriver &fake = fakeDriver();
  fake.reset();
  std::vector<Told> sound;
  program(deviceApi(), sound);
  for (const Told &told : sound) {
    ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  }
  std::map<std::string, int> calls = fake.calls;
  // What may fail without a user noticing, and why.
  const std::set<std::string> silent = {
      "cuDriverGetVersion", // the functions are then found missing, or not
      "cuCtxGetCurrent",    // the context is then pushed once more
      "cuCtxPopCurrent_v2", // nothing can be done about it
      "cuDevicePrimaryCtxRelease_v2",
      "cuStreamDestroy_v2",
      "cuEventDestroy_v2",
      "cuModuleUnload",  // ends of life report nothing
      "cuMemGetInfo_v2", // free memory is then unknown
      "cuDeviceGetUuid_v2",
      "cuDeviceGetPCIBusId",
      "cuFuncGetParamInfo", // the number of argument bytes is then unknown
      "cuThreadExchangeStreamCaptureMode", // a graph that is recorded refuses
      "cuStreamIsCapturing",               // it records none, then
      "cuPointerGetAttributes"};
  size_t functions = 0;
#define TZ_DRIVER(member, symbol, parameters) functions += calls.count(#symbol);
#include "backends/nvidia/device/DriverFunctions.def"
  EXPECT_GE(functions, 55u) << "the program calls all but a few functions";
  int injected = 0;
  for (const auto &[function, count] : calls) {
    for (int at = 1; at <= count; ++at) {
      for (driver::Result result :
           {driver::UnknownResult, driver::IllegalAddress}) {
        fake.reset();
        fake.failFunction = function;
        fake.failAt = at;
        fake.failResult = result;
        std::vector<Told> told;
        program(deviceApi(), told);
        ++injected;
        if (fake.calls[function] < at) {
          continue; // an earlier failure ended the program
        }
        bool seen = false;
        for (const Told &one : told) {
          if (one.code != TZ_E_OK) {
            seen = true;
            EXPECT_FALSE(one.text.empty());
            EXPECT_EQ(one.text.find('\n'), std::string::npos);
          }
        }
        bool optional = silent.count(function) ||
                        // facts that an older driver does not know
                        function == "cuDeviceGetAttribute" ||
                        // the wait inside the end of a stream
                        (function == "cuStreamSynchronize" && at > 1) ||
                        // contexts pushed by ends of life
                        function == "cuCtxPushCurrent_v2";
        EXPECT_TRUE(seen || optional) << function << " call " << at;
      }
    }
  }
  std::printf("  %d failures injected into %zu functions\n", injected,
              calls.size());
  fake.reset();
}

} // namespace
