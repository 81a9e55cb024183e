//===- SimulatorFileTest.cpp - which simulators are taken -----------------===//
//
// What   The library that the variable names: missing, not trusted, of another
//        version; and the devices of the right one.
// Why    What a variable names runs in this process.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/test/HipFixture.h"

#include <filesystem>
#include <unistd.h>

namespace tz::amd::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

struct SimulatorFileTest : HipFixture {
  void SetUp() override { setenv("TERRAZZO_AMD_SIMULATOR", "", 1); }
  void TearDown() override {
    unsetenv("TERRAZZO_AMD_SIMULATOR");
    unsetenv("TERRAZZO_PLUGIN_TRUST");
    HipFixture::TearDown();
  }
  /// What the devices of this library answer.
  Told simulated(const std::string &library) {
    setenv("TERRAZZO_AMD_SIMULATOR", library.c_str(), 1);
    if (!platform) {
      const Told opened = open("/no/such/libamdhip64.so");
      EXPECT_EQ(opened.code, TZ_E_OK) << opened.text;
    }
    return api.devices(platform, TZ_DEVICES_SIMULATED, &list, &count);
  }
  tz_device *const *list = nullptr;
  size_t count = 0;
};

TEST_F(SimulatorFileTest, HasADeviceForEachProcessor) {
  const Told told = simulated(TZ_TEST_SIMULATOR);
  ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  ASSERT_GE(count, 1u);
  device = list[0];
  tz_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(Told(api.device_info(device, &info)).code, TZ_E_OK);
  EXPECT_EQ(plugin::view(info.target), "amd:gfx942");
  EXPECT_EQ(plugin::view(info.name), "simulated gfx942");
  EXPECT_EQ(info.subgroup_size, 64u);
  EXPECT_EQ(info.scratch_bytes, 64u << 10);
}

TEST_F(SimulatorFileTest, DoesNotNeedHip) {
  ASSERT_EQ(simulated(TZ_TEST_SIMULATOR).code, TZ_E_OK);
  const Told real = api.devices(platform, TZ_DEVICES_REAL, &list, &count);
  EXPECT_EQ(real.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(real.text, "no HIP: /no/such/libamdhip64.so not found");
}

TEST_F(SimulatorFileTest, FaultsAreOfTheLaunchAlone) {
  ASSERT_EQ(simulated(TZ_TEST_SIMULATOR).code, TZ_E_OK);
  device = list[0];
  ASSERT_EQ(Told(calls.createStream(device, 0, &stream)).code, TZ_E_OK);
  const tz_dptr out = memory(64);
  ASSERT_EQ(launch(kernel("mark"), Packed() << out << 7 << 17).code, TZ_E_OK);
  const Told told = api.stream_sync(stream);
  EXPECT_EQ(told.code, TZ_E_FAULT);
  EXPECT_EQ(told.flags & TZ_ERR_STICKY, 0u);
  EXPECT_THAT(told.text, HasSubstr("kernel 'mark'"));
  EXPECT_THAT(told.text, HasSubstr("64 bytes"));
  ASSERT_EQ(launch(kernel("mark"), Packed() << out << 7 << 16).code, TZ_E_OK);
  EXPECT_EQ(download<int32_t>(out, 16), std::vector<int32_t>(16, 7));
}

TEST_F(SimulatorFileTest, ThatIsNotThereIsTold) {
  const Told told = simulated("/no/such/simulator.so");
  EXPECT_EQ(told.code, TZ_E_UNAVAILABLE);
  EXPECT_EQ(told.text, "TERRAZZO_AMD_SIMULATOR names '/no/such/simulator.so': "
                       "No such file or directory");
  // Beside this program there is none either.
  const Told beside = simulated("");
  EXPECT_EQ(beside.code, TZ_E_UNAVAILABLE);
  EXPECT_THAT(beside.text, HasSubstr("no simulator: '"));
  EXPECT_THAT(beside.text, HasSubstr("libtz_amd_simulator.so' is not there; "
                                     "TERRAZZO_AMD_SIMULATOR names one"));
}

TEST_F(SimulatorFileTest, ThatEverybodyMayWriteIsNotTrusted) {
  const fs::path copy =
      fs::temp_directory_path() /
      ("terrazzo-simulator-" + std::to_string(getpid()) + ".so");
  fs::copy_file(TZ_TEST_HIP, copy, fs::copy_options::overwrite_existing);
  fs::permissions(copy, fs::perms::others_write, fs::perm_options::add);
  const Told told = simulated(copy);
  fs::remove(copy);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(told.text,
              HasSubstr("everybody may write it; it is not trusted"));
  EXPECT_EQ(simulated("/dev/null").code, TZ_E_FAILED_PRECONDITION);
}

TEST_F(SimulatorFileTest, OfAVariableIsRefusedWhereTheSystemsAloneIsTrusted) {
  setenv("TERRAZZO_PLUGIN_TRUST", "system", 1);
  const Told told = simulated(TZ_TEST_SIMULATOR);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_EQ(told.text,
            "TERRAZZO_AMD_SIMULATOR is not followed with "
            "TERRAZZO_PLUGIN_TRUST=system; install the simulator beside the "
            "plugin");
}

TEST_F(SimulatorFileTest, OfAnotherVersionIsRefused) {
  const Told told = simulated(TZ_TEST_HIP);
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_THAT(
      told.text,
      HasSubstr("' is of no version, this plugin is Terrazzo " TZ_AMD_VERSION));
}

} // namespace
} // namespace tz::amd::test
