//===- ForeignTest.cpp - contexts of the program's, over either driver ----===//
//
// What   A context of the program's is a device of its own; its memory is
//        known, and is no argument of another device's kernels.
// Why    Both drivers take an address of another context without a word. The
//        tests are compiled for each half: no binary holds both.
//===----------------------------------------------------------------------===//
#include TZ_TEST_FOREIGN // of either half: ForeignUnderTest

#include "plugins/intel/device/test/ForeignContext.h"

namespace tz::intel::test {
namespace {

using Foreign = ForeignContext<ForeignUnderTest>;

TEST_F(Foreign, ContextIsADeviceWithItsStreams) {
  const Told made = wrapContext();
  ASSERT_EQ(made.code, TZ_E_OK) << made.text;
  expectToWork(streamNative());
}

TEST_F(Foreign, MemoryOfTheProgramIsKnown) {
  ASSERT_EQ(wrapContext().code, TZ_E_OK);
  void *const theirs = allocateHost(4096);
  ASSERT_TRUE(theirs);
  const auto base = reinterpret_cast<tz_dptr>(theirs);
  tz_mem_info info{};
  info.struct_size = sizeof(info);
  const Told told = api.mem_info(platform, base + 8, &info);
  EXPECT_EQ(told.code, TZ_E_OK) << told.text;
  EXPECT_EQ(info.kind, uint32_t(TZ_MEM_HOST_PINNED));
  EXPECT_EQ(info.base, base);
  EXPECT_EQ(info.context, context);
  freeHost(theirs);
}

TEST_F(Foreign, MemoryOfAnotherContextIsNoArgument) {
  const tz_dptr own = memory(64);
  tz_kernel *const count = kernel("count");
  EXPECT_EQ(launch(count, Packed() << own << int32_t(1)).code, TZ_E_OK);
  ASSERT_EQ(wrapContext().code, TZ_E_OK);
  tz_dptr theirs = 0;
  ASSERT_EQ(
      Told(calls.allocate(wrapped, TZ_MEM_DEVICE, 64, 0, nullptr, &theirs))
          .code,
      TZ_E_OK);
  const Told told = launch(count, Packed() << theirs + 8 << int32_t(1));
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(told.text, "argument 0 of kernel 'count' is memory of " +
                           wrapped->label +
                           ", which works in another context than intel:0");
  // The device's own memory is taken as before.
  EXPECT_EQ(launch(count, Packed() << own << int32_t(1)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.stream_sync(stream)).code, TZ_E_OK);
  EXPECT_EQ(Told(api.mem_free(wrapped, theirs, nullptr)).code, TZ_E_OK);
}

} // namespace
} // namespace tz::intel::test
