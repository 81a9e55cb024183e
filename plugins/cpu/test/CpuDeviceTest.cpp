//===- CpuDeviceTest.cpp - The device half through its table --------------===//
//
// What   Memory, copies, streams, events, modules and launches, as the runtime
//        uses them, with each error a user can cause.
// Why    The table is the contract; what is behind it may change.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/CpuDevice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/unit/abi/TableCalls.h"

#include "plugins/cpu/test/CompiledObject.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

using namespace tz::cpu;
using testing::HasSubstr;
using tz::cpu::test::compileKernels;

namespace {

const char *const Kernels = R"(
#include "KERNEL_ENTRY"
struct AddArgs { const float *x; const float *y; float *out; int n; };
void add(const void *p, const uint32_t *grid, int64_t first, int64_t last,
         void *arena, tz_cpu_run *run) {
  const struct AddArgs *a = p;
  for (int64_t id = first; id < last; ++id)
    for (int64_t i = id * 256; i < id * 256 + 256; ++i)
      if (i < a->n) a->out[i] = a->x[i] + a->y[i];
}
__attribute__((section(".rodata.info")))
const tz_cpu_kernel_info add_info __asm__("tz_info.add") =
  { TZ_CPU_INFO_MAGIC, TZ_CPU_INFO_VERSION, 0, sizeof(struct AddArgs), 0, 0, 0, 0 };
void empty(const void *p, const uint32_t *grid, int64_t first, int64_t last,
           void *arena, tz_cpu_run *run) {}
struct IdArgs { int *out; };
void ids(const void *p, const uint32_t *grid, int64_t first, int64_t last,
         void *arena, tz_cpu_run *run) {
  const struct IdArgs *a = p;
  int *scratch = arena;
  for (int64_t id = first; id < last; ++id) {
    scratch[1000] = (int)(id % grid[0]) + 10 * (int)(id / grid[0] % grid[1]) +
                    100 * (int)(id / grid[0] / grid[1]);
    a->out[id] = scratch[1000];
  }
}
const tz_cpu_kernel_info ids_info __asm__("tz_info.ids") =
  { TZ_CPU_INFO_MAGIC, TZ_CPU_INFO_VERSION, 0, sizeof(struct IdArgs), 4096, 0, 0, 0 };
void broken(const void *p, const uint32_t *grid, int64_t first, int64_t last,
            void *arena, tz_cpu_run *run) {}
const tz_cpu_kernel_info broken_info __asm__("tz_info.broken") = { 1, 2, 3, 4, 5, 6, 7, 8 };
const double answer = 42.0;
)";

const std::vector<std::byte> &kernelObject() {
  static const std::vector<std::byte> bytes =
      compileKernels(Kernels, "-O2 -fPIC");
  return bytes;
}

class Device : public testing::Test {
protected:
  const tz_device_api &api = deviceApi();
  const tz::test::TableCalls calls{api};
  tz_platform *platform = nullptr;
  tz_device *device = nullptr;
  tz_stream *stream = nullptr;

  static int32_t codeOf(tz_error *error, std::string *text = nullptr) {
    if (!error) {
      return TZ_E_OK;
    }
    int32_t code = error->code;
    if (text) {
      text->assign(error->message.data, error->message.size);
    }
    if (error->release) {
      error->release(error);
    }
    return code;
  }

  void SetUp() override {
    ASSERT_EQ(codeOf(calls.create(nullptr, nullptr, 0, &platform)), TZ_E_OK);
    tz_device *const *list = nullptr;
    size_t n = 0;
    ASSERT_EQ(codeOf(calls.devices(platform, &list, &n)), TZ_E_OK);
    ASSERT_EQ(n, 1u);
    device = list[0];
    ASSERT_EQ(codeOf(calls.createStream(device, 0, &stream)), TZ_E_OK);
  }
  void TearDown() override {
    api.stream_destroy(stream);
    api.destroy(platform);
  }

