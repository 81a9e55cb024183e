//===- GpuTest.cpp - the device half on a real device ---------------------===//
//
// What   What the fake driver cannot show: that the driver agrees with us about
//        structs, packed arguments, descriptors, clusters and faults.
// Why    One binary that a machine with a GPU runs by itself. Elsewhere every
//        test is skipped, and counted as that.
//===----------------------------------------------------------------------===//
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "test/unit/abi/TableCalls.h"

#include "backends/nvidia/device/CudaDevice.h"
#include "backends/nvidia/test/GpuKernels.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace tz::nvidia;
using testing::HasSubstr;

namespace {

const tz_device_api &api = deviceApi();
const tz::test::TableCalls Calls{api};

/// Machine code of the kernels by a ptxas of this machine; empty: there is
/// none.
std::string assemble() {
  std::string ptxas = "/usr/local/cuda/bin/ptxas";
  if (const char *named = std::getenv("TERRAZZO_PTXAS")) {
    ptxas = named;
  }
  if (!std::filesystem::exists(ptxas)) {
    return {};
  }
  std::string base = std::filesystem::temp_directory_path() /
                     ("tz-gpu-" + std::to_string(getpid()));
  std::ofstream(base + ".ptx") << tz::nvidia::test::GpuKernels;
  std::string command = ptxas + " -arch=sm_90a " + base + ".ptx -o " + base;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream file(base, std::ios::binary);
  std::string code((std::istreambuf_iterator<char>(file)), {});
  std::filesystem::remove(base);
  std::filesystem::remove(base + ".ptx");
  return code;
}

TEST(GpuKernels, AreAcceptedByPtxas) {
  std::string code = assemble();
  if (code.empty() && !HasFailure()) {
    GTEST_SKIP() << "no ptxas on this machine (TERRAZZO_PTXAS names one)";
  }
  EXPECT_EQ(code.substr(0, 4), "\177ELF");
}

class Gpu : public testing::Test {
protected:
  tz_platform *platform = nullptr;
  tz_device *device = nullptr;
  tz_stream *stream = nullptr;
  tz_module *module = nullptr;

  static void good(tz_error *error) {
    if (error) {
      std::string text(tz::plugin::view(error->message));
      error->release(error);
      FAIL() << text;
    }
  }
  void SetUp() override {
    if (tz_error *error = Calls.create(nullptr, nullptr, 0, &platform)) {
      std::string text(tz::plugin::view(error->message));
      error->release(error);
      GTEST_SKIP() << text;
    }
    if (platform->handles.empty()) {
      GTEST_SKIP() << "no device in this machine";
    }
    device = platform->handles[0];
    if (device->facts.major != 9) {
      GTEST_SKIP() << "the kernels are for capability 9, this is "
                   << device->facts.target;
    }
    good(Calls.createStream(device, 0, &stream));
    load("ptx", tz::nvidia::test::GpuKernels);
  }
  void TearDown() override {
    api.module_unload(module);
    api.stream_destroy(stream);
    api.destroy(platform);
  }
  void load(std::string_view format, std::string_view code,
            std::string_view views = "view tile 0 f32 8x16 swizzle=0 l2=128 "
                                     "fill=zero\n") {
    api.module_unload(module);
    module = nullptr;
    tz_blob blobs[] = {{tz::plugin::str("main"),
                        tz::plugin::str(format),
                        {code.data(), code.size()}},
                       {tz::plugin::str("views"),
                        tz::plugin::str("tensor-views"),
                        {views.data(), views.size()}}};
    good(Calls.load(device, blobs, 2, nullptr, &module));
  }
  tz_dptr memory(uint64_t bytes) {
    tz_dptr p = 0;
    good(Calls.allocate(device, TZ_MEM_DEVICE, bytes, 0, nullptr, &p));
    return p;
  }
  template <typename T>
  tz_dptr upload(const std::vector<T> &values) {
    tz_dptr p = memory(values.size() * sizeof(T));
    good(api.copy(stream, p, reinterpret_cast<tz_dptr>(values.data()),
                  values.size() * sizeof(T), TZ_COPY_HOST_TO_DEVICE));
    good(api.stream_sync(stream));
    return p;
  }
  template <typename T>
  std::vector<T> download(tz_dptr from, size_t count) {
    std::vector<T> values(count);
    good(api.copy(stream, reinterpret_cast<tz_dptr>(values.data()), from,
                  count * sizeof(T), TZ_COPY_DEVICE_TO_HOST));
    good(api.stream_sync(stream));
    return values;
  }
  tz_kernel *kernel(std::string_view name) {
    tz_kernel *k = nullptr;
    good(api.kernel_get(module, tz::plugin::str(name), &k));
    return k;
  }
  tz_launch request(uint32_t blocks, uint32_t threads, const void *args,
                    size_t bytes) {
    tz_launch l{};
    l.struct_size = sizeof(l);
    l.grid[0] = blocks;
    l.block[0] = threads;
    l.grid[1] = l.grid[2] = l.block[1] = l.block[2] = 1;
    l.cluster[0] = l.cluster[1] = l.cluster[2] = 1;
    l.args = args;
    l.args_size = bytes;
    return l;
  }
  void launch(std::string_view name, const tz_launch &l) {
    good(api.launch(stream, kernel(name), &l));
  }
  std::string failing(tz_error *error) {
    if (!error) {
      return "no error";
    }
    std::string text(tz::plugin::view(error->message));
    error->release(error);
    return text;
  }
  void addVectors() {
    constexpr int n = 100001;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; ++i) {
      x[size_t(i)] = float(i);
      y[size_t(i)] = 0.25f;
    }
    tz_dptr a = upload(x), b = upload(y), c = memory(n * 4);
    struct {
      tz_dptr a, b, c;
      int n;
    } args{a, b, c, n};
    launch("add", request((n + 255) / 256, 256, &args, sizeof(args)));
    std::vector<float> out = download<float>(c, n);
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(out[size_t(i)], float(i) + 0.25f);
    }
    for (tz_dptr p : {a, b, c}) {
      good(api.mem_free(device, p, nullptr));
    }
  }
};

