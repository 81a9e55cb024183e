//===- Architecture.h - which code runs on which device -------------------===//
//
// What   "sm_90a" as a value; the target id of a device; whether a device takes
//        the code that an artifact's `compat` text names.
// Why    The rules of the vendor's binary compatibility, written down once.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_DEVICE_ARCHITECTURE_H
#define TERRAZZO_BACKENDS_NVIDIA_DEVICE_ARCHITECTURE_H

#include <optional>
#include <string>
#include <string_view>

namespace tz::nvidia {

/// sm_90a: machine code; compute_80: PTX, which the driver compiles.
struct Architecture {
  int major = 0, minor = 0;
  char variant = 0; ///< 'a': this capability alone; 'f': its family; 0: plain
  bool portable = false; ///< compute_

  /// "sm_90a", "compute_80"; nothing else.
  static std::optional<Architecture> parse(std::string_view text);
  bool runsOn(int deviceMajor, int deviceMinor) const;
};

/// "nvidia:sm_90a": the features of one machine from capability 9.0 on, where
/// they exist.
std::string targetOf(int major, int minor);

/// Why a device does not take an artifact; empty: it does. `compat` is a list
/// "sm_90a;compute_80" of what the artifact holds; one that runs is enough.
std::string whyIncompatible(std::string_view compat, int major, int minor);

/// Why a device does not run code for a target, "nvidia:sm_90a"; empty: it
/// does. Nothing: there is no such target.
std::optional<std::string> whyNotRun(std::string_view target, int major,
                                     int minor);

} // namespace tz::nvidia

#endif
