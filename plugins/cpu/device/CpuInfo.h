//===- CpuInfo.h - What this machine is -----------------------------------===//
//
// What   Features (CpuMachine.h), caches, memory and usable cores of the host
// CPU. Why    The only place that asks the system; the rest asks this.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_CPUINFO_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_CPUINFO_H

#include "plugins/cpu/machine/CpuMachine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tz::cpu {

struct CpuInfo {
  const CpuMachine &machine = CpuMachine::host();
  std::string target; ///< the target id of KernelEntry.h
  unsigned vectorBits = 128;
  unsigned cores = 1; ///< that this process may use
  uint64_t l1dBytes = 0, l2Bytes = 0, l3Bytes = 0;
  uint64_t totalMemory = 0; ///< of the machine, or the control group's limit

  /// Asked once, then remembered.
  static const CpuInfo &host();
};

/// Memory that is available now, in bytes.
uint64_t availableMemory();

/// Empty if `compat` (KernelEntry.h) can run on the machine, else the reason.
std::string whyIncompatible(const CpuMachine &machine, std::string_view compat);

/// The same for a target id; nothing: there is no such target.
std::optional<std::string> whyNotRun(const CpuMachine &machine,
                                     std::string_view target);

} // namespace tz::cpu

#endif
