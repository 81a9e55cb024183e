//===- ClTable.cpp - the table tz.device/1 over OpenCL --------------------===//
//
// What   What this half alone answers: its library, and which devices are real.
// Why    See HalfTable.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/HalfTable.h"
#include "plugins/intel/device/opencl/ClDevice.h"

namespace tz::intel {

namespace {

struct ClHalf : HalfTable {
  static std::unique_ptr<tz_platform> create(const tz_create_desc &desc) {
    return std::make_unique<tz_platform>(
        libraryOf(desc, "opencl", "TERRAZZO_INTEL_OPENCL"));
  }
  static std::span<tz_device *const> devices(tz_platform &platform,
                                             uint32_t which) {
    if (which > TZ_DEVICES_SIMULATED) {
      return {};
    }
    if (which == TZ_DEVICES_REAL) {
      return platform.list(tz_platform::Real);
    }
    const auto &simulators = platform.list(tz_platform::Simulated);
    if (simulators.empty()) {
      throw Failure(TZ_E_UNAVAILABLE,
                    "no OpenCL device of a CPU, which would stand in for one "
                    "as intel:opencl; install a runtime (Python package "
                    "intel-opencl-rt) and "
                    "name the folder of its .icd file in OCL_ICD_VENDORS");
    }
    return simulators;
  }
  static void checkTarget(tz_device &device, std::string_view target) {
    intel::checkTarget(target, device.facts.target, device.label);
  }
};

} // namespace

const tz_device_api &clDeviceApi() { return *plugin::deviceTableOf<ClHalf>(); }

} // namespace tz::intel
