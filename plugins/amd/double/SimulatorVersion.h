//===- SimulatorVersion.h - which simulator this is -----------------------===//
//
// What   The text that the library of the simulators answers, and the function
//        that is asked for it.
// Why    A simulator of another release may run other code objects: it is
//        refused in words.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_DOUBLE_SIMULATORVERSION_H
#define TERRAZZO_PLUGINS_AMD_DOUBLE_SIMULATORVERSION_H

namespace tz::amd {

/// const char *(), beside HIP's entry points.
inline constexpr const char *SimulatorVersionSymbol = "tzAmdSimulatorVersion";
inline constexpr const char *SimulatorVersion = "Terrazzo " TZ_AMD_VERSION;

} // namespace tz::amd

#endif
