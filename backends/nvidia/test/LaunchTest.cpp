//===- LaunchTest.cpp - modules, kernels, launches ------------------------===//
//
// What   Loading machine code and PTX, launching with every attribute, and the
//        message of every launch that the driver refuses.
// Why    A refused launch is "invalid argument" to the driver; the user must
//        read which limit it was.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/test/DeviceFixture.h"

using namespace tz::nvidia;
using namespace tz::nvidia::test;
using testing::HasSubstr;

namespace {

class Launch : public DeviceFixture {
protected:
  tz_module *module = nullptr;

  void SetUp() override {
    DeviceFixture::SetUp();
    module = load();
  }
  void TearDown() override {
    api.module_unload(module);
    EXPECT_EQ(fake.modules, 0);
    DeviceFixture::TearDown();
  }
  Told launch(std::string_view name, const tz_launch &launch) {
    return api.launch(stream, kernel(module, name), &launch);
  }
};

TEST_F(Launch, RunsAKernelWithItsArguments) {
  constexpr int n = 1000;
  tz_dptr x = memory(n * 4), y = memory(n * 4), out = memory(n * 4);
  for (int i = 0; i < n; ++i) {
    reinterpret_cast<float *>(x)[i] = float(i);
    reinterpret_cast<float *>(y)[i] = 0.5f;
  }
  struct {
    tz_dptr x, y, out;
    int n;
  } args{x, y, out, n};
  tz_launch l = request(8, 128);
  l.args = &args;
  l.args_size = sizeof(args);
  Told told = launch("add", l);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(Told(api.stream_sync(stream)).code, TZ_E_OK);
  for (int i = 0; i < n; ++i) {
    ASSERT_EQ(reinterpret_cast<float *>(out)[i], float(i) + 0.5f);
  }
  EXPECT_EQ(fake.launches.back().stream, stream->native);
  l.args_size = 20;
  told = launch("add", l);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(told.text,
            "kernel 'add' reads 28 argument bytes, the launch has 20");
  l.args = nullptr;
  EXPECT_EQ(launch("add", l).code, TZ_E_INVALID_ARGUMENT);
  for (tz_dptr p : {x, y, out}) {
    api.mem_free(device, p, nullptr);
  }
}

TEST_F(Launch, GivesTheDriverNoByteTooMany) {
  // The packed buffer is longer than the parameters.
  constexpr int n = 4;
  tz_dptr x = memory(n * 4);
  struct {
    tz_dptr x, y, out;
    int n, padding[9];
  } args{x, x, x, n, {}};
  tz_launch l = request();
  l.args = &args;
  l.args_size = sizeof(args);
  Told told = launch("add", l);
  EXPECT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(fake.launches.back().args.size(), 28u);
  api.mem_free(device, x, nullptr);
}

TEST_F(Launch, PutsParametersWhereTheCodeWantsThem) {
  alignas(128) struct {
    unsigned char map[128];
    uint64_t pointer;
  } args{};
  args.map[0] = 1;
  args.map[127] = 2;
  args.pointer = 0x123456789;
  tz_launch l = request();
  l.args = &args;
  l.args_size = 136;
  Told told = launch("tiles", l);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  // Behind the 16 bytes by which the bank's parameters miss 128.
  const std::vector<unsigned char> &seen = fake.launches.back().args;
  ASSERT_EQ(seen.size(), 248u);
  EXPECT_EQ(seen[112], 1);
  EXPECT_EQ(seen[239], 2);
  EXPECT_EQ(std::memcmp(&seen[240], &args.pointer, 8), 0);
  l.args_size = 128;
  EXPECT_EQ(launch("tiles", l).text,
            "kernel 'tiles' reads 136 argument bytes, the launch has 128");
}

TEST_F(Launch, PassesEveryAttribute) {
  tz_launch l = request(12, 256);
  l.cluster[0] = 2;
  l.cluster[1] = 1;
  l.flags = TZ_LAUNCH_COOPERATIVE | TZ_LAUNCH_ORDERED;
  l.dyn_scratch = 4096;
  ASSERT_EQ(launch("empty", l).code, TZ_E_OK);
  FakeLaunch seen = fake.launches.back();
  EXPECT_EQ(seen.grid[0], 12u);
  EXPECT_EQ(seen.block[0], 256u);
  EXPECT_EQ(seen.cluster[0], 2u);
  EXPECT_EQ(seen.dynamicShared, 4096u);
  EXPECT_TRUE(seen.cooperative);
  EXPECT_EQ(fake.calls["cuFuncSetAttribute"], 0) << "below 48 KiB";
  ASSERT_EQ(launch("empty", request()).code, TZ_E_OK);
  seen = fake.launches.back();
  EXPECT_FALSE(seen.cooperative);
  EXPECT_EQ(seen.cluster[0], 1u);
}

TEST_F(Launch, AllowsMuchSharedMemoryOnce) {
  tz_launch l = request();
  l.dyn_scratch = 200 << 10;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(launch("staged", l).code, TZ_E_OK);
  }
  EXPECT_EQ(fake.calls["cuFuncSetAttribute"], 1);
  l.dyn_scratch = 47 << 10; // with 1 KiB fixed just what is always allowed
  ASSERT_EQ(launch("staged", l).code, TZ_E_OK);
  EXPECT_EQ(fake.calls["cuFuncSetAttribute"], 1);
  l.dyn_scratch = (227 << 10) - 1024 + 16;
  Told told = launch("staged", l);
  EXPECT_EQ(told.code, TZ_E_RESOURCE_LIMIT);
  EXPECT_EQ(told.text, "kernel 'staged' needs 227.0 KiB of shared memory a "
                       "block (1024 fixed, 231440 asked for), nvidia:0 has 227 "
                       "KiB; smaller blocks or fewer stages need less");
  l.dyn_scratch = UINT64_MAX;
  EXPECT_EQ(launch("staged", l).code, TZ_E_RESOURCE_LIMIT);
}

