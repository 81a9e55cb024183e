//===- ClFixture.h - the half over OpenCL, on a CPU's runtime -------------===//
//
// What   The library of the tests in front of the real one; its CPU as a GPU,
//        so that it works as a device does and not as a simulator.
// Why    Every test of this half begins with these. Without a runtime they are
//        skipped.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_CLFIXTURE_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_CLFIXTURE_H

#include "test/halves/FaultyCalls.h"
#include "test/halves/HalfFixture.h"

#include "plugins/intel/device/opencl/ClDevice.h"
#include "plugins/intel/device/test/ClShim.h"
#include "plugins/intel/device/test/TestCode.h"

#include <dlfcn.h>

namespace tz::intel::test {

using namespace halves;

#ifdef TZ_TEST_OPENCL
inline const std::string ShimLibrary = TZ_TEST_OPENCL;
#else
inline const std::string ShimLibrary;
#endif

/// Null without an OpenCL loader on the machine.
inline ClShim *shimOf() {
  static ClShim *const found = [] {
    void *library = ShimLibrary.empty()
                        ? nullptr
                        : dlopen(ShimLibrary.c_str(), RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "clShim") : nullptr;
    ClShimEntry entry = nullptr;
    std::memcpy(&entry, &symbol, sizeof(entry));
    return entry ? entry() : nullptr;
  }();
  return found;
}

class ClFixture : public HalfFixture {
protected:
  ClFixture() : HalfFixture(clDeviceApi(), "spirv", spirv()) {}

  static bool hasRuntime() {
    const ClDriver driver(ShimLibrary);
    for (cl_platform_id platform : driver.platforms()) {
      if (!driver.devices(platform, CL_DEVICE_TYPE_CPU).empty()) {
        return true;
      }
    }
    return false;
  }
  Told open() { return HalfFixture::open("opencl", ShimLibrary); }

  void SetUp() override {
    if (!shimOf()) {
      GTEST_SKIP() << "no OpenCL loader on this machine (Debian: "
                      "ocl-icd-libopencl1)";
    }
    shim().reset();
    static const bool isThere = hasRuntime();
    if (!isThere) {
      GTEST_SKIP() << "no OpenCL runtime for CPUs; ci/setup installs one, and "
                      "OCL_ICD_VENDORS names the folder with its .icd file";
    }
    shim().reset();
    shim().isGpu = true;
  }
  /// A platform, its first device, a stream.
  void begin() {
    const Told made = open();
    ASSERT_EQ(made.code, TZ_E_OK) << made.text;
    const std::vector<tz_device *> found = devices(TZ_DEVICES_REAL);
    ASSERT_FALSE(found.empty());
    device = found.front();
    ASSERT_EQ(Told(calls.createStream(device, 0, &stream)).code, TZ_E_OK);
  }
  void TearDown() override {
    if (ClShim *known = shimOf()) {
      known->failing.clear();
    }
    HalfFixture::TearDown();
  }
  static ClShim &shim() { return *shimOf(); }
  /// Every function of the library can fail from now on.
  void watchCalls() {
    auto &driver = const_cast<ClDriver &>(platform->driver);
#define TZ_OPENCL(name) FaultyCall<&ClDriver::name>::stand(driver, #name);
#include "plugins/intel/device/opencl/ClFunctions.def"
  }
  static int objectsLeft() { return 0; } // nobody counts them
  static constexpr int32_t Pace = 1;
  static int sharedUses() { return shim().shared; }
};

} // namespace tz::intel::test

namespace tz::halves {
using HalfUnderTest = intel::test::ClFixture;
}

#endif
