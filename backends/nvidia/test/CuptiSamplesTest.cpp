//===- CuptiSamplesTest.cpp - samples of instructions over a fake CUPTI ---===//
//
// What   The table x.terrazzo.sampler/0: periods, reasons, lines, what comes in
//        several pieces, contexts that come and go; each reason for refusing. And
//        our declarations against the toolkit's header, where there is one.
// Why    A machine without a GPU must hold what a wrong layout would break.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CuptiSamples.h"

#include "backends/nvidia/test/DeviceFixture.h"
#include "backends/nvidia/test/FakeCuptiControl.h"

#if __has_include(<cupti_pcsampling.h>) && __has_include(<cuda.h>)
#define TZ_HAVE_CUPTI_HEADER
#include <cuda.h>
#include <cupti_pcsampling.h>
#endif

using namespace tz::nvidia;
using namespace tz::nvidia::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class CuptiSamples : public DeviceFixture {
protected:
  const tz_sampler_api &samples = samplerApi();
  FakeCupti &cupti = fakeCuptiControl();
  tz_sampler *sampler = nullptr;
  std::vector<std::string> told; // "kernel+offset reason count file:line"
  uint64_t lost = 0;

  void SetUp() override {
    DeviceFixture::SetUp();
    cupti.reset();
    setenv("TERRAZZO_NVIDIA_CUPTI", TZ_FAKE_CUPTI, 1);
  }
  void TearDown() override {
    close();
    unsetenv("TERRAZZO_NVIDIA_CUPTI");
    DeviceFixture::TearDown();
  }
  void close() {
    if (sampler) {
      samples.destroy(std::exchange(sampler, nullptr));
    }
  }
  Told begin(uint64_t period = 0, uint64_t *taken = nullptr) {
    const Told done = samples.create(platform, &period, &sampler);
    if (taken) {
      *taken = period;
    }
    return done.code == TZ_E_OK ? Told(samples.enable(sampler, 1)) : done;
  }
  Told read() {
    told.clear();
    return samples.read(
        sampler, this,
        [](void *ctx, const tz_sample *sample) {
          using tz::plugin::view;
          std::string text(view(sample->kernel));
          text += "+" + std::to_string(sample->offset) + " " +
                  std::string(view(sample->reason)) + " " +
                  std::to_string(sample->count);
          if (sample->line) {
            text += " " + std::string(view(sample->file)) + ":" +
                    std::to_string(sample->line);
          }
          static_cast<CuptiSamples *>(ctx)->told.push_back(std::move(text));
        },
        &lost);
  }
};

TEST_F(CuptiSamples, HaveReasonsAndLines) {
  const std::string image = "\177ELF with a .debug_line, 40 bytes long ...";
  keepLines(image);
  keepLines("\177ELF without one");
  ASSERT_EQ(begin().code, TZ_E_OK);
  EXPECT_TRUE(cupti.isSampling);
  cupti.found = {{image.size(), 0, "kernel", {5, 20, 12}},
                 {image.size(), 32, "kernel", {0, 3, 3}},
                 {99, 16, "others", {1, 0, 0}}};
  ASSERT_EQ(read().code, TZ_E_OK);
  EXPECT_THAT(told, ElementsAre("kernel+0  5 /src/k.py:10",
                                "kernel+0 long_scoreboard 20 /src/k.py:10",
                                "kernel+32 long_scoreboard 3 /src/k.py:12",
                                "others+16  1"));
  EXPECT_TRUE(cupti.isSampling) << "it goes on";
  EXPECT_EQ(cupti.calls["cuptiPCSamplingStop"], 1);
  ASSERT_EQ(read().code, TZ_E_OK);
  EXPECT_THAT(told, IsEmpty()) << "once";
}

