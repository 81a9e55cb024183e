//===- CuptiTest.cpp - records of kernels over a fake CUPTI ---------------===//
//
// What   The table x.terrazzo.profiler/0: records of launches, of other
//        libraries and of copies; what is dropped; each reason for refusing.
// Why    A wrong number must not come without a word, and no lack of CUPTI ends
//        a program.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CuptiRecords.h"
#include "backends/nvidia/test/DeviceFixture.h"
#include "backends/nvidia/test/FakeCuptiControl.h"

using namespace tz::nvidia;
using namespace tz::nvidia::test;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class CuptiRecords : public DeviceFixture {
protected:
  const tz_profiler_api &records = profilerApi();
  FakeCupti &cupti = fakeCuptiControl();
  tz_profiler *profiler = nullptr;
  tz_module *module = nullptr;
  bool hasBuffers = true;
  std::vector<char> buffer = std::vector<char>(sizeof(tz_record) * 3);
  std::vector<tz_record> told;
  std::vector<std::string> names; // of told

  void SetUp() override {
    DeviceFixture::SetUp();
    cupti.reset();
    fake.launched = cupti.launched;
    setenv("TERRAZZO_NVIDIA_CUPTI", TZ_FAKE_CUPTI, 1);
    module = load();
  }
  void TearDown() override {
    close();
    api.module_unload(module);
    fake.launched = nullptr;
    unsetenv("TERRAZZO_NVIDIA_CUPTI");
    DeviceFixture::TearDown();
  }
  Told begin(tz_profiler **out) {
    return records.create(
        platform, 14, this,
        [](void *ctx, size_t *size) -> void * {
          auto &self = *static_cast<CuptiRecords *>(ctx);
          *size = self.buffer.size();
          return self.hasBuffers ? self.buffer.data() : nullptr;
        },
        [](void *ctx, void *bytes, size_t valid) {
          static_cast<CuptiRecords *>(ctx)->read(bytes, valid);
        },
        out);
  }
  void close() {
    if (profiler) {
      records.destroy(std::exchange(profiler, nullptr));
    }
  }
  void read(const void *bytes, size_t valid) {
    for (size_t at = 0; at < valid; at += sizeof(tz_record)) {
      tz_record record;
      std::memcpy(&record, static_cast<const char *>(bytes) + at,
                  sizeof(record));
      ASSERT_EQ(record.size, sizeof(record));
      told.push_back(record);
      names.emplace_back(tz::plugin::view(record.name));
    }
  }
  void launch(uint64_t number) {
    tz_launch l = request(1, 32);
    l.correlation = number;
    const Told done = api.launch(stream, kernel(module, "empty"), &l);
    ASSERT_EQ(done.code, TZ_E_OK) << done.text;
  }
  void flush() {
    const Told done = records.flush(profiler, 1);
    ASSERT_EQ(done.code, TZ_E_OK) << done.text;
  }
};

TEST_F(CuptiRecords, EachLaunchHasTheTimesOfItsKernel) {
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  for (uint64_t number = 41; number < 46; ++number) { // more than a buffer
    launch(number);
  }
  flush();
  ASSERT_EQ(told.size(), 5u);
  for (size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].kind, uint32_t(TZ_RECORD_KERNEL));
    EXPECT_EQ(told[i].correlation, 41 + i);
    EXPECT_EQ(told[i].t0_ns, 5000 + 200 * i);
    EXPECT_EQ(told[i].t1_ns, 5100 + 200 * i);
    EXPECT_EQ(told[i].stream, 7u);
  }
  EXPECT_GE(fake.calls["cuCtxSynchronize"], 1) << "what runs is waited for";
  EXPECT_THAT(cupti.pushed[3], IsEmpty());
}

TEST_F(CuptiRecords, ALaunchCostsItsRecordAlone) {
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  EXPECT_EQ(cupti.kinds, (std::set<uint32_t>{1, 2, 10}));
  launch(41);
  EXPECT_EQ(cupti.calls["cuptiActivityPushExternalCorrelationId"], 0);
}

