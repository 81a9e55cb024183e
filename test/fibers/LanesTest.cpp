//===- LanesTest.cpp - what the lanes of a warp do together ---------------===//
//
// What   Reductions over groups of lanes, values that are called uniform, and
//        regions: what the fibers do and what they refuse.
// Why    A wrong fact about lanes must not pass on fibers, or no test of the
//        library would see it.
//===----------------------------------------------------------------------===//
#include "test/fibers/Fibers.h"

#include <bit>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tz::fibers;
using testing::HasSubstr;

namespace {

template <typename Result, typename... Arguments>
Result call(const char *name, Arguments... arguments) {
  for (const Symbol &function : functions()) {
    if (std::strcmp(function.name, name) == 0) {
      return reinterpret_cast<Result (*)(Arguments...)>(function.address)(
          arguments...);
    }
  }
  ADD_FAILURE() << "there is no " << name;
  return Result();
}

uint32_t thread() { return call<uint32_t>("fibers_thread"); }

std::string runOn(Entry entry, unsigned lanes = 64) {
  Launch launch;
  launch.entry = entry;
  launch.threads = 2 * lanes;
  launch.lanes = lanes;
  return run(launch);
}

// Numbers of simt::LaneReduction.
enum : uint32_t { Add, MaxS, MinS, AddF = 8, MaxF, MinF, MaxFNan };

uint64_t Results[128];

TEST(Lanes, ReduceWithinTheirGroup) {
  // Groups of lanes that differ in bits 0 and 5: 4 of 64.
  EXPECT_EQ(runOn([](const void *) {
              Results[thread()] =
                  call<uint64_t>("fibers_reduce_lanes", uint64_t{thread()},
                                 uint32_t{Add}, uint32_t{32}, uint32_t{33});
            }),
            "");
  for (unsigned i = 0; i < 128; ++i) {
    const unsigned first = i & ~33u;
    EXPECT_EQ(Results[i], 4 * first + 1 + 32 + 33) << i;
  }
}

TEST(Lanes, ReduceFloatsToOneValue) {
  EXPECT_EQ(runOn([](const void *) {
              const float mine = 1.0f / float(thread() % 64 + 1);
              Results[thread()] =
                  call<uint64_t>("fibers_reduce_lanes",
                                 uint64_t{std::bit_cast<uint32_t>(mine)},
                                 uint32_t{AddF}, uint32_t{32}, uint32_t{63});
            }),
            "");
  for (uint64_t one : Results) {
    EXPECT_EQ(one, Results[0]);
  }
  EXPECT_NEAR(std::bit_cast<float>(uint32_t(Results[0])), 4.74389, 1e-4);
}

TEST(Lanes, TellNumbersFromNaNs) {
  const auto most = [](uint32_t kind) {
    static uint32_t asked;
    asked = kind;
    EXPECT_EQ(runOn([](const void *) {
                const float mine = thread() % 2
                                       ? float(thread())
                                       : std::bit_cast<float>(0x7fc00000u);
                Results[thread()] =
                    call<uint64_t>("fibers_reduce_lanes",
                                   uint64_t{std::bit_cast<uint32_t>(mine)},
                                   asked, uint32_t{32}, uint32_t{63});
              }),
              "");
    return std::bit_cast<float>(uint32_t(Results[0]));
  };
  EXPECT_EQ(most(MaxF), 63.0f);
  EXPECT_EQ(most(MinF), 1.0f);
  EXPECT_NE(most(MaxFNan), most(MaxFNan)); // NaN
}

TEST(Lanes, HoldOneUniformValue) {
  EXPECT_EQ(runOn([](const void *) {
              Results[thread()] =
                  call<uint32_t>("fibers_uniform", thread() / 64);
            }),
            "");
  EXPECT_EQ(Results[127], 1u);
  EXPECT_THAT(runOn([](const void *) {
                call<uint32_t>("fibers_uniform", thread() / 32);
              }),
              HasSubstr("a value that was called uniform is 0 in lane 0 and 1 "
                        "in lane 32"));
}

TEST(Lanes, LoadAtOneUniformAddress) {
  static char memory[64];
  EXPECT_EQ(runOn([](const void *) {
              call<void>("fibers_same_address",
                         static_cast<const void *>(memory), uint32_t{1});
            }),
            "");
  const char *said = "a load that was called uniform has another address in "
                     "lane 3 than in lane 0";
  EXPECT_THAT(runOn([](const void *) {
                call<void>("fibers_same_address",
                           static_cast<const void *>(
                               memory + (thread() % 64 == 3 ? 4 : 0)),
                           uint32_t{1});
              }),
              HasSubstr(said));
  // Who does not load has no address.
  EXPECT_THAT(runOn([](const void *) {
                call<void>("fibers_same_address",
                           static_cast<const void *>(memory),
                           uint32_t{thread() % 64 != 3});
              }),
              HasSubstr(said));
}

TEST(Regions, AreNested) {
  EXPECT_EQ(runOn([](const void *) {
              call<void>("fibers_begin_region", "pipeline");
              call<void>("fibers_begin_region", "products");
              call<void>("fibers_end_region", "products");
              call<void>("fibers_end_region", "pipeline");
            }),
            "");
  EXPECT_THAT(runOn([](const void *) {
                call<void>("fibers_begin_region", "pipeline");
                call<void>("fibers_begin_region", "products");
                call<void>("fibers_end_region", "pipeline");
              }),
              HasSubstr("a region 'pipeline' ends that is not the last begun"));
  EXPECT_THAT(runOn([](const void *) {
                call<void>("fibers_begin_region", "pipeline");
              }),
              HasSubstr("a thread ended in a region 'pipeline'"));
}

} // namespace
