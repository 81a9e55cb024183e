//===- ZeTable.cpp - the table tz.device/1 over Level Zero ----------------===//
//
// What   What this half alone answers: its library, its devices, occupancy.
// Why    See HalfTable.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/HalfTable.h"
#include "plugins/intel/device/levelzero/ZeDevice.h"

namespace tz::intel {

namespace {

struct ZeHalf : HalfTable {
  static std::unique_ptr<tz_platform> create(const tz_create_desc &desc) {
    return std::make_unique<tz_platform>(
        libraryOf(desc, "level_zero", "TERRAZZO_INTEL_LEVEL_ZERO"));
  }
  static std::span<tz_device *const> devices(tz_platform &platform,
                                             uint32_t which) {
    return which == TZ_DEVICES_REAL
               ? std::span<tz_device *const>(platform.handles)
               : std::span<tz_device *const>();
  }
  static void checkTarget(tz_device &device, std::string_view target) {
    intel::checkTarget(target, device.facts.target, device.label);
  }
  static void finish(tz_stream &stream) { intel::finish(stream); }
  static tz_occupancy occupancy(tz_kernel &kernel, const tz_launch &request) {
    return intel::occupancy(kernel, request);
  }
};

} // namespace

const tz_device_api &zeDeviceApi() { return *plugin::deviceTableOf<ZeHalf>(); }

} // namespace tz::intel