TEST_F(CuptiSamples, OfABarrierAreAtTheBarrierNotBehindIt) {
  const std::string image = "\177ELF with a .debug_line, 40 bytes long ...";
  keepLines(image);
  ASSERT_EQ(begin().code, TZ_E_OK);
  cupti.found = {{image.size(), 32, "kernel", {0, 3, 0, 9}},
                 {image.size(), 0, "kernel", {0, 0, 0, 2}}};
  ASSERT_EQ(read().code, TZ_E_OK);
  EXPECT_THAT(told, ElementsAre("kernel+0 barrier 2 /src/k.py:10",
                                "kernel+16 barrier 9 /src/k.py:11",
                                "kernel+32 long_scoreboard 3 /src/k.py:12"));
}

TEST_F(CuptiSamples, ArePeriodicAndContinuous) {
  uint64_t taken = 0;
  ASSERT_EQ(begin(5000, &taken).code, TZ_E_OK);
  EXPECT_EQ(taken, 4096u);
  EXPECT_EQ(uint32_t(cupti.settings[1]), 12u);
  EXPECT_EQ(uint32_t(cupti.settings[5]), 1u) << "kernels are not serialised";
  EXPECT_EQ(cupti.settings[2], 4u) << "all reasons";
  close();
  EXPECT_FALSE(cupti.isSamplerThere);
  ASSERT_EQ(begin(1, &taken).code, TZ_E_OK);
  EXPECT_EQ(taken, 32u);
  close();
  ASSERT_EQ(begin(UINT64_MAX, &taken).code, TZ_E_OK);
  EXPECT_EQ(taken, uint64_t(1) << 31);
}

TEST_F(CuptiSamples, AreTakenWhereAnotherLibraryHasAContext) {
  ASSERT_EQ(begin().code, TZ_E_OK);
  EXPECT_EQ(cupti.calls["cuptiPCSamplingStart"], 1);
  EXPECT_FALSE(other()->hasContext()) << "nobody uses it";
  close();
  driver::Context theirs = nullptr;
  ASSERT_EQ(other()->driver.primaryContextRetain(&theirs, other()->number),
            driver::Success);
  ASSERT_EQ(begin().code, TZ_E_OK);
  EXPECT_EQ(cupti.calls["cuptiPCSamplingStart"], 3);
  close();
  (void)other()->driver.primaryContextRelease(other()->number);
}

TEST_F(CuptiSamples, BeginBeforeAnyDeviceIsUsed) {
  api.stream_destroy(stream);
  api.destroy(platform);
  ASSERT_EQ(open().code, TZ_E_OK);
  tz_device *const *list = nullptr;
  size_t n = 0;
  ASSERT_EQ(Told(calls.devices(platform, &list, &n)).code, TZ_E_OK);
  ASSERT_FALSE(list[0]->hasContext());
  ASSERT_EQ(begin().code, TZ_E_OK);
  EXPECT_TRUE(list[0]->hasContext());
  EXPECT_FALSE(list[1]->hasContext()) << "each context takes memory";
  EXPECT_TRUE(cupti.isSampling);
  close();
  ASSERT_EQ(Told(calls.createStream(list[0], 0, &stream)).code, TZ_E_OK);
}

TEST_F(CuptiSamples, StopInAPauseAndAreKept) {
  ASSERT_EQ(begin().code, TZ_E_OK);
  cupti.found = {{1, 0, "kernel", {7, 0, 0}}};
  ASSERT_EQ(Told(samples.enable(sampler, 0)).code, TZ_E_OK);
  EXPECT_FALSE(cupti.isSampling);
  ASSERT_EQ(read().code, TZ_E_OK);
  EXPECT_THAT(told, ElementsAre("kernel+0  7"));
  EXPECT_FALSE(cupti.isSampling);
}

TEST_F(CuptiSamples, WhatIsDroppedIsCounted) {
  ASSERT_EQ(begin().code, TZ_E_OK);
  cupti.found = {{1, 0, "kernel", {7, 0, 0}}};
  cupti.droppedSamples = 31;
  ASSERT_EQ(read().code, TZ_E_OK);
  EXPECT_EQ(lost, 31u);
  cupti.found = {{1, 0, "kernel", {2, 0, 0}}};
  cupti.isHardwareFull = true;
  const Told full = read();
  EXPECT_EQ(full.code, TZ_E_UNAVAILABLE);
  EXPECT_THAT(full.text, HasSubstr("buffer of samples was full"));
  EXPECT_THAT(told, ElementsAre("kernel+0  2")) << "what there is, is told";
}

