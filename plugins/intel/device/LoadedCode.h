//===- LoadedCode.h - the code of an artifact, and its build log ----------===//
//
// What   The SPIR-V among the blobs of an artifact; the line of a log that says
//        what went wrong.
// Why    Both halves load the same artifacts, and quote their drivers alike.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_DEVICE_LOADEDCODE_H
#define TERRAZZO_PLUGINS_INTEL_DEVICE_LOADEDCODE_H

#include <terrazzo/plugin.h>

#include <string>
#include <string_view>

namespace tz::intel {

/// Throws TZ_E_INVALID_ARGUMENT if there is none.
tz_bytes spirvOf(const tz_module_desc &desc);

/// The first line that tells of an error, else the first that says something.
std::string firstError(std::string_view log);

} // namespace tz::intel

#endif
