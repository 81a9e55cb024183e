//===- SimulatorFaultTest.cpp - mistakes that the simulator names ---------===//
//
// What   Runs faults.s: each kernel has one mistake, and its message is told.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/test/Fixture.h"

#include <numeric>

namespace tz::amd::sim {

namespace {

class FaultTest : public SimulatorTest {
protected:
  Report run(const std::string &name, uint32_t items = 64) {
    std::vector<int32_t> values(64);
    std::iota(values.begin(), values.end(), 5);
    data = device(values);
    return SimulatorTest::run(module, name,
                              {.items = {items, 1, 1}, .limit = 100000}, data);
  }
  /// The one finding of the kernel, without the program's own addresses.
  std::string only(const std::string &name, uint32_t items = 64) {
    const Report report = run(name, items);
    EXPECT_EQ(report.findings.size(), 1u) << text(report);
    return report.findings.empty() ? "" : report.findings[0].text();
  }
  Module module{memory, readKernels("faults")};
  int32_t *data = nullptr;
};

TEST_F(FaultTest, NothingIsWrong) {
  EXPECT_EQ(text(run("right")), "");
  EXPECT_EQ(data[0], 6);
  EXPECT_EQ(data[63], 69);
}

TEST_F(FaultTest, MissingWaits) {
  EXPECT_EQ(only("no_scalar_wait"),
            "missing wait: kernel 'no_scalar_wait', +0xc 'global_store_dword "
            "v1, v0, s[2:3]': operand 3 is used while a load into it may be in "
            "flight; wait with lgkmcnt before; work-group 0,0,0 wave 0");
  EXPECT_EQ(
      only("no_vector_wait"),
      "missing wait: kernel 'no_vector_wait', +0x18 'v_add_u32_e32 v2, 1, "
      "v2': operand 1 is used while a load into it may be in flight; wait "
      "with vmcnt before; work-group 0,0,0 wave 0");
  EXPECT_EQ(
      only("short_vector_wait"),
      "missing wait: kernel 'short_vector_wait', +0x28 'v_add_u32_e32 v2, "
      "v3, v2': operand 2 is used while a load into it may be in flight; "
      "wait with vmcnt before; work-group 0,0,0 wave 0");
  EXPECT_NE(only("no_shared_wait").find("'v_add_u32_e32 v2, 1, v2': operand 1"),
            std::string::npos);
}

TEST_F(FaultTest, LateStore) {
  EXPECT_EQ(only("late_store"),
            "store not waited for: kernel 'late_store', +0xc 's_barrier': a "
            "store to LDS may be in flight at this barrier; wait with lgkmcnt "
            "before; work-group 0,0,0 wave 0");
}

TEST_F(FaultTest, OutOfBounds) {
  const std::string memoryText = only("beyond_memory");
  EXPECT_NE(
      memoryText.find("out of bounds: kernel 'beyond_memory', +0x10 "
                      "'global_store_dword v1, v0, s[2:3] offset:4': lane "
                      "63 reaches 4 bytes at 0x"),
      std::string::npos)
      << memoryText;
  EXPECT_NE(
      memoryText.find("256 bytes behind the begin of an allocation of 256 "
                      "bytes"),
      std::string::npos)
      << memoryText;
  EXPECT_EQ(only("beyond_shared"),
            "out of bounds: kernel 'beyond_shared', +0x4 'ds_write_b32 v1, v0 "
            "offset:4': lane 63 reaches 4 bytes at 256 of LDS; the work-group "
            "has 256 bytes; work-group 0,0,0 wave 0");
}

TEST_F(FaultTest, Uninitialised) {
  EXPECT_NE(
      text(run("uninitialised_address"))
          .find("uninitialised: kernel 'uninitialised_address', +0xc "
                "'global_store_dword v7, v0, s[2:3]': lane 0 uses a value "
                "that nobody wrote as an address"),
      std::string::npos);
  EXPECT_NE(text(run("uninitialised_shared"))
                .find("uninitialised: kernel 'uninitialised_shared', +0x10 "
                      "'ds_read_b32 v3, v2': lane 0 uses a value that nobody "
                      "wrote as an address of LDS"),
            std::string::npos);
}

TEST_F(FaultTest, Barriers) {
  EXPECT_EQ(text(run("late_store", 128)).find("barrier:"), std::string::npos);
  EXPECT_EQ(only("skipped_barrier", 128),
            "barrier: kernel 'skipped_barrier', +0x8 's_barrier': wave 1 has "
            "ended without this barrier; work-group 0,0,0 wave 0");
}

TEST_F(FaultTest, Endless) {
  EXPECT_NE(only("endless").find("no end: kernel 'endless', +0x0 's_branch"),
            std::string::npos);
}

TEST_F(FaultTest, UnknownInstructions) {
  EXPECT_EQ(only("unknown"),
            "not supported: kernel 'unknown', +0x0 '': the simulator does not "
            "know the instruction 'v_smfmac_f32_16x16x32_f16' (encoding "
            "d3e20000 042a0d04)");
  EXPECT_NE(only("unknown_form")
                .find("does not know 'a change of the mode "
                      "register' of the instruction"),
            std::string::npos);
}

} // namespace

} // namespace tz::amd::sim
