//===- Notes.h - what a SPIR-V module says to the device half -------------===//
//
// What   Texts of OpModuleProcessed.
// Why    Some choices of the compiler half are options of the driver's, for
//        which SPIR-V has no words that all drivers know.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_NOTES_H
#define TERRAZZO_PLUGINS_INTEL_NOTES_H

#include <string_view>

namespace tz::intel {

/// 256 registers for each sub-group, of which half as many then run beside each
/// other.
inline constexpr std::string_view LargeFileNote =
    "terrazzo: large register file";

/// How OpenCL's compiler for GPUs is asked for them.
inline constexpr std::string_view LargeFileOption =
    "-cl-intel-256-GRF-per-thread";

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_NOTES_H