TEST_F(Gpu, DescribesItself) {
  tz_device_info info{};
  info.struct_size = sizeof(info);
  good(api.device_info(device, &info));
  std::printf("  %s, %s, %s, driver %s, %u compute units, %.1f GiB, shared %u, "
              "l2 %.0f MiB, numa %u\n",
              device->facts.name.c_str(), device->facts.target.c_str(),
              device->facts.uuid.substr(0, 8).c_str(),
              platform->driverVersion.c_str(), info.compute_units,
              double(info.total_mem) / (1 << 30), unsigned(info.scratch_bytes),
              double(info.l2_bytes) / (1 << 20), info.numa_node);
  for (const tz_kv &kv : device->facts.props) {
    std::printf("    %.*s = %lld\n", int(kv.key.size), kv.key.data,
                static_cast<long long>(kv.i64));
  }
  EXPECT_EQ(info.subgroup_size, 32u);
  EXPECT_EQ(info.scratch_bytes, 227u << 10);
  EXPECT_GT(info.free_mem, 1u << 30);
}

TEST_F(Gpu, AddsVectorsFromPtx) { addVectors(); }

TEST_F(Gpu, AddsVectorsFromMachineCode) {
  std::string code = assemble();
  if (code.empty()) {
    GTEST_SKIP() << "no ptxas on this machine";
  }
  load("cubin", code);
  addVectors();
}

TEST_F(Gpu, PaddedArgumentsAreTaken) {
  tz_dptr out = memory(4);
  alignas(128) struct {
    tz_dptr out;
    uint32_t bytes, padding[13];
  } args{out, 256, {}};
  tz_launch l = request(1, 32, &args, sizeof(args));
  l.dyn_scratch = 256;
  launch("staged", l);
  EXPECT_EQ(download<uint32_t>(out, 1)[0], 4711u);
  std::printf("  argument bytes of 'staged' by the driver: %llu\n",
              static_cast<unsigned long long>(kernel("staged")->argBytes));
  EXPECT_THAT(failing([&] {
                tz_launch shorter = request(1, 32, &args, 8);
                return api.launch(stream, kernel("staged"), &shorter);
              }()),
              HasSubstr("reads 12 argument bytes, the launch has 8"));
  good(api.mem_free(device, out, nullptr));
}

TEST_F(Gpu, UsesAllSharedMemory) {
  tz_dptr out = memory(4);
  for (uint32_t bytes : {1u << 10, 48u << 10, 49u << 10, 227u << 10}) {
    struct {
      tz_dptr out;
      uint32_t bytes;
    } args{out, bytes};
    good(api.fill(stream, out, 4, 0, 4));
    tz_launch l = request(1, 64, &args, 12);
    l.dyn_scratch = bytes;
    launch("staged", l);
    EXPECT_EQ(download<uint32_t>(out, 1)[0], 4711u) << bytes;
  }
  tz_launch l = request(1, 64, nullptr, 0);
  struct {
    tz_dptr out;
    uint32_t bytes;
  } args{out, 64};
  l.args = &args;
  l.args_size = 12;
  l.dyn_scratch = (227 << 10) + 16;
  std::string text = failing(api.launch(stream, kernel("staged"), &l));
  std::printf("  %s\n", text.c_str());
  EXPECT_THAT(text, HasSubstr("has 227 KiB; smaller blocks"));
  good(api.mem_free(device, out, nullptr));
}

