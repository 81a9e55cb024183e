//===- LoadedCode.cpp - the code of an artifact, and its build log --------===//
//
// What   See LoadedCode.h.
// Why    See LoadedCode.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/LoadedCode.h"

#include <terrazzo/plugin/Error.h>

#include <algorithm>

namespace tz::intel {

tz_bytes spirvOf(const tz_module_desc &desc) {
  for (size_t i = 0; i < desc.num_blobs; ++i) {
    if (plugin::view(desc.blobs[i].format) == "spirv") {
      return desc.blobs[i].bytes;
    }
  }
  throw plugin::Failure(TZ_E_INVALID_ARGUMENT,
                        "the artifact has no blob of format 'spirv'");
}

std::string firstError(std::string_view log) {
  std::string first;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    const std::string line(log.substr(0, end));
    log.remove_prefix(std::min(end + 1, log.size()));
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    if (line.find("rror") != std::string::npos) {
      return line;
    }
    first = first.empty() ? line : first;
  }
  return first;
}

} // namespace tz::intel
