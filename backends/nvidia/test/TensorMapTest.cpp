//===- TensorMapTest.cpp - descriptors of views ---------------------------===//
//
// What   The text of an artifact's tensor views, read back and damaged; what
//        arg_encode gives the driver; the message for every impossible view.
// Why    A wrong descriptor reads wrong memory, silently.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/TensorMap.h"

#include "backends/nvidia/test/DeviceFixture.h"

#include <atomic>
#include <thread>

using namespace tz::nvidia;
using namespace tz::nvidia::test;
using testing::HasSubstr;

namespace {

TEST(TensorViews, ReadBackWhatWasPrinted) {
  std::vector<TensorView> views = {
      {"matmul", 2, "f16", {128, 64}, 128, 256, false},
      {"matmul", 3, "u8", {256, 128}, 128, 0, true},
      {"row", 0, "f32", {4}, 0, 64, false},
      {"deep", 11, "bf16", {1, 2, 3, 4, 16}, 32, 128, false}};
  std::string text = printTensorViews(views);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "view matmul 2 f16 128x64 swizzle=128 l2=256 fill=zero");
  EXPECT_EQ(parseTensorViews(text), views);
  EXPECT_TRUE(parseTensorViews("").empty());
}

TEST(TensorViews, NamesTheLineThatIsWrong) {
  auto expect = [](const char *line, const char *part) {
    std::string text = "view k 0 f16 8x8 swizzle=0 l2=0 fill=zero\n\n";
    try {
      parseTensorViews(text + line);
      ADD_FAILURE() << line;
    } catch (const Failure &failure) {
      EXPECT_EQ(failure.code, TZ_E_DATA_LOSS);
      EXPECT_THAT(failure.message, HasSubstr("line 3: "));
      EXPECT_THAT(failure.message, HasSubstr(part)) << line;
    }
  };
  expect("tile k 0", "does not begin with 'view'");
  expect("view", "needs a kernel");
  expect("view k x f16", "needs a kernel and the number");
  expect("view k 99999999999 f16", "needs a kernel and the number");
  expect("view k 0 f17 8x8", "'f17' is no element type");
  for (const char *box :
       {"0x8", "8x257", "8x", "x8", "8x8x8x8x8x8", "-8", "8y8"}) {
    expect((std::string("view k 0 f16 ") + box).c_str(), "a box is 1 to 5");
  }
  expect("view k 0 f16 8x8 swizzle=16", "'swizzle=' is");
  expect("view k 0 f16 8x8 swizzle=256", "'swizzle=' is");
  expect("view k 0 f16 8x8 swizzle=0 l2=32", "'l2=' is");
  expect("view k 0 f16 8x8 swizzle=0 l2=0 fill=one", "'fill=' is");
  expect("view k 0 f16 8x8 swizzle=0 l2=0 fill=nan more", "has words after");
  expect("view k 0 f16 8x4 swizzle=0 l2=0 fill=nan", "no multiple of 16");
  expect("view k 0 f16 8x128 swizzle=128 l2=0 fill=nan",
         "more than the swizzle spans");
  std::string many;
  for (int i = 0; i < 5000; ++i) {
    many += "view k 0 f16 8x8 swizzle=0 l2=0 fill=zero\n";
  }
  EXPECT_THROW(parseTensorViews(many), Failure);
}

/// Every prefix and every changed byte is read or refused, never worse.
TEST(TensorViews, SurviveDamage) {
  std::string text = "view matmul 2 f16 128x64 swizzle=128 l2=256 fill=zero\n"
                     "view row 0 f32 4 swizzle=0 l2=0 fill=nan\n";
  int refused = 0;
  auto tryOne = [&](const std::string &damaged) {
    try {
      (void)parseTensorViews(damaged);
    } catch (const Failure &) {
      ++refused;
    }
  };
  for (size_t i = 0; i < text.size(); ++i) {
    tryOne(text.substr(0, i));
    for (char c : {'\0', '\n', ' ', '9', 'x', '\377'}) {
      std::string damaged = text;
      damaged[i] = c;
      tryOne(damaged);
    }
  }
  EXPECT_GT(refused, 300);
}

class Encode : public DeviceFixture {
protected:
  tz_module *module = nullptr;
  tz_kernel *tiles = nullptr;
  alignas(128) uint64_t slot[16] = {};
  std::vector<int64_t> shape = {300, 200}, strides = {200, 1};
  tz_tensor_view view{sizeof(view), 0x10000, 16, 2, nullptr, nullptr};

  void SetUp() override {
    DeviceFixture::SetUp();
    std::string views = "view tiles 0 f16 128x64 swizzle=128 l2=256 fill=nan\n"
                        "view other 0 f16 8x8 swizzle=0 l2=0 fill=zero\n";
    Told told = load(
        {blob("main", "cubin", FakeCode), blob("views", "tensor-views", views)},
        &module);
    ASSERT_EQ(told.code, TZ_E_OK) << told.text;
    tiles = kernel(module, "tiles");
  }
  void TearDown() override {
    api.module_unload(module);
    DeviceFixture::TearDown();
  }
  Told encode(uint32_t argument = 0, size_t bytes = 128) {
    view.shape = shape.data();
    view.strides = strides.data();
    return api.arg_encode(tiles, argument, &view, slot, bytes);
  }
};

