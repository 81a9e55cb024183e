//===- CudaDriver.h - the CUDA driver, opened at run time -----------------===//
//
// What   The table of the driver's functions, loaded from libcuda.so.1, and the
//        turning of its results into failures that a person can act on.
// Why    Nothing of the vendor's is linked: without a driver Terrazzo still
//        starts, and says what is missing.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUDADRIVER_H
#define TERRAZZO_BACKENDS_NVIDIA_DEVICE_CUDADRIVER_H

#include "backends/nvidia/device/DriverTypes.h"

#include "terrazzo/plugin/Error.h"

namespace tz::nvidia {

using plugin::Failure;

/// The oldest driver served: the first with tensor maps and code for sm_90a.
inline constexpr int OldestDriver = 12000;

/// "12.4" for 12040.
std::string versionText(int version);

namespace driver {
/// Pointers to the functions of DriverFunctions.def.
struct Functions {
#define TZ_DRIVER(member, symbol, parameters)                                  \
  Result(*member) parameters = nullptr;
#include "backends/nvidia/device/DriverFunctions.def"
};
} // namespace driver

/// [thread: any] once it is made.
class Driver : public driver::Functions {
public:
  /// Opens and initialises the library. Empty: the usual libcuda.so.1. Throws
  /// TZ_E_UNAVAILABLE: no driver, too old a driver, or one that does not start.
  explicit Driver(const std::string &library);

  int version() const { return apiVersion; }
  /// False: the driver started and sees no device.
  bool hasDevices() const { return devices; }

  /// What the result means for a program: TZ_E_* and TZ_ERR_*.
  static int32_t codeOf(driver::Result result);
  static uint32_t flagsOf(driver::Result result);

  /// "cannot copy 16 bytes: invalid argument (CUDA_ERROR_INVALID_VALUE);
  /// <cause and cure>". `facts` stand before the cause.
  Failure failure(driver::Result result, std::string_view attempt,
                  std::string_view facts = {}) const;

private:
  int apiVersion = 0;
  bool devices = false;
};

} // namespace tz::nvidia

#endif
