//===- MachinesTest.cpp - which code a device runs ------------------------===//
//
// What   Machines by their number on the bus; what a module needs and a device
//        lacks; launches that do not fit.
// Why    Drivers answer these with a number, or with wrong values.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/Machines.h"

#include "plugins/intel/device/test/TestCode.h"

#include <cstdlib>
#include <fstream>

namespace tz::intel::test {

using namespace halves;
namespace {

TEST(Machines, AreKnownByTheirNumberOnTheBus) {
  EXPECT_EQ(targetOf(0x0BD5), "intel:pvc");
  EXPECT_EQ(targetOf(0x56A0), "intel:dg2");
  EXPECT_EQ(targetOf(0xE20B), "intel:bmg");
  EXPECT_EQ(targetOf(0x3E92), "intel:opencl");
  EXPECT_EQ(targetOf(0), "intel:opencl");
}

/// Files that stand for those of a machine.
struct Files {
  std::filesystem::path root;
  Files() {
    std::string text =
        (std::filesystem::temp_directory_path() / "terrazzo-machines-XXXXXX")
            .string();
    root = mkdtemp(text.data());
  }
  ~Files() { std::filesystem::remove_all(root); }
  void write(const std::string &path, const std::string &text) const {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
};

TEST(Machines, AreAskedForGpusOnlyWhereTheVendorMayHaveOne) {
  const Files files;
  EXPECT_FALSE(mayHaveGpu(files.root));
  files.write("dev/dri/card0", "");
  files.write("dev/dri/renderD128", "");
  files.write("sys/class/drm/renderD128/device/vendor", "0x10de\n");
  EXPECT_FALSE(mayHaveGpu(files.root)) << "it is another vendor's";
  files.write("dev/dri/renderD129", "");
  EXPECT_TRUE(mayHaveGpu(files.root)) << "nobody tells whose it is";
  files.write("sys/class/drm/renderD129/device/vendor", "0x1002\n");
  EXPECT_FALSE(mayHaveGpu(files.root));
  files.write("sys/class/drm/renderD129/device/vendor", "0x8086\n");
  EXPECT_TRUE(mayHaveGpu(files.root));
  const Files behindWindows;
  behindWindows.write("dev/dxg", "");
  EXPECT_TRUE(mayHaveGpu(behindWindows.root));
}

TEST(Machines, SayWhoseCodeADeviceRuns) {
  auto tell = [](std::string_view target) {
    return Told(
        plugin::guarded([&] { checkTarget(target, "intel:dg2", "intel:0"); }));
  };
  for (const char *target : {"intel:dg2", "intel:opencl", "intel:pvc-emulated",
                             "intel:dg2-emulated"}) {
    EXPECT_EQ(tell(target).code, TZ_E_OK) << target;
  }
  const Told other = tell("intel:pvc");
  EXPECT_EQ(other.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_EQ(other.text,
            "code for intel:pvc does not run on intel:0, which is intel:dg2");
  EXPECT_EQ(tell("intel:xyz").code, TZ_E_NOT_FOUND);
  EXPECT_EQ(tell("intel:opencl-emulated").code, TZ_E_NOT_FOUND);
}

struct Checks : testing::Test {
  SpirvModule module;
  Abilities has{1, 3, true, true, true, {8, 16, 32}, 1024};

  Checks() {
    module.major = 1;
    module.minor = 3;
    SpirvKernel kernel;
    kernel.name = "k";
    kernel.subgroupSize = 16;
    kernel.argBytes = 8;
    module.kernels.push_back(kernel);
  }
  Told tell() {
    return plugin::guarded([&] { checkModule(module, has, "intel:0"); });
  }
  Told tellLaunch(const tz_launch &launch) {
    return plugin::guarded(
        [&] { checkLaunch(module.kernels.front(), launch, has, "intel:0"); });
  }
};

TEST_F(Checks, TellAllThatADeviceLacksAtOnce) {
  EXPECT_EQ(tell().code, TZ_E_OK);
  module.minor = 4;
  module.capabilities = {CapabilityFloat64, CapabilityFloat16,
                         CapabilityInt64Atomics};
  module.kernels[0].subgroupSize = 64;
  has.hasFloat64 = has.hasFloat16 = has.hasInt64Atomics = false;
  const Told told = tell();
  EXPECT_EQ(told.code, TZ_E_FAILED_PRECONDITION);
  EXPECT_EQ(told.text,
            "intel:0 lacks what the code needs: SPIR-V 1.4 (its driver takes "
            "up to 1.3); 64-bit floats; 16-bit floats; atomics on 64-bit "
            "integers; sub-groups of 64 lanes, which kernel 'k' requires (it "
            "has 8, 16, 32)");
}

TEST_F(Checks, TellOfADriverWithoutSpirv) {
  has.spirvMajor = 0;
  EXPECT_EQ(tell().text,
            "the driver of intel:0 takes no SPIR-V; install a newer one");
}

TEST_F(Checks, RefuseLaunchesThatDoNotFit) {
  const Packed packed = Packed() << uint64_t(0);
  tz_launch launch{};
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  launch.block[0] = 1024;
  launch.args = packed.data();
  launch.args_size = packed.size();
  EXPECT_EQ(tellLaunch(launch).code, TZ_E_OK);
  launch.block[1] = 2;
  EXPECT_EQ(tellLaunch(launch).code, TZ_E_RESOURCE_LIMIT);
  EXPECT_EQ(tellLaunch(launch).text,
            "kernel 'k' runs 2048 work-items a work-group, intel:0 has 1024 at "
            "most; fewer warps need less");
  launch.block[1] = 1;
  launch.dyn_scratch = 64;
  EXPECT_EQ(tellLaunch(launch).code, TZ_E_INVALID_ARGUMENT);
  launch.dyn_scratch = 0;
  launch.cluster[0] = 2;
  EXPECT_EQ(tellLaunch(launch).code, TZ_E_FAILED_PRECONDITION);
  launch.cluster[0] = 1;
  launch.args_size = 4;
  EXPECT_EQ(tellLaunch(launch).text,
            "kernel 'k' reads 8 argument bytes, the launch has 4");
  launch.args_size = 8;
  module.kernels[0].workgroup[0] = 64;
  EXPECT_EQ(tellLaunch(launch).text,
            "kernel 'k' was compiled for work-groups of 64x1x1, the launch "
            "asks for 1024x1x1");
}

} // namespace
} // namespace tz::intel::test