TEST_F(Launch, AllowsLargeClustersOnce) {
  tz_launch l = request(32);
  l.cluster[0] = 16;
  ASSERT_EQ(launch("empty", l).code, TZ_E_OK);
  ASSERT_EQ(launch("empty", l).code, TZ_E_OK);
  EXPECT_EQ(fake.calls["cuFuncSetAttribute"], 1);
}

TEST_F(Launch, ExplainsWhatTheDriverRefuses) {
  auto expect = [&](std::string_view name, const tz_launch &l, int32_t code,
                    const char *part) {
    Told told = launch(name, l);
    EXPECT_EQ(told.code, code) << told.text;
    EXPECT_THAT(told.text, HasSubstr(part));
  };
  tz_launch l = request();
  l.grid[1] = 70000;
  expect("empty", l, TZ_E_OUT_OF_RANGE,
         "kernel 'empty': grid axis y has 70000 programs, nvidia:0 takes 65535 "
         "there; only axis x may be longer");
  expect("fat", request(1, 768), TZ_E_RESOURCE_LIMIT,
         "kernel 'fat' uses 128 registers and can run 512 threads a block, not "
         "768; fewer warps or smaller tiles need less");
  l = request(10);
  l.cluster[0] = 4;
  expect("empty", l, TZ_E_RESOURCE_LIMIT,
         "kernel 'empty' has a grid of 10x1x1 blocks, which clusters of 4x1x1 "
         "do not divide");
  l = request(1000);
  l.flags = TZ_LAUNCH_COOPERATIVE;
  expect("empty", l, TZ_E_RESOURCE_LIMIT,
         "kernel 'empty' must have all 1000 programs running at once, which do "
         "not fit nvidia:0 (132 compute units)");
  // Nothing known is wrong: everything is told.
  fake.failFunction = "cuLaunchKernelEx";
  fake.failAt = fake.calls["cuLaunchKernelEx"] + 1;
  fake.failResult = driver::InvalidValue;
  expect("staged", request(3, 64), TZ_E_INVALID_ARGUMENT,
         "cannot launch kernel 'staged' on nvidia:0 (grid 3x1x1, block 64x1x1, "
         "1 KiB of shared memory, 64 registers a thread): invalid argument");
}

