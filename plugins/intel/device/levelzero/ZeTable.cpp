//===- ZeTable.cpp - the table tz.device/1 over Level Zero ----------------===//
//
// What   The platform of this half, and the table of its functions.
// Why    See Slots.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/levelzero/ZeDevice.h"

namespace tz::intel {

std::unique_ptr<tz_platform> Slots::create(const tz_create_desc &desc) {
  return std::make_unique<tz_platform>(
      plugin::libraryOf(desc, "level_zero", "TERRAZZO_INTEL_LEVEL_ZERO"));
}

std::span<tz_device *const> Slots::devices(tz_platform &platform,
                                           uint32_t which) {
  return which == TZ_DEVICES_REAL
             ? std::span<tz_device *const>(platform.handles)
             : std::span<tz_device *const>();
}

void Slots::checkTarget(tz_device &device, std::string_view target) {
  intel::checkTarget(target, device.facts.target, device.label);
}

const tz_device_api &zeDeviceApi() { return *plugin::deviceTableOf<ZeSlots>(); }

} // namespace tz::intel