class CuptiRecordsBesideASubscriber : public CuptiRecords {
protected:
  void SetUp() override {
    CuptiRecords::SetUp();
    cupti.failFunction = "cuptiSubscribe";
    cupti.failResult = 39;
  }
};

TEST_F(CuptiRecordsBesideASubscriber, NumbersArePushed) {
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  EXPECT_EQ(cupti.kinds, (std::set<uint32_t>{1, 2, 4, 5, 10, 39}));
  ASSERT_EQ(Told(records.push_external(profiler, 9)).code, TZ_E_OK);
  launch(41);
  cupti.launched("ampere_gemm");
  cupti.copied(4096);
  uint64_t number = 0;
  ASSERT_EQ(Told(records.pop_external(profiler, &number)).code, TZ_E_OK);
  flush();
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(told[0].correlation, 41u);
  EXPECT_EQ(told[1].correlation, 0u);
  EXPECT_EQ(told[1].external, 9u);
  EXPECT_EQ(told[2].external, 9u);
  EXPECT_THAT(cupti.pushed[3], IsEmpty());
  // Where the other one ends, launches tell their numbers again.
  cupti.failFunction.clear();
  ASSERT_EQ(Told(records.enable(profiler, 0)).code, TZ_E_OK);
  ASSERT_EQ(Told(records.enable(profiler, 2)).code, TZ_E_OK);
  EXPECT_EQ(cupti.kinds, (std::set<uint32_t>{10}));
}

TEST_F(CuptiRecordsBesideASubscriber, NumbersThatComeLateAreFound) {
  cupti.isLate = true;
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  launch(41);
  flush();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].correlation, 41u);
}

TEST_F(CuptiRecords, OtherLibrariesAreUnderTheirScopes) {
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  ASSERT_EQ(Told(records.push_external(profiler, 9)).code, TZ_E_OK);
  cupti.launched("ampere_gemm");
  cupti.copied(4096);
  uint64_t number = 0;
  ASSERT_EQ(Told(records.pop_external(profiler, &number)).code, TZ_E_OK);
  EXPECT_EQ(number, 9u);
  cupti.launched("outside");
  flush();
  ASSERT_EQ(told.size(), 3u);
  EXPECT_EQ(names[0], "ampere_gemm");
  EXPECT_EQ(told[0].external, 9u);
  EXPECT_EQ(told[0].correlation, 0u);
  EXPECT_EQ(told[1].kind, uint32_t(TZ_RECORD_COPY));
  EXPECT_EQ(told[1].a, 4096u);
  EXPECT_EQ(told[1].external, 9u);
  EXPECT_EQ(told[2].external, 0u);
}

TEST_F(CuptiRecords, KernelsOfAGraphSayWhereTheyWereRecorded) {
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  ASSERT_EQ(Told(records.push_external(profiler, 9)).code, TZ_E_OK);
  cupti.nodeMade(100);
  uint64_t number = 0;
  ASSERT_EQ(Told(records.pop_external(profiler, &number)).code, TZ_E_OK);
  cupti.nodeMade(101); // outside of scopes
  cupti.nodeCopied(200, 100);
  cupti.nodeCopied(201, 101);
  cupti.nodeCopied(202, 77); // recorded before the profile
  ASSERT_EQ(Told(records.push_external(profiler, 12)).code, TZ_E_OK);
  for (uint64_t node : {200, 201, 202, 0}) {
    cupti.replayedNode = node;
    cupti.launched("kernel");
  }
  ASSERT_EQ(Told(records.pop_external(profiler, &number)).code, TZ_E_OK);
  flush();
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[0].external, 12u);
  EXPECT_EQ(told[0].a, 9u);
  EXPECT_EQ(told[0].b, 1u);
  EXPECT_EQ(told[1].a, 0u);
  EXPECT_EQ(told[1].b, 1u);
  EXPECT_EQ(told[2].b, 0u);
  EXPECT_EQ(told[3].b, 0u);
  close();
  cupti.nodeMade(102); // nobody is told
}