TEST_F(Gpu, LaunchesClusters) {
  tz_dptr out = memory(64 * 4);
  for (uint32_t size : {2u, 8u, 16u}) {
    tz_launch l = request(64 / size * size, 32, &out, 8);
    l.cluster[0] = size;
    tz_occupancy occupancy{};
    occupancy.struct_size = sizeof(occupancy);
    good(api.kernel_occupancy(kernel("ranks"), &l, &occupancy));
    EXPECT_GT(occupancy.clusters, 0u);
    launch("ranks", l);
    std::vector<uint32_t> ranks = download<uint32_t>(out, l.grid[0]);
    for (uint32_t i = 0; i < l.grid[0]; ++i) {
      ASSERT_EQ(ranks[i], size * 100 + i % size);
    }
  }
  tz_launch l = request(63, 32, &out, 8);
  l.cluster[0] = 2;
  std::string text = failing(api.launch(stream, kernel("ranks"), &l));
  std::printf("  %s\n", text.c_str());
  EXPECT_THAT(text, HasSubstr("do not divide"));
  good(api.mem_free(device, out, nullptr));
}

TEST_F(Gpu, ReadsThroughADescriptor) {
  constexpr int rows = 20, columns = 40; // edges inside the last boxes
  std::vector<float> values(rows * columns);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = float(i) + 1;
  }
  tz_dptr in = upload(values), out = memory(512);
  int64_t shape[] = {rows, columns}, strides[] = {columns, 1};
  tz_tensor_view view{sizeof(view), in, 32, 2, shape, strides};
  for (int row : {0, 8, 16}) {
    for (int column : {0, 16, 32}) {
      alignas(128) struct {
        unsigned char map[128];
        tz_dptr out;
        int row, column;
      } args{};
      args.out = out;
      args.row = row;
      args.column = column;
      good(api.arg_encode(kernel("tile"), 0, &view, args.map, 128));
      launch("tile", request(1, 128, &args, 144));
      std::vector<float> box = download<float>(out, 128);
      for (int i = 0; i < 128; ++i) {
        int r = row + i / 16, c = column + i % 16;
        float expected =
            r < rows && c < columns ? values[size_t(r * columns + c)] : 0.0f;
        ASSERT_EQ(box[size_t(i)], expected) << row << " " << column << " " << i;
      }
    }
  }
  alignas(128) unsigned char map[128];
  constexpr int count = 20000;
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    good(api.arg_encode(kernel("tile"), 0, &view, map, 128));
  }
  std::chrono::duration<double, std::nano> time =
      std::chrono::steady_clock::now() - start;
  std::printf("  encoding a descriptor: %.0f ns\n", time.count() / count);
  good(api.mem_free(device, in, nullptr));
  good(api.mem_free(device, out, nullptr));
}

TEST_F(Gpu, EventsMeasureAKernel) {
  tz_event *start = nullptr, *stop = nullptr;
  good(Calls.createEvent(device, TZ_EVENT_TIMING, &start));
  good(Calls.createEvent(device, TZ_EVENT_TIMING, &stop));
  uint64_t ns = 5000000, measured = 0;
  tz_launch l = request(1, 1, &ns, 8);
  launch("spin", l);
  good(api.stream_sync(stream));
  good(api.event_record(start, stream));
  launch("spin", l);
  good(api.event_record(stop, stream));
  int32_t done = 1;
  good(api.event_query(stop, &done));
  EXPECT_EQ(done, 0);
  EXPECT_THAT(failing(api.event_elapsed_ns(start, stop, &measured)),
              HasSubstr("wait for it first"));
  EXPECT_THAT(failing(api.event_sync(stop, 100000)), HasSubstr("did not come"));
  good(api.event_sync(stop, 1000000000));
  good(api.event_elapsed_ns(start, stop, &measured));
  EXPECT_GE(measured, 5000000u);
  EXPECT_LT(measured, 6000000u);
  api.event_destroy(start);
  api.event_destroy(stop);
}

TEST_F(Gpu, CooperatesAndCallsBack) {
  uint64_t ns = 100000;
  tz_launch l = request(4, 32, &ns, 8);
  launch("spin", l);
  l.flags = TZ_LAUNCH_COOPERATIVE;
  launch("spin", l);
  std::atomic<int> told{-1};
  good(api.stream_callback(
      stream,
      [](void *user, int32_t code) {
        *static_cast<std::atomic<int> *>(user) = code;
      },
      &told));
  good(api.stream_sync(stream));
  EXPECT_EQ(told, TZ_E_OK);
  l.grid[0] = 1 << 20;
  std::string text = failing(api.launch(stream, kernel("spin"), &l));
  std::printf("  %s\n", text.c_str());
  EXPECT_THAT(text, HasSubstr("running at once"));
}

