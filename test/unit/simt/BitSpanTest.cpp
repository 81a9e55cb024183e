//===- BitSpanTest.cpp - spans over F2 against counting -------------------===//
//
// What   Rank, membership and preimages of random spans.
// Why    All algebra of layouts stands on these three.
//===----------------------------------------------------------------------===//
#include "core/simt/layout/BitSpan.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace tz::simt;

namespace {

TEST(BitSpan, AgreesWithAListOfAllCombinations) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> columns(1 + random() % 8);
    std::set<uint64_t> all = {0};
    BitSpan span;
    for (uint64_t &column : columns) {
      column = random() % 64;
      EXPECT_EQ(span.add(column), all.count(column) == 0);
      std::set<uint64_t> more = all;
      for (uint64_t one : all) {
        more.insert(one ^ column);
      }
      all = std::move(more);
    }
    EXPECT_EQ(uint64_t{1} << span.rank(), all.size());
    for (uint64_t vector = 0; vector < 64; ++vector) {
      ASSERT_EQ(span.contains(vector), all.count(vector) != 0);
      std::optional<uint64_t> from = span.preimage(vector);
      ASSERT_EQ(from.has_value(), all.count(vector) != 0);
      if (from) {
        uint64_t image = 0;
        for (size_t i = 0; i < columns.size(); ++i) {
          image ^= *from >> i & 1 ? columns[i] : 0;
        }
        EXPECT_EQ(image, vector);
      }
    }
  }
}

TEST(BitSpan, PreimagesLeaveDependentColumnsOut) {
  BitSpan span;
  EXPECT_TRUE(span.add(0b011));
  EXPECT_FALSE(span.add(0));
  EXPECT_TRUE(span.add(0b101));
  EXPECT_FALSE(span.add(0b110));
  EXPECT_EQ(span.preimage(0b110), 0b0101u);
  EXPECT_EQ(span.preimage(0b001), std::nullopt);
}

} // namespace
