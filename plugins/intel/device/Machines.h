//===- Machines.h - which code a device runs ------------------------------===//
//
// What   From a device of the bus to the code target of the compiler half, and
//        whether a device runs the code of another one.
// Why    Both drivers tell the same number of a device, and both halves answer
//        the same.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_MACHINES_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_MACHINES_H

#include "plugins/intel/device/SpirvModule.h"

#include <terrazzo/plugin.h>

#include <filesystem>

namespace tz::intel {

/// The vendor's number on the bus.
inline constexpr uint32_t VendorId = 0x8086;
/// Code that needs nothing beyond OpenCL: every device runs it.
inline constexpr std::string_view GenericTarget = "intel:opencl";

/// Whether the machine may have a GPU of the vendor, by the system's list of
/// graphics devices. Asking OpenCL instead would load the driver of every
/// vendor, which for that of a CPU alone takes a second. `root`: of the files.
bool mayHaveGpu(const std::filesystem::path &root = "/");

/// "intel:pvc" of a device's number on the bus; GenericTarget of one that is in
/// no table.
std::string_view targetOf(uint32_t deviceId);

/// Throws TZ_E_NOT_FOUND if there is no such target, TZ_E_FAILED_PRECONDITION
/// if the device `label`, whose own is `own`, does not run its code. Code that
/// emulates a machine ("intel:pvc-emulated") runs on every device.
void checkTarget(std::string_view target, std::string_view own,
                 std::string_view label);

/// What a module may need and a device lack.
struct Abilities {
  uint32_t spirvMajor = 0, spirvMinor = 0; ///< the newest; 0: none at all
  bool hasFloat16 = false, hasFloat64 = false, hasInt64Atomics = false;
  std::vector<uint32_t> subgroupSizes; ///< empty: the driver does not tell
  uint32_t maxWorkgroup = 0;
};

/// Throws TZ_E_FAILED_PRECONDITION with all that the device `label` lacks.
void checkModule(const SpirvModule &module, const Abilities &has,
                 std::string_view label);

/// Throws unless the launch fits the kernel and the device. `hasArguments`: not
/// where it is only asked about.
void checkLaunch(const SpirvKernel &kernel, const tz_launch &request,
                 const Abilities &has, std::string_view label,
                 bool hasArguments = true);

} // namespace tz::intel

#endif
