//===- NarrowWaveTest.cpp - what gfx1100 has and gfx942 has not -----------===//
//
// What   Runs narrow.s: pairs of instructions, comparisons into the mask,
// halves
//        of registers, and the counter of stores.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/test/Fixture.h"

namespace tz::amd::sim {

namespace {

class NarrowWaveTest : public SimulatorTest {
protected:
  std::string run(const std::string &name, uint32_t items = 64) {
    data = device(std::vector<uint32_t>(64, 99));
    return text(
        SimulatorTest::run(module, name, {.items = {items, 1, 1}}, data));
  }
  Module module{memory, readKernels("narrow", "gfx1100")};
  uint32_t *data = nullptr;
};

TEST_F(NarrowWaveTest, BothOfAPairReadFirst) {
  EXPECT_EQ(run("pair"), "");
  EXPECT_EQ(data[0], 7u | 5u << 8);
  EXPECT_EQ(data[63], 7u | 5u << 8);
}

TEST_F(NarrowWaveTest, ComparisonIntoTheMask) {
  EXPECT_EQ(run("compare_active"), "");
  EXPECT_EQ(data[15], 15u);
  EXPECT_EQ(data[16], 99u);
  EXPECT_EQ(data[63], 99u);
}

TEST_F(NarrowWaveTest, HalvesOfRegisters) {
  EXPECT_EQ(run("halves"), "");
  EXPECT_EQ(data[5], 0x3C004200u); // 1.0 above 1.0 + 2.0
}

TEST_F(NarrowWaveTest, StoresHaveACounterOfTheirOwn) {
  for (const char *name : {"stores_count_apart", "other_counter"}) {
    const std::string found = run(name);
    EXPECT_NE(
        found.find("'v_add_nc_u32_e32 v2, 1, v2': operand 1 is used while "
                   "a load into it may be in flight; wait with vmcnt"),
        std::string::npos)
        << name << ": " << found;
  }
}

TEST_F(NarrowWaveTest, StoresAreWaitedForAtABarrier) {
  EXPECT_EQ(run("memory_with_wait", 128), "");
  for (const char *name :
       {"memory_with_another_wait", "memory_without_barrier"}) {
    const std::string found = run(name, 128);
    EXPECT_NE(found.find("lane 0 writes 4 bytes of 0 bytes behind the begin of "
                         "an allocation of 256 bytes, which wave 0 of this "
                         "work-group has accessed at"),
              std::string::npos)
        << name << ": " << found;
    EXPECT_NE(found.find("no barrier that it reached after a wait with vscnt "
                         "lies between them"),
              std::string::npos)
        << name << ": " << found;
  }
}

} // namespace

} // namespace tz::amd::sim