TEST_F(CuptiRecords, GraphsOfAnotherSubscriberHaveKernelsAllTheSame) {
  cupti.failFunction = "cuptiSubscribe";
  cupti.failResult = 39;
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  cupti.nodeMade(100);
  cupti.replayedNode = 100;
  cupti.launched("kernel");
  flush();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].b, 0u);
}

TEST_F(CuptiRecords, TheHostIsAskedOfEachLaunchOfOthers) {
  struct Host {
    uint64_t answer = 0, asked = 0;
  } host;
  tz_profiler_watcher watcher{};
  watcher.struct_size = sizeof(watcher);
  watcher.ctx = &host;
  watcher.launching = [](void *ctx) {
    ++static_cast<Host *>(ctx)->asked;
    return static_cast<Host *>(ctx)->answer;
  };
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  ASSERT_EQ(Told(records.watch(profiler, &watcher)).code, TZ_E_OK);
  ASSERT_EQ(Told(records.push_external(profiler, 9)).code, TZ_E_OK);
  host.answer = 77;
  cupti.launched("of another thread");
  host.answer = 0;
  cupti.launched("in the scope that was pushed");
  launch(41); // which the host knows
  host.answer = 78;
  cupti.recordedNode = 100;
  cupti.launched("is recorded");
  cupti.recordedNode = 0;
  uint64_t number = 0;
  ASSERT_EQ(Told(records.pop_external(profiler, &number)).code, TZ_E_OK);
  host.answer = 0;
  cupti.replayedNode = 100;
  cupti.launched("is replayed");
  flush();
  EXPECT_EQ(host.asked, 4u);
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[0].external, 77u);
  EXPECT_EQ(told[1].external, 9u);
  EXPECT_EQ(told[2].correlation, 41u);
  EXPECT_EQ(told[3].external, 0u);
  EXPECT_EQ(told[3].a, 78u) << "where it was recorded";
  ASSERT_EQ(Told(records.enable(profiler, 0)).code, TZ_E_OK);
  cupti.launched("in a pause");
  EXPECT_EQ(host.asked, 4u);
}

TEST_F(CuptiRecords, RangesOfTheProgramAreTold) {
  std::vector<std::string> heard;
  tz_profiler_watcher watcher{};
  watcher.struct_size = sizeof(watcher);
  watcher.ctx = &heard;
  watcher.range_begins = [](void *ctx, tz_str name) {
    static_cast<std::vector<std::string> *>(ctx)->emplace_back(
        tz::plugin::view(name));
  };
  watcher.range_ends = [](void *ctx) {
    static_cast<std::vector<std::string> *>(ctx)->emplace_back("end");
  };
  unsetenv("NVTX_INJECTION64_PATH");
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  ASSERT_EQ(Told(records.watch(profiler, &watcher)).code, TZ_E_OK);
  EXPECT_STREQ(getenv("NVTX_INJECTION64_PATH"), TZ_FAKE_CUPTI);
  cupti.rangePushed("outer");
  cupti.rangePushedWith("inner");
  cupti.rangePushedWith(nullptr);
  for (int i = 0; i < 3; ++i) {
    cupti.rangePopped();
  }
  EXPECT_THAT(heard, testing::ElementsAre("outer", "inner", "unnamed range",
                                          "end", "end", "end"));
  cupti.launched("nobody asks of it");
  unsetenv("NVTX_INJECTION64_PATH");
}

