//===- ArchitectureTest.cpp - which code runs on which device -------------===//
//
// What   The table of binary compatibility, and the texts around it.
// Why    Code for another machine is refused before the driver sees it.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/Architecture.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tz::nvidia;
using testing::HasSubstr;

namespace {

TEST(Architecture, ParsesItsOwnNamesOnly) {
  auto a = Architecture::parse("sm_90a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->major * 100 + a->minor * 10, 900);
  EXPECT_EQ(a->variant, 'a');
  EXPECT_FALSE(a->portable);
  a = Architecture::parse("compute_121");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->major, 12);
  EXPECT_EQ(a->minor, 1);
  EXPECT_TRUE(a->portable);
  for (const char *text : {"", "sm_", "sm_9", "sm_90b", "sm_9000", "sm_a", "90",
                           "sm_90 ", "gfx942", "sm_-9"}) {
    EXPECT_FALSE(Architecture::parse(text)) << text;
  }
}

TEST(Architecture, TargetsOfDevices) {
  EXPECT_EQ(targetOf(8, 0), "nvidia:sm_80");
  EXPECT_EQ(targetOf(8, 9), "nvidia:sm_89");
  EXPECT_EQ(targetOf(9, 0), "nvidia:sm_90a");
  EXPECT_EQ(targetOf(12, 0), "nvidia:sm_120a");
}

TEST(Architecture, KnowsWhatRuns) {
  struct {
    const char *compat;
    int major, minor;
    bool runs;
  } rows[] = {
      {"sm_80", 8, 0, true},
      {"sm_80", 8, 9, true},
      {"sm_89", 8, 0, false},
      {"sm_80", 9, 0, false},
      {"sm_90a", 9, 0, true},
      {"sm_90a", 10, 0, false},
      {"sm_100a", 10, 3, false},
      {"sm_100f", 10, 3, true},
      {"compute_80", 9, 0, true},
      {"compute_80", 8, 0, true},
      {"compute_90", 8, 9, false},
      {"compute_90a", 9, 0, true},
      {"compute_90a", 12, 0, false},
      {"sm_80;sm_90a", 9, 0, true},
      {"sm_89;compute_80", 12, 0, true},
  };
  for (const auto &row : rows) {
    EXPECT_EQ(whyIncompatible(row.compat, row.major, row.minor).empty(),
              row.runs)
        << row.compat << " on " << row.major << "." << row.minor;
  }
  EXPECT_EQ(whyIncompatible("sm_100a;sm_80", 9, 0),
            "the artifact is for sm_100a;sm_80, the device is sm_90a; compile "
            "it for this device");
  EXPECT_THAT(whyIncompatible("x86_64;avx2", 9, 0),
              HasSubstr("'x86_64', which is no architecture"));
  EXPECT_THAT(whyIncompatible("", 9, 0), HasSubstr("does not say"));
}

TEST(Architecture, KnowsWhichTargetsADeviceRuns) {
  EXPECT_EQ(whyNotRun("nvidia:sm_90a", 9, 0), "");
  EXPECT_EQ(whyNotRun("nvidia:sm_80", 8, 9), "");
  EXPECT_EQ(whyNotRun("nvidia:sm_80", 9, 0), "the device is sm_90a");
  for (const char *none : {"nvidia:sm_", "nvidia:compute_80", "sm_90a", ""}) {
    EXPECT_EQ(whyNotRun(none, 9, 0), std::nullopt) << none;
  }
}

} // namespace
