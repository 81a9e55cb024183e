//===- SimulatedLaunch.h - runs a kernel ----------------------------------===//
//
// What   Executes all work-groups of a launch and reports what it found.
// Why    It is functional: results and mistakes, never time. Caches, the order
//        of work-groups and the rounding of approximations are not modelled.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_SIMULATEDLAUNCH_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_SIMULATEDLAUNCH_H

#include "plugins/amd/simulator/execute/Findings.h"
#include "plugins/amd/simulator/execute/Module.h"

namespace tz::amd::sim {

struct LaunchShape {
  uint32_t groups[3] = {1, 1, 1};     ///< work-groups
  uint32_t items[3] = {1, 1, 1};      ///< work-items of one
  uint32_t dynamicShared = 0;         ///< bytes of LDS beside the kernel's own
  uint64_t limit = uint64_t{1} << 32; ///< wave instructions, then it is endless
};

/// Runs the kernel until its end. `arguments`: the kernel's explicit arguments
/// as its metadata lays them out; hidden ones are filled in. Throws
/// plugin::Failure for a launch that a device refuses; what goes wrong later is
/// in the report. One launch at a time for a memory.
Report launch(Memory &memory, Module &module, const KernelCode &kernel,
              const LaunchShape &shape, std::span<const uint8_t> arguments);

} // namespace tz::amd::sim

#endif
