//===- LaunchCostTest.cpp - Alone or shared -------------------------------===//
//
// What   The choice of threads for kernels whose times are given.
// Why    It must not depend on what was chosen first, nor on the machine.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/LaunchCost.h"

#include "gtest/gtest.h"

using tz::cpu::LaunchCost;
using tz::cpu::WakingCost;

namespace {

/// A kernel on a machine: what a program takes, in ns.
struct Machine {
  uint64_t alone, beside;
  int64_t programs;
  LaunchCost cost;

  bool launch() {
    const bool isAlone = cost.runsAlone(programs);
    cost.note(isAlone, (isAlone ? alone : beside) * uint64_t(programs),
              programs);
    return isAlone;
  }
  /// Of so many launches, how many ran alone.
  int countAlone(int launches) {
    int count = 0;
    for (int i = 0; i < launches; ++i) {
      count += launch();
    }
    return count;
  }
};

TEST(LaunchCost, AFirstLaunchIsShared) {
  LaunchCost cost;
  EXPECT_FALSE(cost.runsAlone(2));
  EXPECT_EQ(cost.perProgram(), 0u);
}

TEST(LaunchCost, DoesNotDependOnTheFirstChoice) {
  // 3 us alone, and 9 us of each thread's time if shared.
  Machine begun{30, 90, 100, {}}, measured{30, 90, 100, {}};
  EXPECT_FALSE(begun.launch());
  measured.cost.note(/*wasAlone=*/true, 3000, 100);
  EXPECT_EQ(measured.countAlone(100), 100);
  EXPECT_EQ(begun.countAlone(100), 100);
}

TEST(LaunchCost, AColdFirstLaunchIsForgotten) {
  Machine kernel{30, 90, 100, {}};
  kernel.cost.note(/*wasAlone=*/false, 1'000'000, 100);
  EXPECT_FALSE(kernel.launch());
  EXPECT_EQ(kernel.countAlone(100), 100);
}

TEST(LaunchCost, ADisturbedTimeAloneIsForgotten) {
  Machine kernel{30, 90, 100, {}};
  kernel.cost.note(false, 9000, 100);
  kernel.cost.note(true, 5'000'000, 100);
  EXPECT_GE(kernel.countAlone(1000), 500);
}

TEST(LaunchCost, MuchWorkIsShared) {
  Machine large{1000, 1500, 100, {}}; // 100 us
  EXPECT_EQ(large.countAlone(10000), 0);
  Machine medium{100, 100, 100, {}}; // 10 us: measured alone now and then
  const int count = medium.countAlone(10000);
  EXPECT_GE(count, 1);
  EXPECT_LE(count, 50);
}

TEST(LaunchCost, WhereThreadsSleepTheirWakingCounts) {
  // 150 us alone; with threads that sleep 200 us must be there to be shared.
  LaunchCost cost;
  constexpr uint64_t gain = 200'000;
  EXPECT_FALSE(cost.runsAlone(2, gain));
  cost.note(/*wasAlone=*/false, 75'000, 1);
  EXPECT_TRUE(cost.runsAlone(2, gain)); // to measure
  cost.note(/*wasAlone=*/true, 150'000, 2);
  int alone = 0;
  for (int i = 0; i < 1000; ++i) {
    alone += cost.runsAlone(2, gain);
  }
  EXPECT_GE(alone, 900);
  EXPECT_LT(alone, 1000); // what waking costs is measured again
  // With threads that are awake, and of more programs, it is shared.
  EXPECT_FALSE(cost.runsAlone(2, 0));
  EXPECT_FALSE(cost.runsAlone(4, gain));
}

TEST(WakingCost, IsWhatLaunchesTookBeyondTheirShare) {
  WakingCost cost;
  EXPECT_GT(cost.gain(1, 1), 0u); // a guess
  for (int i = 0; i < 50; ++i) {
    cost.note(/*elapsedNs=*/165'000, /*sharedNs=*/75'000);
  }
  // Of two threads each takes half: 180 us of work lose what waking costs.
  EXPECT_NEAR(double(cost.gain(1, 1)), 180'000, 20);
  EXPECT_NEAR(double(cost.gain(9, 9)), 100'000, 20);
  EXPECT_EQ(cost.gain(0, 1), 0u);
  EXPECT_EQ(cost.gain(4, 9), 0u); // most are awake
  // What is not known, and what takes long, says nothing.
  cost.note(9'000'000, 0);
  cost.note(9'000'000, 8'000'000);
  EXPECT_NEAR(double(cost.gain(1, 1)), 180'000, 20);
  for (int i = 0; i < 50; ++i) {
    cost.note(70'000, 75'000);
  }
  EXPECT_LT(cost.gain(1, 1), 10u);
}

TEST(LaunchCost, KnowsTheGridOfEachLaunch) {
  Machine kernel{30, 90, 100, {}};
  (void)kernel.countAlone(10);
  kernel.programs = 100000;
  EXPECT_EQ(kernel.countAlone(100), 0);
  kernel.programs = 100;
  EXPECT_EQ(kernel.countAlone(100), 100);
}

} // namespace
