//===- HipFaultTest.cpp - what a launch may do wrong ----------------------===//
//
// What   Code of another processor, damaged code, launches that do not fit,
//        and a kernel that leaves its buffer.
// Why    HIP answers each with a number, or ends the process.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/test/HipFixture.h"

namespace tz::amd::test {
namespace {

using testing::HasSubstr;

struct HipFaultTest : HipFixture {
  void SetUp() override { begin(); }
  /// A launch of `mark` over 16 words, changed by `change`.
  template <typename Change>
  Told changed(Change change) {
    out = out ? out : memory(64);
    const Packed packed = Packed() << out << 7 << 16;
    tz_launch asked = request(packed, 1, 1);
    change(asked);
    return api.launch(stream, kernel("mark"), &asked);
  }
  tz_dptr out = 0;
};

TEST_F(HipFaultTest, CodeOfAnotherProcessorIsRefused) {
  const Told told = load(kernelsFor("gfx1100"), &module);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_EQ(told.text, "the code object is for gfx1100, amd:0 is gfx942; "
                       "compile it for amd:gfx942");
}

TEST_F(HipFaultTest, DamagedCodeIsRefused) {
  EXPECT_EQ(load("nothing", &module).code, TZ_E_DATA_LOSS);
  EXPECT_EQ(load(code.substr(0, code.size() / 4), &module).code,
            TZ_E_DATA_LOSS);
  EXPECT_EQ(load("", &module).text,
            "the artifact has no blob of format 'hsaco'");
}

TEST_F(HipFaultTest, TooFewArgumentsAreRefused) {
  const Told told = changed([](tz_launch &asked) { asked.args_size = 12; });
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(told.text,
            "kernel 'mark' reads 16 argument bytes, the launch has 12");
}

TEST_F(HipFaultTest, TooMuchSharedMemoryIsRefused) {
  const Told told =
      changed([](tz_launch &asked) { asked.dyn_scratch = 65537; });
  EXPECT_EQ(told.code, TZ_E_RESOURCE_LIMIT);
  EXPECT_EQ(told.text,
            "kernel 'mark' needs 64.0 KiB of LDS a work-group (0 fixed, 65537 "
            "asked for), amd:0 has 64 KiB; smaller blocks or fewer stages need "
            "less");
  EXPECT_EQ(changed([](tz_launch &asked) { asked.dyn_scratch = 65536; }).code,
            TZ_E_OK);
}

TEST_F(HipFaultTest, BlocksAndGridsHaveLimits) {
  const Told block = changed([](tz_launch &asked) { asked.block[0] = 1025; });
  EXPECT_EQ(block.code, TZ_E_RESOURCE_LIMIT);
  EXPECT_EQ(block.text,
            "kernel 'mark' runs 1025 work-items a work-group; its code and "
            "amd:0 allow 1024; fewer warps need less");
  const Told grid = changed([](tz_launch &asked) {
    asked.grid[0] = 1u << 27;
    asked.block[0] = 64;
  });
  EXPECT_EQ(grid.code, TZ_E_OUT_OF_RANGE);
  EXPECT_EQ(grid.text,
            "kernel 'mark': grid axis x has 134217728 programs, amd:0 takes "
            "67108863 there with 64 work-items each");
  const Told cluster = changed([](tz_launch &asked) { asked.cluster[0] = 2; });
  EXPECT_EQ(cluster.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_EQ(cluster.text,
            "kernel 'mark' launches clusters, which amd:0 has not");
}

TEST_F(HipFaultTest, WorkGroupsAreThoseOfTheCode) {
  const tz_dptr memory = this->memory(1024);
  const Told told =
      launch(kernel("groups"), Packed() << memory << memory << memory, 1, 32);
  EXPECT_EQ(told.code, TZ_E_INVALID_ARGUMENT);
  EXPECT_EQ(told.text,
            "kernel 'groups' was compiled for work-groups of 64x1x1, "
            "the launch asks for 32x1x1");
}

TEST_F(HipFaultTest, ProgramsMayBeAskedToRunAtOnce) {
  auto together = [](uint32_t grid) {
    return [grid](tz_launch &asked) {
      asked.flags = TZ_LAUNCH_COOPERATIVE;
      asked.grid[0] = grid;
    };
  };
  ASSERT_EQ(changed(together(2)).code, TZ_E_OK);
  EXPECT_EQ(download<int32_t>(out, 16), std::vector<int32_t>(16, 7));
  const Told told = changed(together(1000000));
  EXPECT_EQ(told.code, TZ_E_RESOURCE_LIMIT);
  EXPECT_THAT(told.text, HasSubstr("all 1000000x1x1 programs must run at once, "
                                   "which do not fit the 304 compute units"));
}

TEST_F(HipFaultTest, OccupancyFollowsSharedMemory) {
  const Packed packed;
  tz_launch asked = request(packed, 1, 64);
  tz_occupancy answer{};
  answer.struct_size = sizeof(answer);
  ASSERT_EQ(Told(api.kernel_occupancy(kernel("mark"), &asked, &answer)).code,
            TZ_E_OK);
  EXPECT_EQ(answer.blocks, 32u);
  asked.dyn_scratch = 30000;
  ASSERT_EQ(Told(api.kernel_occupancy(kernel("mark"), &asked, &answer)).code,
            TZ_E_OK);
  EXPECT_EQ(answer.blocks, 2u);
  EXPECT_EQ(answer.scratch, 30000u);
}

/// As on a device that is there: it is lost with the first fault.
TEST_F(HipFaultTest, AFaultLosesTheDevice) {
  const tz_dptr out = memory(64);
  ASSERT_EQ(launch(kernel("mark"), Packed() << out << 7 << 17).code, TZ_E_OK);
  const Told told = api.stream_sync(stream);
  EXPECT_EQ(told.code, TZ_E_DEVICE_LOST);
  EXPECT_TRUE(told.flags & TZ_ERR_STICKY);
  EXPECT_THAT(told.text, HasSubstr("device amd:0 is lost: cannot wait for a "
                                   "stream of amd:0: "));
  EXPECT_THAT(told.text, HasSubstr("(hipErrorIllegalAddress); the kernel that "
                                   "ran was 'mark'; "));
  const Told again = api.fill(stream, out, 64, 0, 4);
  EXPECT_EQ(again.code, TZ_E_DEVICE_LOST);
  EXPECT_EQ(again.text, told.text);
}

} // namespace
} // namespace tz::amd::test
