//===- ForeignMemory.h - whose memory an address is in --------------------===//
//
// What   Memory of a device's context, ours or made by others; refuseForeign()
//        throws if an argument is memory of another context.
// Why    Drivers take such an address without a word, and the kernel faults
//        there, or reads what is not its own.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_FOREIGNMEMORY_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_FOREIGNMEMORY_H

#include "plugins/intel/device/SpirvModule.h"

#include <terrazzo/plugin/DeviceMemory.h>
#include <terrazzo/plugin/Error.h>

namespace tz::intel {

/// Memory that another part of the program made in this device's context; as
/// the half's driver says it.
bool describeForeign(tz_device &device, tz_dptr address, tz_mem_info &info);

/// Is the address in memory of this device's context?
template <typename Device>
bool isMemoryOf(Device &device, tz_dptr address) {
  tz_mem_info info{};
  return device.allocations.find(address) ||
         describeForeign(device, address, info);
}

/// Answers memory_info of the table.
template <typename Platform, typename Device>
tz_mem_info memoryInfoOf(Platform &platform, tz_dptr address) {
  tz_mem_info info{};
  Device *device = platform.find([&](Device &one) {
    if (const auto own = one.allocations.find(address)) {
      info.kind = own->second.kind;
      info.base = own->first;
      info.size = own->second.bytes;
      return true;
    }
    return describeForeign(one, address, info);
  });
  if (!device) {
    throw plugin::Failure(
        TZ_E_NOT_FOUND,
        plugin::addressText(address) +
            " is in no memory of a context that is known here: it is "
            "ordinary host memory, of another context, or was freed");
  }
  info.device = device;
  info.context = device->isWrapped ? device->context() : nullptr;
  return info;
}

/// Frees all that is left, when a device goes. `free`: of one allocation.
template <typename Device, typename Free>
void releaseAllOf(Device &device, Free free) {
  for (const auto &[address, left] : device.allocations.takeAll()) {
    try {
      free(left);
    } catch (const plugin::Failure &) {
      // The device goes, and cannot be asked why.
    }
  }
}

/// To be asked where a platform has more than one context.
template <typename Device>
void refuseForeign(Device &device, const SpirvKernel &kernel, uint32_t number,
                   tz_dptr address) {
  if (!address || isMemoryOf(device, address)) {
    return;
  }
  const Device *owner = device.platform.find(
      [&](Device &one) { return &one != &device && isMemoryOf(one, address); });
  if (owner) {
    throw plugin::Failure(
        TZ_E_INVALID_ARGUMENT,
        "argument " + std::to_string(number) + " of kernel '" + kernel.name +
            "' is memory of " + owner->label +
            ", which works in another context than " + device.label);
  }
}

} // namespace tz::intel

#endif
