//===- Plugin.cpp - the exported entry of the device half -----------------===//
//
// What   tz_plugin_query_v0 and the table of interfaces.
// Why    The only exported symbol; everything else is hidden by plugin.map.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/Device.h"

#include <cstring>

namespace {

template <size_t N>
constexpr tz_str literal(const char (&text)[N]) {
  return {text, N - 1};
}

const void *getInterface(const char *id) {
  return id && std::strcmp(id, "tz.device/1") == 0 ? &tz::nvidia::deviceApi()
                                                   : nullptr;
}

constexpr tz_plugin Plugin = {
    sizeof(tz_plugin),
    TZ_PLUGIN_MAGIC,
    TZ_ABI_MAJOR,
    TZ_ABI_MINOR,
    TZ_ABI_MINOR,
    literal("nvidia"),
    literal("Terrazzo"),
    literal(TZ_PLUGIN_VERSION),
    literal("nvidia-device " TZ_PLUGIN_VERSION),
    TZ_SANITIZER_TAG,
    0,
    getInterface,
    nullptr,
};

} // namespace

extern "C" const tz_plugin *tz_plugin_query_v0(const tz_query *query) {
  return query && query->abi_major == TZ_ABI_MAJOR ? &Plugin : nullptr;
}
