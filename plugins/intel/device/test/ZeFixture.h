//===- ZeFixture.h - the half over Level Zero, on the driver of the tests -===//
//
// What   The real loader with its validation layer, and behind it the driver of
//        ZeSim.h.
// Why    Every test of this half begins with these. Without a loader or an
//        OpenCL runtime they are skipped.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_ZEFIXTURE_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_TEST_ZEFIXTURE_H

#include "test/halves/FaultyCalls.h"
#include "test/halves/HalfFixture.h"

#include "plugins/intel/device/levelzero/ZeDevice.h"
#include "plugins/intel/device/test/TestCode.h"
#include "plugins/intel/device/test/ZeSim.h"

#include <dlfcn.h>

namespace tz::intel::test {

using namespace halves;

/// The library of the tests' driver; the same that the loader opens.
inline ZeSim *simOf() {
  static ZeSim *const found = [] {
    void *library = dlopen(TZ_TEST_LEVEL_ZERO, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "zeSim") : nullptr;
    ZeSimEntry entry = nullptr;
    std::memcpy(&entry, &symbol, sizeof(entry));
    return entry ? entry() : nullptr;
  }();
  return found;
}

/// The loader reads these at its start, which is the first test's.
inline void chooseSim() {
  setenv("ZE_ENABLE_ALT_DRIVERS", TZ_TEST_LEVEL_ZERO, 1);
  setenv("ZE_ENABLE_VALIDATION_LAYER", "1", 1);
  setenv("ZE_ENABLE_PARAMETER_VALIDATION", "1", 1);
}

class ZeFixture : public HalfFixture {
protected:
  ZeFixture() : HalfFixture(zeDeviceApi(), "spirv", spirv()) {}

  Told open() { return HalfFixture::open("level_zero", ""); }

  void SetUp() override {
    chooseSim();
    ASSERT_TRUE(simOf());
    sim().reset();
    static const Told first = [this] {
      const Told told = open();
      api.destroy(platform);
      platform = nullptr;
      return told;
    }();
    if (first.code == TZ_E_UNAVAILABLE) {
      GTEST_SKIP() << first.text
                   << " (Debian: libze1), or no OpenCL runtime for CPUs behind "
                      "it; ci/setup installs one, and OCL_ICD_VENDORS names "
                      "the folder with its .icd file";
    }
  }
  /// A platform, its first device, a stream.
  void begin() {
    const Told made = open();
    ASSERT_EQ(made.code, TZ_E_OK) << made.text;
    const std::vector<tz_device *> found = devices(TZ_DEVICES_REAL);
    ASSERT_FALSE(found.empty());
    device = found.front();
    const Told told = calls.createStream(device, 0, &stream);
    ASSERT_EQ(told.code, TZ_E_OK) << told.text;
  }
  void TearDown() override {
    sim().failing.clear();
    HalfFixture::TearDown();
    EXPECT_EQ(sim().misused, 0) << "events signalled twice or reset too early";
    EXPECT_EQ(sim().live, 0) << "objects of the driver are left";
  }
  static ZeSim &sim() { return *simOf(); }
  /// Every function of the loader can fail from now on.
  void watchCalls() {
    auto &driver = const_cast<ZeDriver &>(platform->driver);
#define TZ_LEVEL_ZERO(name) FaultyCall<&ZeDriver::name>::stand(driver, #name);
#include "plugins/intel/device/levelzero/ZeFunctions.def"
  }
  static int objectsLeft() { return sim().live; }
  static constexpr int32_t Pace = 1;
  static int sharedUses() { return sim().shared; }
};

} // namespace tz::intel::test

namespace tz::halves {
using HalfUnderTest = intel::test::ZeFixture;
}

#endif
