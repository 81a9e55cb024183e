//===- LevelsTest.cpp - Levels of x86-64, and a machine with a cap --------===//
//
// What   Names of levels to features and back; what TERRAZZO_CPU_CAP leaves of
//        a machine; which target runs on which.
// Why    A cap stands for a machine that is not here: it must take all away
//        that such a machine lacks, and add nothing.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/machine/Levels.h"

#include "plugins/cpu/device/CpuInfo.h"

#include <algorithm>
#include <gmock/gmock.h>

using namespace tz::cpu;
using testing::HasSubstr;
using testing::IsSupersetOf;

namespace {

/// A machine with the features of a level, and some that no level has.
CpuMachine machineOf(const char *name) {
  CpuMachine machine;
  machine.brand = "Test CPU";
  machine.features = parseLevel(name)->features;
  for (const char *other : {"sse", "sse2", "cmov", "aes", "gfni"}) {
    machine.features.emplace_back(other);
  }
  std::sort(machine.features.begin(), machine.features.end());
  return machine;
}

constexpr const char *Whole = "x86-64-v4+avx512bf16+avx512vnni+avx512fp16+"
                              "avxvnni+amxbf16+amxint8";
constexpr const char *Names[] = {
    "x86-64-v2",
    "x86-64-v3",
    "x86-64-v3+avxvnni",
    "x86-64-v4",
    "x86-64-v4+avx512vnni",
    "x86-64-v4+avx512bf16+avx512vnni",
    "x86-64-v4+avx512bf16+amxbf16",
    "x86-64-v4+amxint8",
    Whole,
};

TEST(Levels, NamesReadBack) {
  for (const char *name : Names) {
    std::optional<Level> level = parseLevel(name);
    ASSERT_TRUE(level) << name;
    EXPECT_EQ(level->name, name);
    EXPECT_EQ(capped(machineOf(name), nullptr).level, name);
  }
  EXPECT_EQ(parseLevel("avx2")->name, "x86-64-v3");
  EXPECT_EQ(parseLevel("avx512")->name, "x86-64-v4");
  EXPECT_EQ(parseLevel("avx512bf16")->name, "x86-64-v4+avx512bf16");
  EXPECT_EQ(parseLevel("x86-64-v4+avx512vnni+avx512bf16")->name,
            "x86-64-v4+avx512bf16+avx512vnni")
      << "one name for one target";
}

TEST(Levels, OtherTextsAreNone) {
  for (const char *name :
       {"", "x86-64", "x86-64-v1", "x86-64-v5", "x86-64-v33", "x86-64-v3 ",
        "x86-64-v3+", "x86-64-v3+avx512bf16", "x86-64-v2+avxvnni",
        "x86-64-v4+amx-tile", "x86-64-v3+amxbf16", "X86-64-v3", "+avxvnni",
        "cpu:x86-64-v3"}) {
    EXPECT_FALSE(parseLevel(name)) << name;
  }
}

TEST(Cap, TakesAwayAndNeverAdds) {
  for (const char *has : Names) {
    const CpuMachine whole = capped(machineOf(has), nullptr);
    for (const char *cap : Names) {
      const CpuMachine less = capped(machineOf(has), cap);
      EXPECT_EQ(less.problem, "");
      EXPECT_EQ(less.cap, cap);
      EXPECT_THAT(whole.features, IsSupersetOf(less.features));
      EXPECT_TRUE(less.has("sse2")) << "of x86-64 itself";
      EXPECT_FALSE(less.has("gfni")) << "of no level";
      // The cap's level or the machine's, whichever is the lesser.
      EXPECT_EQ(whyNotRun(less, "cpu:" + less.level), "");
      EXPECT_EQ(whyNotRun(machineOf(cap), "cpu:" + less.level), "");
      EXPECT_EQ(whyNotRun(whole, "cpu:" + less.level), "");
    }
  }
  EXPECT_EQ(capped(machineOf("avx512bf16"), "avx2").level, "x86-64-v3");
  EXPECT_EQ(capped(machineOf("avx2"), "avx512bf16").level, "x86-64-v3");
}

TEST(Levels, TilesAreTwoFeaturesOfTheMachine) {
  EXPECT_THAT(parseLevel("x86-64-v4+amxint8+amxbf16")->features,
              testing::IsSupersetOf({"amx-tile", "amx-bf16", "amx-int8"}));
  // The instructions alone, without the registers.
  CpuMachine machine = machineOf("avx512");
  machine.features.emplace_back("amx-bf16");
  std::sort(machine.features.begin(), machine.features.end());
  EXPECT_EQ(capped(machine, nullptr).level, "x86-64-v4");
  EXPECT_EQ(whyNotRun(machine, "cpu:x86-64-v4+amxbf16"),
            "it needs 'amx-tile', which Test CPU does not have");
}

TEST(Cap, AnEmptyOneIsNone) {
  const CpuMachine whole = machineOf("avx512");
  EXPECT_EQ(capped(whole, "").features, whole.features);
  EXPECT_EQ(capped(whole, "").cap, "");
}

TEST(Cap, AnUnknownOneIsAProblem) {
  const CpuMachine machine = capped(machineOf("avx512"), "avx9000");
  EXPECT_THAT(machine.problem, HasSubstr("TERRAZZO_CPU_CAP is 'avx9000'"));
  EXPECT_THAT(machine.problem, HasSubstr("x86-64-v2, x86-64-v3, x86-64-v4"));
}

TEST(Cap, TellsWhyCodeDoesNotRun) {
  const CpuMachine old = machineOf("avx2");
  EXPECT_EQ(whyNotRun(old, "cpu:x86-64-v2"), "");
  EXPECT_EQ(whyNotRun(old, "cpu:x86-64-v4"),
            "it needs 'avx512f', which Test CPU does not have");
  EXPECT_EQ(whyNotRun(old, "cpu:x86-64-v9"), std::nullopt);
  EXPECT_EQ(whyNotRun(old, "x86-64-v3"), std::nullopt);
  const CpuMachine less = capped(machineOf("avx512"), "avx2");
  EXPECT_EQ(whyNotRun(less, "cpu:x86-64-v4"),
            "it needs 'avx512f', which TERRAZZO_CPU_CAP=x86-64-v3 leaves out");
  EXPECT_EQ(whyIncompatible(less, "x86_64;avx2,avx512f"),
            "the artifact needs 'avx512f', which TERRAZZO_CPU_CAP=x86-64-v3 "
            "leaves out");
}

} // namespace