TEST_F(Gpu, WrapsStreamsAndAllocatesInTheirOrder) {
  for (void *native :
       {static_cast<void *>(nullptr), reinterpret_cast<void *>(1),
        reinterpret_cast<void *>(2), static_cast<void *>(stream->native)}) {
    tz_stream *wrapped = nullptr;
    good(Calls.wrapStream(device, native, &wrapped));
    tz_dptr p = 0;
    good(Calls.allocate(device, TZ_MEM_DEVICE, 4096, 0, wrapped, &p));
    good(api.fill(wrapped, p + 1, 1000, 0x04030201, 4));
    std::vector<unsigned char> out(1000);
    good(api.copy(wrapped, reinterpret_cast<tz_dptr>(out.data()), p + 1, 1000,
                  TZ_COPY_ANY));
    good(api.stream_sync(wrapped));
    for (size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out[i], i % 4 + 1);
    }
    tz_mem_info info{};
    info.struct_size = sizeof(info);
    good(api.mem_info(platform, p + 5, &info));
    EXPECT_EQ(info.device, device);
    good(api.mem_free(device, p, wrapped));
    api.stream_destroy(wrapped);
  }
}

TEST_F(Gpu, KnowsForeignAndPinnedPointers) {
  driver::Pointer theirs = 0;
  {
    ContextScope scope(*device);
    ASSERT_EQ(platform->driver.memAlloc(&theirs, 4096), driver::Success);
  }
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  good(api.mem_info(platform, theirs + 10, &info));
  EXPECT_EQ(info.kind, uint32_t(TZ_MEM_DEVICE));
  EXPECT_EQ(info.base, theirs);
  EXPECT_EQ(info.device, device);
  int local = 0;
  EXPECT_THAT(
      failing(api.mem_info(platform, reinterpret_cast<tz_dptr>(&local), &info)),
      HasSubstr("ordinary host memory"));
  tz_dptr pinned = 0;
  good(Calls.allocate(device, TZ_MEM_HOST_PINNED, 64, 0, nullptr, &pinned));
  std::memset(reinterpret_cast<void *>(pinned), 7, 64);
  good(api.copy(stream, theirs, pinned, 64, TZ_COPY_HOST_TO_DEVICE));
  EXPECT_EQ(download<unsigned char>(theirs, 64)[63], 7);
  good(api.mem_free(device, pinned, nullptr));
  ContextScope scope(*device);
  EXPECT_EQ(platform->driver.memFree(theirs), driver::Success);
}

TEST_F(Gpu, RefusesWhatDoesNotFit) {
  tz_dptr p = 0;
  std::string text = failing(
      Calls.allocate(device, TZ_MEM_DEVICE, uint64_t{1} << 42, 0, nullptr, &p));
  std::printf("  %s\n", text.c_str());
  EXPECT_THAT(text, HasSubstr("are free on nvidia:0"));
  std::string damaged(tz::nvidia::test::GpuKernels);
  damaged.replace(damaged.find("add.f32"), 7, "bad.f32");
  tz_blob blob{tz::plugin::str("main"),
               tz::plugin::str("ptx"),
               {damaged.data(), damaged.size()}};
  tz_module *made = nullptr;
  text = failing(Calls.load(device, &blob, 1, nullptr, &made));
  std::printf("  %s\n", text.c_str());
  EXPECT_THAT(text, HasSubstr("the driver's compiler says: "));
  tz_launch l = request(1, 2048, nullptr, 0);
  text = failing(api.launch(stream, kernel("fault"), &l));
  std::printf("  %s\n", text.c_str());
  EXPECT_THAT(text, HasSubstr("can run 1024 threads a block, not 2048"));
  l = request(1, 1, nullptr, 0);
  l.grid[1] = 70000;
  text = failing(api.launch(stream, kernel("fault"), &l));
  EXPECT_THAT(text, HasSubstr("grid axis y has 70000 programs"));
}

/// The last test: afterwards the process cannot use the device.
TEST_F(Gpu, ZSurvivesAFault) {
  launch("fault", request(1, 1, nullptr, 0));
  tz_error *error = api.stream_sync(stream);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, TZ_E_DEVICE_LOST);
  EXPECT_EQ(error->flags, uint32_t(TZ_ERR_STICKY));
  std::string text = failing(error);
  std::printf("  %s\n", text.c_str());
  EXPECT_THAT(text, HasSubstr("the kernel that ran was 'fault'"));
  tz_dptr p = 0;
  EXPECT_EQ(failing(Calls.allocate(device, TZ_MEM_DEVICE, 64, 0, nullptr, &p)),
            text);
}

} // namespace
