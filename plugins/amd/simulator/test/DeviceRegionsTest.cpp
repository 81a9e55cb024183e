//===- DeviceRegionsTest.cpp - which bytes are device memory --------------===//
//
// What   Bounds of allocations, their last words, and memory of the process.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/DeviceRegions.h"

#include <gtest/gtest.h>

namespace tz::amd::sim {

namespace {

uint64_t addressOf(const void *where) {
  return reinterpret_cast<uint64_t>(where);
}

TEST(DeviceRegions, TheLastWordIsThereWhole) {
  alignas(256) char data[8] = {};
  Memory memory;
  const uint64_t begin = addressOf(data);
  memory.add(begin, 6, "an allocation", false);
  EXPECT_TRUE(memory.find(begin, 6));
  EXPECT_FALSE(memory.find(begin + 4, 4));
  EXPECT_TRUE(memory.isLastWord(begin + 4, 4));
  EXPECT_FALSE(memory.isLastWord(begin + 8, 4));
  EXPECT_FALSE(memory.isLastWord(begin + 5, 4)); // of no atomic
  EXPECT_FALSE(memory.isLastWord(begin, 8));
  // Of such a word the bytes of the allocation are marked, and asked for.
  EXPECT_FALSE(memory.isWritten(begin + 4, 4));
  memory.markWritten(begin + 4, 4);
  EXPECT_TRUE(memory.isWritten(begin + 4, 4));
  EXPECT_FALSE(memory.isWritten(begin + 3, 2));
}

TEST(DeviceRegions, MemoryOfTheProcessIsReachedWhereThatIsAsked) {
  static int ours = 1;
  static const int constant = 2;
  Memory memory;
  EXPECT_FALSE(memory.find(addressOf(&ours), sizeof(ours)));
  memory.reachesHost = true;
  EXPECT_TRUE(memory.find(addressOf(&ours), sizeof(ours)));
  EXPECT_TRUE(memory.isWritten(addressOf(&ours), sizeof(ours)));
  EXPECT_FALSE(memory.find(addressOf(&constant), sizeof(constant)));
  EXPECT_FALSE(memory.find(64, 4));
  memory.forgetHost();
  EXPECT_TRUE(memory.find(addressOf(&ours), sizeof(ours)));
}

} // namespace

} // namespace tz::amd::sim
