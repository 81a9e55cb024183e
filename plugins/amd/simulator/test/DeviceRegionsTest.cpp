//===- DeviceRegionsTest.cpp - which bytes are device memory --------------===//
//
// What   Bounds of allocations, their last words, and memory of the process.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/DeviceRegions.h"

#include <array>
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
  // Loads take more words at once.
  EXPECT_TRUE(memory.areWords(begin, 8));
  EXPECT_TRUE(memory.areWords(begin + 4, 4));
  EXPECT_FALSE(memory.areWords(begin, 12));
  EXPECT_FALSE(memory.areWords(begin + 8, 4));
  EXPECT_FALSE(memory.areWords(begin + 2, 4));
  EXPECT_FALSE(memory.areWords(begin, 7));
  // Of such a word the bytes of the allocation are marked, and asked for.
  EXPECT_FALSE(memory.isWritten(begin + 4, 4));
  memory.markWritten(begin + 4, 4);
  EXPECT_TRUE(memory.isWritten(begin + 4, 4));
  EXPECT_FALSE(memory.isWritten(begin + 3, 2));
}

/// Of two allocations, the second one with these bytes, of which some are
/// written.
uint64_t digestOf(std::array<char, 8> bytes, unsigned written) {
  char first[4] = {1, 2, 3, 4};
  Memory memory;
  memory.add(addressOf(first), sizeof(first), "an allocation", false);
  memory.add(addressOf(bytes.data()), bytes.size(), "an allocation", false);
  memory.markWritten(addressOf(bytes.data()), written);
  return memory.digest();
}

TEST(DeviceRegions, ADigestTellsEachByteThatWasWritten) {
  const std::array<char, 8> bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  const uint64_t all = digestOf(bytes, 8);
  EXPECT_EQ(digestOf(bytes, 8), all); // wherever it lies
  EXPECT_NE(digestOf(bytes, 7), all);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::array<char, 8> other = bytes;
    other[i] = 0;
    EXPECT_NE(digestOf(other, 8), all) << i;
  }
  std::array<char, 8> other = bytes;
  other[7] = 0;
  EXPECT_EQ(digestOf(other, 7), digestOf(bytes, 7));
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
