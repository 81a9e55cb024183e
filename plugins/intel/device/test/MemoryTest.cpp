//===- MemoryTest.cpp - the register of memory, fills ---------------------===//
//
// What   Allocations found by any of their addresses; fills at any address.
// Why    A fill that a driver does not take is put together of several.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/test/TestCode.h"

#include <terrazzo/plugin/DeviceMemory.h>

namespace tz::intel::test {

using namespace halves;
namespace {

using plugin::Allocations;
using plugin::splitFill;

TEST(Allocations, AreFoundByAnyOfTheirAddresses) {
  Allocations known;
  known.add(1024, {256, TZ_MEM_DEVICE, 1000});
  EXPECT_FALSE(known.find(1023));
  ASSERT_TRUE(known.find(1279));
  EXPECT_EQ(known.find(1279)->first, 1024u);
  EXPECT_FALSE(known.find(1280));
  EXPECT_EQ(known.take(1024, "d").base, 1000u);
  const Told again =
      plugin::guarded([&] { (void)known.take(1024, "intel:0"); });
  EXPECT_EQ(again.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(again.text,
            "free of 0x400, which intel:0 did not allocate or has freed");
}

/// The bytes that a fill leaves, each piece of it aligned.
std::vector<unsigned char> filled(tz_dptr skew, uint64_t bytes,
                                  uint32_t pattern, uint32_t width) {
  alignas(16) unsigned char room[64] = {};
  const auto begin = reinterpret_cast<tz_dptr>(room);
  splitFill(begin + 16 + skew, bytes, pattern, width,
            [&](tz_dptr to, uint64_t size, uint32_t value, uint32_t part) {
              EXPECT_EQ(to % part, 0u);
              EXPECT_EQ(size % part, 0u);
              for (uint64_t i = 0; i < size; ++i) {
                reinterpret_cast<unsigned char *>(to)[i] =
                    static_cast<unsigned char>(value >> 8 * (i % part));
              }
            });
  return {room, room + 64};
}

TEST(SplitFill, FillsAtAnyAddressWithAnyPattern) {
  for (uint32_t width : {1u, 2u, 4u}) {
    for (tz_dptr skew = 0; skew < 8; ++skew) {
      for (uint64_t count = 0; count < 5; ++count) {
        std::vector<unsigned char> expected(64, 0);
        for (uint64_t i = 0; i < count * width; ++i) {
          expected[16 + skew + i] =
              static_cast<unsigned char>(0x44332211u >> 8 * (i % width));
        }
        EXPECT_EQ(filled(skew, count * width, 0x44332211, width), expected)
            << width << " " << skew << " " << count;
      }
    }
  }
}

TEST(SplitFill, RefusesWhatItIsNot) {
  auto tell = [](tz_dptr to, uint64_t bytes, uint32_t width) {
    return Told(plugin::guarded([&] {
      splitFill(to, bytes, 0, width,
                [](tz_dptr, uint64_t, uint32_t, uint32_t) { FAIL(); });
    }));
  };
  EXPECT_EQ(tell(64, 8, 3).text, "a fill pattern has 1, 2 or 4 bytes, not 3");
  EXPECT_EQ(tell(64, 6, 4).text,
            "a fill of 6 bytes is no multiple of its pattern");
  EXPECT_EQ(tell(0, 8, 4).text, "fill of a null address");
  EXPECT_EQ(tell(0, 0, 4).code, TZ_E_OK);
}

} // namespace
} // namespace tz::intel::test
