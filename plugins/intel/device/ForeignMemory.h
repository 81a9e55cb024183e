//===- ForeignMemory.h - memory that a kernel must not be given -----------===//
//
// What   refuseForeign() throws if an argument is memory of another context.
// Why    Drivers take such an address without a word, and the kernel faults
//        there, or reads what is not its own.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_FOREIGNMEMORY_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_FOREIGNMEMORY_H

#include "plugins/intel/device/SpirvModule.h"

#include <terrazzo/plugin/Error.h>

namespace tz::intel {

/// To be asked where a platform has more than one context. `isMemoryOf`: is
/// the address in memory of this device's context?
template <typename Device, typename IsMemoryOf>
void refuseForeign(Device &device, const SpirvKernel &kernel, uint32_t number,
                   tz_dptr address, IsMemoryOf isMemoryOf) {
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
