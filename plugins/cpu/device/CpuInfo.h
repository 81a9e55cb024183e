//===- CpuInfo.h - What this machine is -----------------------------------===//
//
// What   Brand, features, caches, memory and usable cores of the host CPU.
// Why    The only place that asks CPUID and the system; the rest asks this.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_CPUINFO_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_CPUINFO_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tz::cpu {

struct CpuInfo {
  std::string brand;
  std::string target;                ///< the target id of KernelEntry.h
  std::vector<std::string> features; ///< LLVM's names, sorted
  unsigned vectorBits = 128;
  unsigned cores = 1; ///< that this process may use
  uint64_t l1dBytes = 0, l2Bytes = 0, l3Bytes = 0;
  uint64_t totalMemory = 0; ///< of the machine, or the control group's limit

  bool has(std::string_view feature) const;

  /// Asked once, then remembered.
  static const CpuInfo &host();
};

/// Memory that is available now, in bytes.
uint64_t availableMemory();

/// Empty if `compat` (KernelEntry.h) can run on `cpu`, else the reason.
std::string whyIncompatible(const CpuInfo &cpu, std::string_view compat);

} // namespace tz::cpu

#endif