TEST_F(Encode, GivesTheDriverInnermostFirst) {
  Told told = encode();
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(slot[0], 0x10000u);
  EXPECT_EQ(slot[1], unsigned(driver::TensorF16) | 2u << 8 |
                         unsigned(driver::Swizzle128) << 16 |
                         unsigned(driver::Promote256) << 24);
  EXPECT_EQ(slot[2], uint64_t(driver::FillNan));
  EXPECT_EQ(slot[3], 200u);
  EXPECT_EQ(slot[4], 300u);
  EXPECT_EQ(slot[8], 400u) << "bytes";
  EXPECT_EQ(slot[12], 63u | 127u << 8);
}

TEST_F(Encode, StridesOfSingleElementsDoNotMatter) {
  shape = {1, 200};
  strides = {7, 1};
  EXPECT_EQ(encode().code, TZ_E_OK);
  shape = {300, 1};
  strides = {8, 0};
  EXPECT_EQ(encode().code, TZ_E_OK);
}

TEST_F(Encode, AsksTheDriverOnceForEachView) {
  int &calls = fake.calls["cuTensorMapEncodeTiled"];
  ASSERT_EQ(encode().code, TZ_E_OK);
  const std::vector<uint64_t> first(slot, slot + 16);
  ASSERT_EQ(encode().code, TZ_E_OK);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(std::vector<uint64_t>(slot, slot + 16), first);
  // Each value counts; what is equal again is known again.
  view.base += 16;
  ASSERT_EQ(encode().code, TZ_E_OK);
  EXPECT_EQ(slot[0], 0x10010u);
  shape[0] = 299;
  ASSERT_EQ(encode().code, TZ_E_OK);
  EXPECT_EQ(slot[4], 299u);
  strides[0] = 208;
  ASSERT_EQ(encode().code, TZ_E_OK);
  EXPECT_EQ(slot[8], 416u);
  EXPECT_EQ(calls, 4);
  view.base = 0x10000;
  shape = {300, 200};
  strides = {200, 1};
  ASSERT_EQ(encode().code, TZ_E_OK);
  EXPECT_EQ(std::vector<uint64_t>(slot, slot + 16), first);
  EXPECT_EQ(calls, 4);
}

TEST_F(Encode, ForgetsTheOldestOfManyViews) {
  int &calls = fake.calls["cuTensorMapEncodeTiled"];
  for (int i = 0; i < 40; ++i) {
    view.base = 0x10000 + 16 * i;
    ASSERT_EQ(encode().code, TZ_E_OK);
    EXPECT_EQ(slot[0], view.base);
  }
  EXPECT_EQ(calls, 40);
  ASSERT_EQ(encode().code, TZ_E_OK);
  EXPECT_EQ(calls, 40);
  view.base = 0x10000;
  ASSERT_EQ(encode().code, TZ_E_OK);
  EXPECT_EQ(calls, 41);
}

TEST_F(Encode, ManyThreadsShareTheViews) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const int64_t sizes[] = {300, 200}, steps[] = {200, 1};
      tz_tensor_view own = view;
      own.shape = sizes;
      own.strides = steps;
      alignas(128) uint64_t made[16];
      for (int i = 0; i < 500; ++i) {
        own.base = 0x10000 + 16 * ((i * (t + 1)) % 24);
        Told told = api.arg_encode(tiles, 0, &own, made, sizeof(made));
        wrong += told.code != TZ_E_OK || made[0] != own.base;
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(Encode, NamesWhatDoesNotHold) {
  auto expect = [&](const char *part) {
    Told told = encode();
    EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
    EXPECT_THAT(told.text,
                HasSubstr("kernel 'tiles', argument slot 0: the TMA unit "
                          "cannot read this view: "));
    EXPECT_THAT(told.text, HasSubstr(part));
    view.base = 0x10000;
    view.element_bits = 16;
    view.rank = 2;
    shape = {300, 200};
    strides = {200, 1};
  };
  view.base += 8;
  expect("its address is no multiple of 16 bytes");
  view.element_bits = 32;
  expect("its elements have 32 bits, those of f16 16");
  view.rank = 1;
  expect("it has 1 dimensions, the code was compiled for 2");
  shape[0] = 0;
  expect("dimension 0 has 0 elements");
  shape[1] = (int64_t(1) << 32) + 1;
  expect("dimension 1 has 4294967297 elements");
  strides[1] = 2;
  expect("its innermost stride is 2 elements; it must be 1");
  strides[0] = 201;
  expect("dimension 0 has a stride of 201 elements of 2 bytes; it must be a "
         "multiple of 16 bytes");
  strides[0] = -200;
  expect("dimension 0 has a stride of -200 elements");
  strides[0] = INT64_MAX;
  expect("dimension 0 has a stride of 9223372036854775807 elements");
  Told told = encode(0, 64);
  EXPECT_THAT(told.text, HasSubstr("the slot has 64 bytes"));
  told = encode(1);
  EXPECT_EQ(told.code, TZ_E_NOT_FOUND);
  EXPECT_THAT(told.text, HasSubstr("does not say how argument slot 1"));
}

TEST_F(Encode, AModuleWithDamagedViewsIsRefused) {
  tz_module *made = nullptr;
  Told told = load({blob("main", "cubin", FakeCode),
                    blob("views", "tensor-views", "view tiles\n")},
                   &made);
  EXPECT_EQ(told.code, TZ_E_DATA_LOSS);
  EXPECT_THAT(told.text, HasSubstr("tensor views, line 1"));
}

} // namespace