TEST_F(Launch, ChecksStreamAndExtensions) {
  tz_stream *far = nullptr;
  ASSERT_EQ(Told(calls.createStream(other(), 0, &far)).code, TZ_E_OK);
  tz_launch l = request();
  Told told = api.launch(far, kernel(module, "empty"), &l);
  EXPECT_EQ(told.text, "kernel 'empty' was loaded on nvidia:0, the stream "
                       "belongs to nvidia:1");
  api.stream_destroy(far);
  tz_ext ext{sizeof(ext), nullptr, "x.test/0", TZ_EXT_MUST_UNDERSTAND, 0};
  l.next = &ext;
  told = launch("empty", l);
  EXPECT_EQ(told.code, TZ_E_UNIMPLEMENTED);
  EXPECT_THAT(told.text, HasSubstr("'x.test/0'"));
  ext.flags = 0;
  EXPECT_EQ(launch("empty", l).code, TZ_E_OK);
}

TEST_F(Launch, TellsOccupancy) {
  tz_launch l = request(1, 256);
  l.dyn_scratch = 100 << 10;
  tz_occupancy out{};
  out.struct_size = sizeof(out);
  Told told = api.kernel_occupancy(kernel(module, "staged"), &l, &out);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(out.blocks, 4u);
  EXPECT_EQ(out.regs, 64u);
  EXPECT_EQ(out.scratch, (100u << 10) + 1024);
  EXPECT_EQ(out.clusters, 0u);
  l.cluster[0] = 4;
  told = api.kernel_occupancy(kernel(module, "staged"), &l, &out);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(out.clusters, 66u);
}

//===--- Modules ----------------------------------------------------------===//

TEST_F(Launch, PrefersMachineCode) {
  tz_module *both = nullptr;
  std::string ptx = ".version 8.0\nerror here\n";
  ASSERT_EQ(
      load({blob("text", "ptx", ptx), blob("main", "cubin", FakeCode)}, &both)
          .code,
      TZ_E_OK);
  api.module_unload(both);
}

TEST_F(Launch, FindsKernelsOfEachPart) {
  const std::string more = "\177ELF\narch 90\nkernel second regs=8\n";
  tz_module *both = nullptr;
  Told told = load(
      {blob("second", "cubin", more), blob("main", "cubin", FakeCode)}, &both);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  tz_launch l = request();
  EXPECT_EQ(Told(api.launch(stream, kernel(both, "second"), &l)).code, TZ_E_OK);
  EXPECT_NE(kernel(both, "add"), nullptr);
  tz_kernel *found = nullptr;
  told = api.kernel_get(both, tz::plugin::str("third"), &found);
  EXPECT_EQ(told.code, TZ_E_NOT_FOUND);
  api.module_unload(both);
  both = nullptr;
  told = load({blob("main", "cubin", FakeCode), blob("second", "cubin", "x")},
              &both);
  EXPECT_EQ(told.code, TZ_E_DATA_LOSS);
  EXPECT_EQ(both, nullptr);
}

TEST_F(Launch, CodeAndMemoryArePreparedWhileAGraphIsRecorded) {
  fake.recording = true;
  tz_module *made = load();
  tz_launch l = request();
  EXPECT_EQ(Told(api.launch(stream, kernel(made, "empty"), &l)).code, TZ_E_OK);
  for (uint32_t kind : {TZ_MEM_DEVICE, TZ_MEM_HOST_PINNED, TZ_MEM_MANAGED}) {
    tz_dptr out = 0;
    ASSERT_EQ(Told(calls.allocate(device, kind, 64, 0, stream, &out)).code,
              TZ_E_OK);
    EXPECT_EQ(Told(api.mem_free(device, out, nullptr)).code, TZ_E_OK);
  }
  EXPECT_EQ(fake.calls["cuMemAllocAsync"], 0) << "it would be the graph's";
  fake.recording = false;
  api.module_unload(made);
}

