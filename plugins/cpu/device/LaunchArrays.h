//===- LaunchArrays.h - The memory that a launch's arguments belong to ----===//
//
// What   For checked code (TZ_CPU_KERNEL_CHECKED): where the memory of each
//        pointer argument begins and ends, and the judge of accesses that the
//        code's own quick test did not pass.
// Why    Kernels get addresses. How far the arrays behind them reach, the
//        launch says (tz_known_memory), or the device's own allocations.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_LAUNCHARRAYS_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_LAUNCHARRAYS_H

#include "plugins/cpu/KernelEntry.h"
#include "plugins/cpu/device/CpuMemory.h"

#include "terrazzo/plugin.h"

#include <span>
#include <string>
#include <vector>

namespace tz::cpu {

class LaunchArrays {
public:
  /// `arguments` describes those of the code. An argument of which nothing is
  /// known may touch everything; null may touch nothing.
  LaunchArrays(std::span<const tz_cpu_argument> arguments,
               const tz_launch &launch, CpuMemory &memory);

  /// One for each argument; of a number, no meaning.
  const tz_cpu_bounds *bounds() const { return all.data(); }
  /// [in the kernel] May an access of that many bytes be made?
  bool holds(const tz_cpu_access &access, uint64_t address) const;
  /// "element 1003 of 'x', which has elements 0 to 999": what is wrong with an
  /// access that may not.
  std::string describe(const tz_cpu_access &access, uint64_t address) const;

private:
  std::span<const tz_cpu_argument> arguments;
  std::vector<tz_cpu_bounds> all;
  std::vector<uint64_t> addresses;
};

} // namespace tz::cpu

#endif