TEST_F(CuptiSamples, AreRefusedWithAReason) {
  cupti.failFunction = "cuptiPCSamplingEnable";
  cupti.failResult = 35;
  Told refused = begin();
  EXPECT_EQ(refused.code, TZ_E_UNAVAILABLE);
  EXPECT_THAT(refused.text,
              HasSubstr("cannot sample instructions: "
                        "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES; the machine's "
                        "administrator allows it"));
  cupti.failFunction = "cuptiPCSamplingSetConfigurationAttribute";
  cupti.failResult = 999;
  EXPECT_THAT(begin().text, HasSubstr("configure samples of instructions"));
  EXPECT_FALSE(cupti.isSamplerThere) << "nothing is left";
  cupti.failFunction.clear();
  ASSERT_EQ(begin().code, TZ_E_OK);
  uint64_t period = 0;
  tz_sampler *second = nullptr;
  refused = Told(samples.create(platform, &period, &second));
  EXPECT_EQ(refused.code, TZ_E_FAILED_PRECONDITION);
  close();
  setenv("TERRAZZO_NVIDIA_CUPTI", "/nowhere/libcupti.so.12", 1);
  EXPECT_EQ(begin().text, "no CUPTI: /nowhere/libcupti.so.12 not found");
  setenv("TERRAZZO_NVIDIA_CUPTI", TZ_FAKE_DRIVER, 1); // another library
  EXPECT_THAT(begin().text, HasSubstr("CUPTI is too old for samples"));
}

#ifdef TZ_HAVE_CUPTI_HEADER

TEST(CuptiSamplingTypes, AreThoseOfTheHeader) {
  namespace ours = tz::nvidia::cupti;
#define SAME_SIZE(mine, theirs) EXPECT_EQ(sizeof(ours::mine), sizeof(theirs))
#define SAME_PLACE(mine, field, theirs, theirField)                            \
  EXPECT_EQ(offsetof(ours::mine, field), offsetof(theirs, theirField))
  SAME_SIZE(StallCount, CUpti_PCSamplingStallReason);
  SAME_SIZE(SampledPlace, CUpti_PCSamplingPCData);
  SAME_PLACE(SampledPlace, function, CUpti_PCSamplingPCData, functionName);
  SAME_PLACE(SampledPlace, counts, CUpti_PCSamplingPCData, stallReason);
  SAME_SIZE(SamplingData, CUpti_PCSamplingData);
  SAME_PLACE(SamplingData, remaining, CUpti_PCSamplingData, remainingNumPcs);
  SAME_PLACE(SamplingData, first, CUpti_PCSamplingData, pPcData);
  SAME_PLACE(SamplingData, isHardwareFull, CUpti_PCSamplingData,
             hardwareBufferFull);
  SAME_SIZE(SamplingSetting, CUpti_PCSamplingConfigurationInfo);
  SAME_SIZE(SamplingCall, CUpti_PCSamplingEnableParams);
  SAME_SIZE(SamplingSettings, CUpti_PCSamplingConfigurationInfoParams);
  SAME_SIZE(SamplingRead, CUpti_PCSamplingGetDataParams);
  SAME_SIZE(ReasonCount, CUpti_PCSamplingGetNumStallReasonsParams);
  SAME_SIZE(ReasonNames, CUpti_PCSamplingGetStallReasonsParams);
  SAME_SIZE(CubinCrc, CUpti_GetCubinCrcParams);
  SAME_SIZE(SourcePlace, CUpti_GetSassToSourceCorrelationParams);
  SAME_PLACE(SourcePlace, line, CUpti_GetSassToSourceCorrelationParams,
             lineNumber);
  SAME_PLACE(SourcePlace, offset, CUpti_GetSassToSourceCorrelationParams,
             pcOffset);
  SAME_PLACE(SourcePlace, file, CUpti_GetSassToSourceCorrelationParams,
             fileName);
}

#endif

} // namespace