TEST_F(Launch, PtxWaitsUntilItsKernelIsSought) {
  const std::string rare = ".version 8.0\narch 80\nkernel rare regs=8\n",
                    bad = ".version 8.0\nerror here\n";
  const auto before = fake.modules;
  tz_module *both = nullptr;
  Told told =
      load({blob("main", "cubin", FakeCode), blob("rare", "ptx", rare)}, &both);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_NE(kernel(both, "add"), nullptr);
  EXPECT_EQ(fake.modules, before + 1);
  tz_launch l = request();
  EXPECT_EQ(Told(api.launch(stream, kernel(both, "rare"), &l)).code, TZ_E_OK);
  EXPECT_EQ(fake.modules, before + 2);
  api.module_unload(both);
  EXPECT_EQ(fake.modules, before);
  // What is wrong with it is said then, and each time.
  told =
      load({blob("main", "cubin", FakeCode), blob("rare", "ptx", bad)}, &both);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  for (int i = 0; i < 2; ++i) {
    tz_kernel *found = nullptr;
    told = api.kernel_get(both, tz::plugin::str("rare"), &found);
    EXPECT_EQ(told.code, TZ_E_DATA_LOSS);
    EXPECT_THAT(told.text, HasSubstr("Unknown symbol 'foo'"));
  }
  EXPECT_NE(kernel(both, "add"), nullptr);
  // So it is with variables.
  tz_dptr address = 0;
  uint64_t size = 0;
  EXPECT_EQ(
      Told(api.module_global(both, tz::plugin::str("far"), &address, &size))
          .code,
      TZ_E_DATA_LOSS);
  api.module_unload(both);
}

TEST_F(Launch, CompilesPtxThroughTheDriver) {
  std::string ptx = ".version 8.0\narch 80\nkernel empty regs=8\n";
  tz_module *made = nullptr;
  // Not terminated: the bytes behind are not the artifact's.
  std::string longer = ptx + "error\n";
  Told told = load(
      {blob("main", "ptx", std::string_view(longer).substr(0, ptx.size()))},
      &made);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  tz_launch l = request();
  EXPECT_EQ(Told(api.launch(stream, kernel(made, "empty"), &l)).code, TZ_E_OK);
  api.module_unload(made);
  // Each line of the log is a diagnostic, the error has the first.
  const tz_blob wrong = blob("main", "ptx", longer);
  std::vector<std::string> log;
  tz_module_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.blobs = &wrong;
  desc.num_blobs = 1;
  desc.diag_ctx = &log;
  desc.on_diagnostic = [](void *to, const tz_diagnostic *d) {
    EXPECT_EQ(d->severity, uint32_t(TZ_SEVERITY_ERROR));
    static_cast<std::vector<std::string> *>(to)->emplace_back(
        tz::plugin::view(d->message));
  };
  told = api.module_load(device, &desc, &made);
  EXPECT_EQ(told.code, TZ_E_DATA_LOSS);
  EXPECT_EQ(told.text,
            "cannot load PTX on nvidia:0 (sm_90a): (CUDA_ERROR_INVALID_PTX); "
            "the driver's compiler says: ptxas application ptx input, line 7; "
            "error   : Unknown symbol 'foo'");
  EXPECT_THAT(log, testing::ElementsAre(
                       "ptxas application ptx input, line 7; error   : "
                       "Unknown symbol 'foo'",
                       "ptxas fatal   : Ptx assembly aborted"));
}

TEST_F(Launch, RefusesCodeThatIsNone) {
  tz_module *made = nullptr;
  EXPECT_THAT(load({blob("main", "elf", "x")}, &made).text,
              HasSubstr("no blob of format 'cubin' or 'ptx'"));
  EXPECT_THAT(load({blob("main", "cubin", "")}, &made).text,
              HasSubstr("no blob of format"));
  Told told = load({blob("main", "cubin", "text")}, &made);
  EXPECT_EQ(told.code, TZ_E_DATA_LOSS);
  told = load({blob("main", "cubin", "\177ELF\narch 80\n")}, &made);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(told.text, HasSubstr("compiled for another architecture"));
  EXPECT_EQ(made, nullptr);
}

TEST_F(Launch, FindsKernelsAndVariables) {
  tz_kernel *found = kernel(module, "add");
  EXPECT_EQ(found, kernel(module, "add")) << "one object a kernel";
  Told told = api.kernel_get(module, tz::plugin::str("nothing"), &found);
  EXPECT_EQ(told.code, TZ_E_NOT_FOUND);
  EXPECT_EQ(told.text, "the module has no kernel 'nothing'");
  tz_dptr address = 0;
  uint64_t size = 0;
  ASSERT_EQ(
      Told(api.module_global(module, tz::plugin::str("table"), &address, &size))
          .code,
      TZ_E_OK);
  EXPECT_EQ(size, 64u);
  EXPECT_EQ(Told(api.module_global(module, tz::plugin::str("nothing"), &address,
                                   nullptr))
                .code,
            TZ_E_NOT_FOUND);
}

} // namespace
