//===- terrazzo/plugin/Entry.h - what tz_plugin_query_v0 answers ----------===//
//
// What   The tz_plugin of a half, and the answer to the host's question for it.
// Why    Sizes, magic and versions in it are facts of the header that the half
//        was compiled with, and nobody has to write them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_ENTRY_H
#define TERRAZZO_PLUGIN_ENTRY_H

#include <terrazzo/plugin/Error.h>

namespace tz::plugin {

/// Texts are static. `name` and `version` are the manifest's; `build` tells
/// people which build this is. flags: TZ_PLUGIN_*.
constexpr tz_plugin entry(std::string_view name, std::string_view vendor,
                          std::string_view version, std::string_view build,
                          const void *(*getInterface)(const char *id),
                          uint32_t flags = 0) {
  return {sizeof(tz_plugin),   TZ_PLUGIN_MAGIC,  TZ_ABI_MAJOR, TZ_ABI_MINOR,
          TZ_ABI_TARGET_MINOR, str(name),        str(vendor),  str(version),
          str(build),          TZ_SANITIZER_TAG, flags,        getInterface};
}

/// NULL for a host of another ABI; of its minor the host judges.
inline const tz_plugin *answer(const tz_query *query, const tz_plugin &self) {
  return query && query->abi_major == TZ_ABI_MAJOR ? &self : nullptr;
}

} // namespace tz::plugin

#endif
