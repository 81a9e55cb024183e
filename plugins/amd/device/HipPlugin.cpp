//===- HipPlugin.cpp - the exported entry of the device half --------------===//
//
// What   tz_plugin_query_v0 and the table of interfaces.
// Why    The only exported symbol; everything else is hidden by plugin.map.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/HipDevice.h"

#include <terrazzo/plugin/Entry.h>

#include <cstring>

static const void *getInterface(const char *id) {
  return id && std::strcmp(id, "tz.device/1") == 0 ? &tz::amd::deviceApi()
                                                   : nullptr;
}

extern "C" const tz_plugin *tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self =
      tz::plugin::entry("amd", "Terrazzo", TZ_PLUGIN_VERSION,
                        "amd-device " TZ_PLUGIN_VERSION, getInterface);
  return tz::plugin::answer(query, self);
}
