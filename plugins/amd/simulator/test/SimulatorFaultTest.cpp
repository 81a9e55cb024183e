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
  Report run(const std::string &name, uint32_t items = 64,
             uint32_t groups = 1) {
    std::vector<int32_t> values(64);
    std::iota(values.begin(), values.end(), 5);
    data = device(values);
    return SimulatorTest::run(
        module, name,
        {.groups = {groups, 1, 1}, .items = {items, 1, 1}, .limit = 100000},
        data);
  }
  /// The one finding of the kernel, without the program's own addresses.
  std::string only(const std::string &name, uint32_t items = 64,
                   uint32_t groups = 1) {
    const Report report = run(name, items, groups);
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

/// A full counter delays the next operation, so old ones need no wait.
TEST_F(FaultTest, FullCounters) {
  EXPECT_EQ(text(run("full_counter")), "");
  for (const char *name : {"nearly_full_counter", "full_counter_any_order"}) {
    EXPECT_NE(only(name).find("'v_add_u32_e32 v2, 1, v2': operand 1 is used "
                              "while a load into it may be in flight"),
              std::string::npos)
        << only(name);
  }
}

/// Atomics return in order, as loads do.
TEST_F(FaultTest, AtomicsReturnIntoOneRegister) {
  EXPECT_EQ(text(run("atomics_in_turn")), "");
  EXPECT_EQ(data[3], 8);
  EXPECT_EQ(data[4], 9);
  EXPECT_NE(only("atomic_not_waited_for")
                .find("'global_store_dword v1, v3, s[4:5]': operand 2 is used "
                      "while a load into it may be in flight"),
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

/// A variable of the environment, for one scope.
class Setting {
public:
  Setting(const char *name, const std::string &value) : name(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Setting() { ::unsetenv(name); }

private:
  const char *name;
};

TEST_F(FaultTest, PlantedInstructions) {
  const std::string path = testing::TempDir() + "planted-trace";
  std::remove(path.c_str());
  const Setting trace("TERRAZZO_AMD_SIMULATOR_TRACE", path);
  {
    const Setting plant("TERRAZZO_AMD_SIMULATOR_PLANT", "right+0xc=s_nop 0");
    EXPECT_NE(only("right").find("missing wait: kernel 'right', +0x10"),
              std::string::npos);
    EXPECT_EQ(text(run("strided")), ""); // of another kernel
  }
  {
    const Setting plant("TERRAZZO_AMD_SIMULATOR_PLANT",
                        "right+0x8=v_lshlrev_b32_e32 v1, 0, v0");
    EXPECT_EQ(text(run("right")), "");
  }
  std::ifstream file(path);
  const std::string traced{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(traced.find("right 0xc s_waitcnt lgkmcnt(0)\n"), std::string::npos)
      << traced;
  EXPECT_NE(traced.find("planted: 1 executions, 1 with another result, 0 "
                        "stores of other lanes\n"),
            std::string::npos)
      << traced;
  EXPECT_NE(traced.find("memory of right: 0x"), std::string::npos) << traced;
  EXPECT_NE(traced.find("memory of strided: 0x"), std::string::npos) << traced;
  const Setting plant("TERRAZZO_AMD_SIMULATOR_PLANT", "right");
  EXPECT_THROW((void)run("right"), std::exception);
}

TEST_F(FaultTest, FindingsNameTheLine) {
  Module lines(memory, readKernels("lines"));
  int32_t *out = device(std::vector<int32_t>(64));
  const std::string found =
      text(SimulatorTest::run(lines, "beyond", {.items = {64, 1, 1}}, out));
  EXPECT_NE(found.find("offset:256' of kernel.py:5:9: lane 0 reaches 4 bytes"),
            std::string::npos)
      << found;
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

TEST_F(FaultTest, RacesOfSharedMemory) {
  EXPECT_EQ(text(run("exchange_with_barrier", 128)), "");
  const Report report = run("exchange_without_barrier", 128);
  ASSERT_EQ(report.findings.size(), 2u) << text(report);
  EXPECT_EQ(report.findings[0].text(),
            "race: kernel 'exchange_without_barrier', +0x0 'ds_write_b8 v0, "
            "v0': lane 0 writes 1 bytes at 64 of LDS, which wave 0 of this "
            "work-group has accessed at +0x10 'ds_read_u8 v3, v2'; no barrier "
            "that it reached after a wait with lgkmcnt lies between them; "
            "work-group 0,0,0 wave 1 (64 times)");
  EXPECT_NE(
      only("load_not_waited_for", 128)
          .find("'ds_write_b8 v0, v4': lane 0 writes 1 bytes at 0 of LDS, "
                "which wave 1 of this work-group has accessed at"),
      std::string::npos);
}

TEST_F(FaultTest, LateCopyToSharedMemory) {
  EXPECT_EQ(text(run("copy_waited_for")), "");
  EXPECT_EQ(
      only("late_copy"),
      "race: kernel 'late_copy', +0x20 'ds_read_b32 v2, v1': lane 0 reads "
      "4 bytes at 0 of LDS, which wave 0 of this work-group has accessed "
      "at +0x14 'global_load_lds_dword v1, s[2:3]'; no barrier that it "
      "reached after a wait with vmcnt lies between them; work-group "
      "0,0,0 wave 0 (64 times)");
}

TEST_F(FaultTest, RacesOfWorkGroups) {
  const std::string groups = only("groups", 32, 2);
  EXPECT_NE(groups.find("which wave 0 of work-group number 0 has accessed"),
            std::string::npos)
      << groups;
  EXPECT_NE(groups.find("no atomic orders the two"), std::string::npos);
  EXPECT_EQ(text(run("groups_with_atomics", 32, 2)), "");
}

TEST_F(FaultTest, BankConflicts) {
  const Report right = run("right");
  EXPECT_EQ(right.bankAccesses, 4u); // two accesses, in two halves each
  EXPECT_EQ(right.bankConflicts, 0u);
  const Report strided = run("strided");
  EXPECT_EQ(strided.bankAccesses, 4u);
  EXPECT_EQ(strided.bankConflicts, 2u);
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
