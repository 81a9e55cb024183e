//===- NoDeviceHip.cpp - a HIP without a device ---------------------------===//
//
// What   Every function is there and answers that there is no device.
//        TZ_TEST_HIP_VERSION is the version that it tells.
// Why    What a machine without a GPU, or with an old ROCm, answers.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/HipTypes.h"

#include <cstdlib>

using namespace tz::amd::hip;

#define TZ_HIP_ENTRY extern "C" [[gnu::visibility("default")]]

/// hipInit of a real one answers so, too.
static Result none() { return NoDevice; }

TZ_HIP_ENTRY Result hipRuntimeGetVersion(int *version) {
  const char *text = std::getenv("TZ_TEST_HIP_VERSION");
  *version = text ? std::atoi(text) : 60000000;
  return Success;
}
#define hipRuntimeGetVersion ignored
#define TZ_HIP(member, symbol, parameters)                                     \
  TZ_HIP_ENTRY Result symbol parameters { return none(); }
#include "plugins/amd/device/HipFunctions.def"
#undef hipRuntimeGetVersion

TZ_HIP_ENTRY const char *hipGetErrorName(Result) { return "hipErrorNoDevice"; }
TZ_HIP_ENTRY const char *hipGetErrorString(Result) { return "no device"; }