  tz_dptr allocate(uint64_t size) {
    tz_dptr out = 0;
    EXPECT_EQ(
        codeOf(calls.allocate(device, TZ_MEM_DEVICE, size, 0, nullptr, &out)),
        TZ_E_OK);
    return out;
  }

  tz_module *load() {
    tz_blob blob{{"main", 4},
                 {"elf", 3},
                 {kernelObject().data(), kernelObject().size()}};
    tz_module *module = nullptr;
    EXPECT_EQ(codeOf(calls.load(device, &blob, 1, nullptr, &module)), TZ_E_OK);
    return module;
  }

  tz_kernel *kernel(tz_module *module, std::string_view name) {
    tz_kernel *out = nullptr;
    EXPECT_EQ(codeOf(api.kernel_get(module, {name.data(), name.size()}, &out)),
              TZ_E_OK);
    return out;
  }
};

TEST_F(Device, DescribesTheMachine) {
  tz_device_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(codeOf(api.device_info(device, &info)), TZ_E_OK);
  EXPECT_GT(info.name.size, 0u);
  EXPECT_EQ(std::string_view(info.target.data, info.target.size).substr(0, 4),
            "cpu:");
  EXPECT_GE(info.compute_units, 1u);
  EXPECT_GT(info.total_mem, uint64_t{1} << 28);
  EXPECT_GT(info.free_mem, 0u);
  EXPECT_EQ(info.flags & TZ_DEVICE_HOST_MEMORY, 1u);
}

TEST_F(Device, AnOlderCallerGetsWhatItKnows) {
  alignas(tz_device_info) unsigned char bytes[sizeof(tz_device_info) + 64];
  std::memset(bytes, 0xa5, sizeof bytes);
  auto *info = reinterpret_cast<tz_device_info *>(bytes);
  info->struct_size = TZ_SIZE_UPTO(tz_device_info, target);
  ASSERT_EQ(codeOf(api.device_info(device, info)), TZ_E_OK);
  EXPECT_EQ(info->struct_size, TZ_SIZE_UPTO(tz_device_info, target));
  EXPECT_EQ(bytes[TZ_SIZE_UPTO(tz_device_info, target)], 0xa5);
}

