//===- ViewsTest.cpp - views of tensors as arguments of a kernel ----------===//
//
// What   The words that a kernel is given, and views that it cannot be given.
// Why    See Views.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/Frame.h"
#include "plugins/intel/device/DeviceViews.h"
#include "plugins/intel/device/test/TestCode.h"

namespace tz::intel::test {

using namespace halves;
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct View : tz_tensor_view {
  View(std::vector<int64_t> extents, std::vector<int64_t> steps)
      : tz_tensor_view{}, extents(std::move(extents)), steps(std::move(steps)) {
    struct_size = sizeof(tz_tensor_view);
    base = 0x1000;
    element_bits = 16;
    rank = uint32_t(this->extents.size());
    shape = this->extents.data();
    strides = this->steps.data();
  }
  View(const View &) = delete;
  std::vector<int64_t> extents, steps;
};

TEST(Views, ADescriptorCountsInBytes) {
  int64_t words[4];
  encodeView(View({40, 100}, {128, 1}), words, sizeof(words));
  EXPECT_THAT(words, ElementsAre(0x1000, 200, 40, 256));
}

TEST(Views, OuterDimensionsFollow) {
  int64_t words[8];
  encodeView(View({3, 40, 100}, {8192, 128, 1}), words, sizeof(words));
  EXPECT_THAT(words, ElementsAre(0x1000, 200, 40, 256, 3, 16384, 0, 0));
  static_assert(frameBytes(2) == 32 && frameBytes(3) == 64 &&
                frameBytes(4) == 64 && frameBytes(5) == 128);
}

TEST(Views, ASlotHasRoomForAllWords) {
  int64_t words[16];
  const Told small = plugin::guarded(
      [&] { encodeView(View({3, 40, 100}, {8192, 128, 1}), words, 32); });
  EXPECT_EQ(small.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(small.text, "a descriptor of 3 dimensions takes 64 bytes, its slot "
                        "has 32");
  // Beside a larger one it has more than it needs.
  encodeView(View({40, 100}, {128, 1}), words, 128);
  EXPECT_EQ(words[FrameMore], 0);
  const Told large = plugin::guarded(
      [&] { encodeView(View({40, 100}, {128, 1}), words, 256); });
  EXPECT_EQ(large.code, TZ_E_INVALID_ARGUMENT);
}

TEST(Views, RowsAreInOnePiece) {
  int64_t words[4];
  const View apart({40, 100}, {128, 2}), line({40}, {1});
  for (const View *view : {&apart, &line}) {
    const Told told =
        plugin::guarded([&] { encodeView(*view, words, sizeof(words)); });
    EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
    EXPECT_THAT(told.text, HasSubstr("elements of a row beside each other"));
  }
}

} // namespace
} // namespace tz::intel::test
