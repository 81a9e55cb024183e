//===- HipFixture.h - the half over HIP, on simulated devices -------------===//
//
// What   The simulators' library in place of HIP, as if its devices were real.
// Why    Every test of this half begins with these.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_DEVICE_TEST_HIPFIXTURE_H
#define TERRAZZO_PLUGINS_AMD_DEVICE_TEST_HIPFIXTURE_H

#include "test/halves/FaultyCalls.h"
#include "test/halves/HalfFixture.h"

#include "plugins/amd/device/HipDevice.h"

namespace tz::amd::hip {
/// What a call that is to fail answers (FaultyCalls.h).
inline Result failureOf(Result) { return LaunchOutOfResources; }
} // namespace tz::amd::hip

namespace tz::amd::test {

using namespace halves;

inline std::string kernelsFor(const std::string &processor) {
  return bytesOf(TZ_TEST_KERNELS "/kernels." + processor + ".hsaco");
}

class HipFixture : public HalfFixture {
protected:
  HipFixture() : HalfFixture(deviceApi(), "hsaco", kernelsFor("gfx942")) {}

  Told open(const std::string &library = TZ_TEST_SIMULATOR) {
    return HalfFixture::open("hip", library);
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
  HipDevice &hipDevice() { return *reinterpret_cast<HipDevice *>(device); }

  /// Every function of HIP can fail from now on.
  void watchCalls() {
    const std::vector<tz_device *> found = devices(TZ_DEVICES_REAL);
    auto &driver = const_cast<HipDriver &>(
        reinterpret_cast<HipDevice *>(found.front())->driver);
    hip::Functions &table = driver;
#define TZ_HIP(member, symbol, parameters)                                     \
  FaultyCall<&hip::Functions::member>::stand(table, #symbol);
#include "plugins/amd/device/HipFunctions.def"
  }
  /// Bytes of device memory that nobody freed.
  static int objectsLeft() {
    static const HipDriver driver(TZ_TEST_SIMULATOR);
    size_t free = 0, total = 0;
    EXPECT_EQ(driver.memGetInfo(&free, &total), hip::Success);
    return int(total - free);
  }
  static int sharedUses() { return 0; } // a launch keeps nothing in its kernel
  static constexpr int32_t Pace = 2000;
};

} // namespace tz::amd::test

namespace tz::halves {
using HalfUnderTest = amd::test::HipFixture;
}

#endif