TEST_F(Device, ChecksFeaturesOfAnArtifact) {
  auto check = [&](std::string_view compat, std::string *text) {
    return codeOf(api.check_artifact(device, {compat.data(), compat.size()}),
                  text);
  };
  std::string text;
  EXPECT_EQ(check("x86_64;sse2,+popcnt,-avx512zzz", nullptr), TZ_E_OK);
  EXPECT_EQ(check("x86_64", nullptr), TZ_E_OK);
  EXPECT_EQ(check("x86_64;sse2,avx9000", &text), TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(text, HasSubstr("'avx9000'"));
  EXPECT_EQ(check("aarch64;neon", &text), TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(text, HasSubstr("aarch64"));
}

TEST_F(Device, ChecksTargets) {
  auto check = [&](std::string_view target, std::string *text) {
    return codeOf(api.check_target(device, {target.data(), target.size()}),
                  text);
  };
  tz_device_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(codeOf(api.device_info(device, &info)), TZ_E_OK);
  EXPECT_EQ(check({info.target.data, info.target.size}, nullptr), TZ_E_OK);
  EXPECT_EQ(check("cpu:x86-64-v2", nullptr), TZ_E_OK);
  std::string text;
  EXPECT_EQ(check("cpu:nonsense", &text), TZ_E_NOT_FOUND);
  EXPECT_THAT(text, HasSubstr("x86-64-v3"));
}

TEST_F(Device, MemoryIsAlignedRegisteredAndBounded) {
  for (uint64_t size : {0, 1, 63, 4096, 3 << 20}) {
    tz_dptr p = allocate(size);
    EXPECT_EQ(p % 256, 0u);
    tz_mem_info info{};
    info.struct_size = sizeof info;
    ASSERT_EQ(codeOf(api.mem_info(platform, p + size / 2, &info)), TZ_E_OK);
    EXPECT_EQ(info.base, p);
    EXPECT_EQ(info.size, size);
    EXPECT_EQ(codeOf(api.mem_free(device, p, nullptr)), TZ_E_OK);
    EXPECT_EQ(codeOf(api.mem_free(device, p, nullptr)), TZ_E_INVALID_ARGUMENT);
  }
  tz_dptr p = 77;
  EXPECT_EQ(codeOf(calls.allocate(device, TZ_MEM_DEVICE, uint64_t{1} << 60, 0,
                                  nullptr, &p)),
            TZ_E_OUT_OF_MEMORY);
  EXPECT_EQ(
      codeOf(calls.allocate(device, TZ_MEM_DEVICE, UINT64_MAX, 0, nullptr, &p)),
      TZ_E_OUT_OF_MEMORY);
  EXPECT_EQ(codeOf(calls.allocate(device, TZ_MEM_DEVICE, 64, 48, nullptr, &p)),
            TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(codeOf(calls.allocate(device, 9, 64, 0, nullptr, &p)),
            TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(p, 77u) << "out-parameters are untouched on error";
}

TEST_F(Device, AcceptsForeignHostMemory) {
  int local = 0;
  tz_mem_info info{};
  info.struct_size = sizeof info;
  auto address = reinterpret_cast<tz_dptr>(&local);
  EXPECT_EQ(codeOf(api.mem_info(platform, address, &info)), TZ_E_OK);
  EXPECT_EQ(info.device, device);
  EXPECT_EQ(codeOf(api.mem_info(platform, 0x10, &info)), TZ_E_NOT_FOUND);
}

TEST_F(Device, CopiesAndFillsAnySize) {
  for (uint64_t n : {uint64_t{0}, uint64_t{4}, uint64_t{1000},
                     uint64_t{5} << 20, (uint64_t{9} << 20) + 12}) {
    tz_dptr a = allocate(n), b = allocate(n);
    auto *x = reinterpret_cast<unsigned char *>(a);
    auto *y = reinterpret_cast<unsigned char *>(b);
    EXPECT_EQ(codeOf(api.fill(stream, a, n, 0x04030201, 4)), TZ_E_OK);
    EXPECT_EQ(codeOf(api.copy(stream, b, a, n, TZ_COPY_ANY)), TZ_E_OK);
    for (uint64_t i = 0; i < n; i += 1 + n / 4099) {
      ASSERT_EQ(y[i], i % 4 + 1) << i;
    }
    EXPECT_EQ(codeOf(api.fill(stream, a, n, 0xbbaa, 2)), TZ_E_OK);
    EXPECT_TRUE(n == 0 || (x[0] == 0xaa && x[n - 1] == 0xbb));
    EXPECT_EQ(codeOf(api.fill(stream, a, n, 0x7f, 1)), TZ_E_OK);
    EXPECT_TRUE(n == 0 || (x[0] == 0x7f && x[n - 1] == 0x7f));
    api.mem_free(device, a, nullptr);
    api.mem_free(device, b, nullptr);
  }
  EXPECT_EQ(codeOf(api.fill(stream, 64, 10, 0, 4)), TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(codeOf(api.fill(stream, 64, 9, 0, 3)), TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(codeOf(api.copy(stream, 0, 64, 4, 0)), TZ_E_INVALID_ARGUMENT);
}

TEST_F(Device, OverlappingCopyIsAMove) {
  char text[] = "0123456789";
  auto p = reinterpret_cast<tz_dptr>(text);
  EXPECT_EQ(codeOf(api.copy(stream, p + 2, p, 6, 0)), TZ_E_OK);
  EXPECT_STREQ(text, "0101234589");
}

TEST_F(Device, EventsMeasureTime) {
  tz_event *start = nullptr, *stop = nullptr;
  ASSERT_EQ(codeOf(calls.createEvent(device, TZ_EVENT_TIMING, &start)),
            TZ_E_OK);
  ASSERT_EQ(codeOf(calls.createEvent(device, TZ_EVENT_TIMING, &stop)), TZ_E_OK);
  uint64_t ns = 1;
  EXPECT_EQ(codeOf(api.event_elapsed_ns(start, stop, &ns)),
            TZ_E_FAILED_PRECONDITION);
  EXPECT_EQ(codeOf(api.event_record(start, stream)), TZ_E_OK);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(codeOf(api.event_record(stop, stream)), TZ_E_OK);
  EXPECT_EQ(codeOf(api.stream_wait(stream, stop)), TZ_E_OK);
  EXPECT_EQ(codeOf(api.event_elapsed_ns(start, stop, &ns)), TZ_E_OK);
  EXPECT_GE(ns, 2000000u);
  int32_t done = 0;
  EXPECT_EQ(codeOf(api.event_query(stop, &done)), TZ_E_OK);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(codeOf(api.event_elapsed_ns(stop, start, &ns)),
            TZ_E_FAILED_PRECONDITION);
  api.event_destroy(start);
  api.event_destroy(stop);
}

TEST_F(Device, CallbackComesAfterTheWork) {
  int value = 0;
  auto callback = [](void *user, int32_t code) {
    *static_cast<int *>(user) = 100 + code;
  };
  EXPECT_EQ(codeOf(api.stream_callback(stream, callback, &value)), TZ_E_OK);
  EXPECT_EQ(codeOf(api.stream_sync(stream)), TZ_E_OK);
  EXPECT_EQ(value, 100);
}

TEST_F(Device, LaunchesAKernel) {
  tz_module *module = load();
  constexpr int n = 100001;
  std::vector<float> x(n), y(n), out(n, -1);
  for (int i = 0; i < n; ++i) {
    x[static_cast<size_t>(i)] = static_cast<float>(i);
    y[static_cast<size_t>(i)] = 0.5f;
  }
  struct {
    const float *x, *y;
    float *out;
    int n;
  } args{x.data(), y.data(), out.data(), n};
  tz_launch launch{};
  launch.struct_size = sizeof launch;
  launch.grid[0] = (n + 255) / 256;
  launch.grid[1] = launch.grid[2] = 1;
  launch.args = &args;
  launch.args_size = sizeof args;
  EXPECT_EQ(codeOf(api.launch(stream, kernel(module, "add"), &launch)),
            TZ_E_OK);
  for (size_t i = 0; i < n; ++i) {
    ASSERT_EQ(out[i], static_cast<float>(i) + 0.5f);
  }
  launch.args_size = 8;
  std::string text;
  EXPECT_EQ(codeOf(api.launch(stream, kernel(module, "add"), &launch), &text),
            TZ_E_INVALID_ARGUMENT);
  EXPECT_THAT(text, HasSubstr("argument bytes"));
  api.module_unload(module);
}

/// Each thread has arrays and a stream of its own.
TEST_F(Device, ManyThreadsLaunchOneKernel) {
  tz_module *module = load();
  tz_kernel *add = kernel(module, "add");
  constexpr unsigned count = 6, elements = 3000;
  std::vector<std::thread> threads;
  std::atomic<unsigned> wrong{0};
  for (unsigned t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      std::vector<float> x(elements, static_cast<float>(t)), y(elements, 0.5f);
      std::vector<float> out(elements);
      struct {
        const float *x, *y;
        float *out;
        int n;
      } args{x.data(), y.data(), out.data(), elements};
      tz_launch launch{};
      launch.struct_size = sizeof launch;
      launch.grid[0] = (elements + 255) / 256;
      launch.grid[1] = launch.grid[2] = 1;
      launch.args = &args;
      launch.args_size = sizeof args;
      tz_stream *own = nullptr;
      wrong += codeOf(calls.createStream(device, 0, &own)) != TZ_E_OK;
      for (unsigned i = 0; i < 300; ++i) {
        std::fill(out.begin(), out.end(), -1.0f);
        wrong += codeOf(api.launch(own, add, &launch)) != TZ_E_OK;
        wrong += static_cast<unsigned>(
            elements -
            std::count(out.begin(), out.end(), static_cast<float>(t) + 0.5f));
      }
      api.stream_destroy(own);
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0u);
  api.module_unload(module);
}

TEST_F(Device, ProgramIdsAreLinearXFastestAndTheArenaIsThere) {
  tz_module *module = load();
  std::vector<int> out(3 * 4 * 5, -1);
  struct {
    int *out;
  } args{out.data()};
  tz_launch launch{};
  launch.struct_size = sizeof launch;
  launch.grid[0] = 3;
  launch.grid[1] = 4;
  launch.grid[2] = 5;
  launch.args = &args;
  launch.args_size = sizeof args;
  EXPECT_EQ(codeOf(api.launch(stream, kernel(module, "ids"), &launch)),
            TZ_E_OK);
  for (int z = 0; z < 5; ++z) {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 3; ++x) {
        EXPECT_EQ(out[static_cast<size_t>(x + 3 * (y + 4 * z))],
                  x + 10 * y + 100 * z);
      }
    }
  }
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 0x7fffffff;
  EXPECT_EQ(codeOf(api.launch(stream, kernel(module, "ids"), &launch)),
            TZ_E_OUT_OF_RANGE);
  api.module_unload(module);
}

TEST_F(Device, ModuleErrorsNameTheCause) {
  std::string text;
  tz_module *module = nullptr;
  tz_blob wrong{{"main", 4}, {"cubin", 5}, {"abc", 3}};
  EXPECT_EQ(codeOf(calls.load(device, &wrong, 1, nullptr, &module), &text),
            TZ_E_INVALID_ARGUMENT);
  tz_blob garbage{{"main", 4}, {"elf", 3}, {"abc", 3}};
  EXPECT_EQ(codeOf(calls.load(device, &garbage, 1, nullptr, &module), &text),
            TZ_E_DATA_LOSS);
  EXPECT_THAT(text, HasSubstr("truncated"));
  tz_ext must{sizeof must, nullptr, "x.test/0", TZ_EXT_MUST_UNDERSTAND, 0};
  EXPECT_EQ(codeOf(calls.load(device, &garbage, 1, &must, &module), &text),
            TZ_E_UNIMPLEMENTED);
  EXPECT_EQ(module, nullptr);

  module = load();
  tz_kernel *out = nullptr;
  EXPECT_EQ(codeOf(api.kernel_get(module, {"nothing", 7}, &out), &text),
            TZ_E_NOT_FOUND);
  EXPECT_THAT(text, HasSubstr("'nothing'"));
  EXPECT_EQ(codeOf(api.kernel_get(module, {"answer", 6}, &out)),
            TZ_E_NOT_FOUND);
  EXPECT_EQ(codeOf(api.kernel_get(module, {"broken", 6}, &out), &text),
            TZ_E_DATA_LOSS);
  EXPECT_THAT(text, HasSubstr("info record"));
  tz_dptr address = 0;
  uint64_t size = 0;
  EXPECT_EQ(codeOf(api.module_global(module, {"answer", 6}, &address, &size)),
            TZ_E_OK);
  EXPECT_EQ(size, 8u);
  EXPECT_EQ(*reinterpret_cast<const double *>(address), 42.0);
  api.module_unload(module);
}

/// The bar of the project is 5 us for a whole launch; this half may use 2.
TEST_F(Device, AnEmptyLaunchIsShort) {
  tz_module *module = load();
  tz_kernel *empty = kernel(module, "empty");
  tz_launch launch{};
  launch.struct_size = sizeof launch;
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    auto t0 = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) {
      api.launch(stream, empty, &launch);
    }
    std::chrono::duration<double, std::micro> us =
        std::chrono::steady_clock::now() - t0;
    best = std::min(best, us.count() / 1000);
  }
  RecordProperty("microseconds", std::to_string(best));
  std::printf("  empty launch: %.3f us\n", best);
  EXPECT_LT(best, 2.0);
  api.module_unload(module);
}

} // namespace
