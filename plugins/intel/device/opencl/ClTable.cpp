//===- ClTable.cpp - the table tz.device/1 over OpenCL --------------------===//
//
// What   The platform of this half, which of its devices are real, and the
//        table of its functions.
// Why    See Slots.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/opencl/ClDevice.h"

namespace tz::intel {

std::unique_ptr<tz_platform> Slots::create(const tz_create_desc &desc) {
  return std::make_unique<tz_platform>(
      plugin::libraryOf(desc, "opencl", "TERRAZZO_INTEL_OPENCL"), desc.host);
}

std::span<tz_device *const> Slots::devices(tz_platform &platform,
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
                  "no OpenCL device of a CPU, which would stand in for one as "
                  "intel:opencl; install a runtime (Python package "
                  "intel-opencl-rt) and name the folder of its .icd file in "
                  "OCL_ICD_VENDORS");
  }
  return simulators;
}

void Slots::checkTarget(tz_device &device, std::string_view target) {
  intel::checkTarget(target, device.facts.target, device.label);
}

const tz_device_api &clDeviceApi() { return *plugin::deviceTableOf<Slots>(); }

} // namespace tz::intel