TEST_F(CuptiRecords, NothingIsRecordedBetweenProfiles) {
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  ASSERT_EQ(Told(records.enable(profiler, 0)).code, TZ_E_OK);
  EXPECT_THAT(cupti.kinds, IsEmpty());
  launch(41);
  EXPECT_EQ(cupti.calls["cuptiActivityPushExternalCorrelationId"], 0);
  ASSERT_EQ(Told(records.enable(profiler, 2)).code, TZ_E_OK);
  EXPECT_EQ(cupti.kinds, (std::set<uint32_t>{10}));
  launch(42);
  flush();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].correlation, 42u);
  close();
  launch(43); // tells nobody
  EXPECT_EQ(told.size(), 1u);
}

TEST_F(CuptiRecords, AreTakenBackFromAnotherProfiler) {
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  ASSERT_EQ(Told(records.enable(profiler, 0)).code, TZ_E_OK);
  cupti.registerOther();
  ASSERT_EQ(Told(records.enable(profiler, 2)).code, TZ_E_OK);
  launch(41);
  flush();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].correlation, 41u);
}

TEST_F(CuptiRecords, WhatIsDroppedIsCounted) {
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  launch(41);
  cupti.dropped = 5; // in CUPTI
  hasBuffers = false;
  flush();
  EXPECT_THAT(told, IsEmpty());
  hasBuffers = true;
  flush();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].kind, uint32_t(TZ_RECORD_DROPPED));
  EXPECT_EQ(told[0].a, 6u);
}

TEST_F(CuptiRecords, ClocksAreCompared) {
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  uint64_t deviceNs = 0, hostNs = 0;
  ASSERT_EQ(Told(records.clock_pair(device, &deviceNs, &hostNs)).code, TZ_E_OK);
  EXPECT_EQ(deviceNs, 5000u);
  EXPECT_GT(hostNs, 0u);
}

TEST_F(CuptiRecords, WithoutCuptiItSaysWhatIsMissing) {
  setenv("TERRAZZO_NVIDIA_CUPTI", "/nowhere/libcupti.so.12", 1);
  Told refused = begin(&profiler);
  EXPECT_EQ(refused.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(refused.text, "no CUPTI: /nowhere/libcupti.so.12 not found");
  setenv("TERRAZZO_NVIDIA_CUPTI", TZ_FAKE_DRIVER, 1); // another library
  refused = begin(&profiler);
  EXPECT_THAT(refused.text, HasSubstr("has no function cuptiGetVersion"));
}

TEST_F(CuptiRecords, AnOldCuptiIsRefused) {
  cupti.version = 12;
  const Told refused = begin(&profiler);
  EXPECT_EQ(refused.code, TZ_E_UNAVAILABLE);
  EXPECT_THAT(refused.text, HasSubstr("CUPTI is too old: "));
  EXPECT_THAT(refused.text, HasSubstr("has version 12, records need 13"));
}

TEST_F(CuptiRecords, WithoutPermissionItSaysWhoGivesIt) {
  cupti.failFunction = "cuptiActivityEnable";
  cupti.failResult = 35;
  Told refused = begin(&profiler);
  EXPECT_EQ(refused.code, TZ_E_UNAVAILABLE);
  EXPECT_THAT(refused.text,
              HasSubstr("cannot start records of the device: "
                        "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES; the machine's "
                        "administrator allows it"));
  // Nothing is left: the next one may begin.
  cupti.failFunction.clear();
  EXPECT_EQ(begin(&profiler).code, TZ_E_OK);
}

TEST_F(CuptiRecords, AnotherProfilerHasThem) {
  cupti.failFunction = "cuptiActivityRegisterCallbacks";
  cupti.failResult = 39;
  Told refused = begin(&profiler);
  EXPECT_THAT(refused.text, HasSubstr("another profiler in this process"));
  cupti.failFunction.clear();
  ASSERT_EQ(begin(&profiler).code, TZ_E_OK);
  tz_profiler *second = nullptr;
  refused = begin(&second);
  EXPECT_EQ(refused.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(refused.text, HasSubstr("another session of this process"));
}

} // namespace
