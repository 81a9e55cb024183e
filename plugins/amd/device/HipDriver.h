//===- HipDriver.h - HIP, opened at run time ------------------------------===//
//
// What   The table of HIP's functions, and the turning of its results into
//        failures that a person can act on.
// Why    Without ROCm Terrazzo still starts, and says what is missing.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_DEVICE_HIPDRIVER_H
#define TERRAZZO_PLUGINS_AMD_DEVICE_HIPDRIVER_H

#include "plugins/amd/device/HipTypes.h"

#include <terrazzo/plugin/Error.h>

namespace tz::amd {

using plugin::Failure;

/// The oldest HIP served: the first with code for gfx942 and today's structs.
inline constexpr int OldestHip = 60000000;

/// "6.2.41134" for 60241134.
std::string versionText(int version);

namespace hip {
/// Pointers to the functions of HipFunctions.def.
struct Functions {
#define TZ_HIP(member, symbol, parameters) Result(*member) parameters = nullptr;
#include "plugins/amd/device/HipFunctions.def"
  const char *(*getErrorName)(Result) = nullptr;
  const char *(*getErrorString)(Result) = nullptr;
};
} // namespace hip

/// [thread: any] once it is made.
class HipDriver : public hip::Functions {
public:
  /// Opens and starts the library. Empty: libamdhip64 of the versions served.
  /// Throws TZ_E_UNAVAILABLE: no HIP, too old a one, or one that does not
  /// start.
  explicit HipDriver(const std::string &library);

  int version() const { return hipVersion; }
  /// Devices that it sees; 0 without one.
  int deviceCount() const { return devices; }

  /// What the result means for a program: TZ_E_* and TZ_ERR_*.
  static int32_t codeOf(hip::Result result);
  static uint32_t flagsOf(hip::Result result);

  /// HIP keeps the last error of a thread, which a program asks for behind its
  /// own calls. What we have told of is taken out.
  hip::Result told(hip::Result result) const {
    if (result != hip::Success) {
      (void)getLastError();
    }
    return result;
  }

  /// "cannot copy 16 bytes: invalid argument (hipErrorInvalidValue); <cause
  /// and cure>". `facts` stand before the cause.
  Failure failure(hip::Result result, std::string_view attempt,
                  std::string_view facts = {}) const;

private:
  int hipVersion = 0, devices = 0;
};

} // namespace tz::amd

#endif
