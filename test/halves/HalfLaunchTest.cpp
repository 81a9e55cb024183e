//===- HalfLaunchTest.cpp - modules, kernels, launches --------------------===//
//
// What   Kernels run with right values: all types of arguments, sub-groups,
//        shared memory, addresses in memory, variables of the code; one kernel
//        from several threads.
// Why    Arguments are cut by what the module says of its parameters, and a
//        kernel object must not be shared by two threads.
//===----------------------------------------------------------------------===//
#include TZ_TEST_FIXTURE // of either half: HalfUnderTest

#include <numeric>
#include <thread>

namespace tz::halves {
namespace {

using testing::HasSubstr;

struct HalfLaunch : HalfUnderTest {
  void SetUp() override {
    HalfUnderTest::SetUp();
    if (!IsSkipped()) {
      begin();
    }
  }
};

TEST_F(HalfLaunch, AddsUpToTheBound) {
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 1.0f);
  const tz_dptr a = upload(x), out = memory(4000);
  ASSERT_EQ(Told(api.fill(stream, out, 4000, 0, 4)).code, TZ_E_OK);
  const Told told =
      launch(kernel("add"), Packed() << a << a << out << int32_t(999), 16, 64);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  const auto sums = download<float>(out, 1000);
  for (size_t i = 0; i < 999; ++i) {
    ASSERT_EQ(sums[i], 2 * x[i]) << i;
  }
  EXPECT_EQ(sums[999], 0.0f);
}

TEST_F(HalfLaunch, PassesArgumentsOfEachWidth) {
  const tz_dptr out = memory(56);
  const Told told = launch(kernel("values"),
                           Packed() << out << uint8_t(200) << uint8_t(7)
                                    << uint16_t(60000) << uint32_t(4000000000u)
                                    << int64_t(-5) << 12.5f << -1e12);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(download<int64_t>(out, 7),
            (std::vector<int64_t>{200, 7, 60000, 4000000000, -5, 12,
                                  -1000000000000}));
}

TEST_F(HalfLaunch, HasSubgroupsOfTheRequiredSizeAndSharedMemory) {
  std::vector<float> x(128);
  std::iota(x.begin(), x.end(), 0.0f);
  const tz_dptr in = upload(x), sums = memory(32), reversed = memory(512);
  const Told told =
      launch(kernel("groups"), Packed() << in << sums << reversed, 2, 64);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  const auto got = download<float>(sums, 8);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(got[i], 16 * 16 * float(i) + 120) << i;
  }
  const auto back = download<float>(reversed, 128);
  for (size_t i = 0; i < 128; ++i) {
    EXPECT_EQ(back[i], x[i / 64 * 64 + 63 - i % 64]) << i;
  }
}

TEST_F(HalfLaunch, FollowsAddressesThatLieInMemory) {
  const tz_dptr value = upload<int32_t>({42});
  const tz_dptr where = upload<uint64_t>({value}), out = memory(4);
  const Told told = launch(kernel("follow"), Packed() << where << out);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(download<int32_t>(out, 1)[0], 42);
}

TEST_F(HalfLaunch, FindsVariablesOfTheCode) {
  const tz_dptr out = memory(16);
  tz_kernel *look = kernel("look");
  tz_dptr address = 0;
  uint64_t bytes = 0;
  const Told told =
      api.module_global(module, plugin::str("table"), &address, &bytes);
  if (told.code == TZ_E_UNIMPLEMENTED) {
    GTEST_SKIP() << told.text;
  }
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(bytes, 16u);
  EXPECT_EQ(download<int32_t>(address, 4), (std::vector<int32_t>{1, 2, 3, 4}));
  ASSERT_EQ(Told(api.fill(stream, address + 4, 4, 77, 4)).code, TZ_E_OK);
  ASSERT_EQ(launch(look, Packed() << out, 4).code, TZ_E_OK);
  EXPECT_EQ(download<int32_t>(out, 4), (std::vector<int32_t>{1, 77, 3, 4}));
  const Told none =
      api.module_global(module, plugin::str("no_such"), &address, &bytes);
  EXPECT_EQ(none.code, TZ_E_NOT_FOUND);
  EXPECT_EQ(none.text, "the module has no variable 'no_such'");
}

TEST_F(HalfLaunch, FindsOneKernelForOneName) {
  tz_kernel *add = kernel("add");
  EXPECT_EQ(kernel("add"), add);
  tz_kernel *none = nullptr;
  const Told told = api.kernel_get(module, plugin::str("sub"), &none);
  EXPECT_EQ(told.code, TZ_E_NOT_FOUND);
  EXPECT_EQ(told.text, "the module has no kernel 'sub'");
}

/// threadCount launch one kernel at once, each with values of its own.
TEST_F(HalfLaunch, OfOneKernelByThreadsAtOnce) {
  constexpr int threadCount = 8, launches = 40, wordCount = 64;
  tz_kernel *mark = kernel("mark");
  std::vector<tz_stream *> streams(threadCount);
  std::vector<tz_dptr> outs(threadCount);
  for (int t = 0; t < threadCount; ++t) {
    ASSERT_EQ(Told(calls.createStream(device, 0, &streams[size_t(t)])).code,
              TZ_E_OK);
    outs[size_t(t)] = memory(wordCount * 4 * launches);
  }
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < threadCount; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < launches; ++i) {
        const tz_dptr to = outs[size_t(t)] + tz_dptr(i * wordCount * 4);
        const Packed packed = Packed() << to << int32_t(t * 1000 + i)
                                       << int32_t(wordCount);
        const tz_launch asked = request(packed, 1, 1);
        failures +=
            Told(api.launch(streams[size_t(t)], mark, &asked)).code != TZ_E_OK;
      }
      failures += Told(api.stream_sync(streams[size_t(t)])).code != TZ_E_OK;
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(sharedUses(), 0) << "two threads set arguments of one object";
  for (int t = 0; t < threadCount; ++t) {
    const auto words = download<int32_t>(outs[size_t(t)], wordCount * launches);
    for (int i = 0; i < wordCount * launches; ++i) {
      ASSERT_EQ(words[size_t(i)], t * 1000 + i / wordCount) << t << " " << i;
    }
    api.stream_destroy(streams[size_t(t)]);
  }
}

} // namespace
} // namespace tz::halves
