//===- ZePlugin.cpp - the exported entry of the half over Level Zero ------===//
//
// What   tz_plugin_query_v0 and the table of interfaces.
// Why    The only exported symbol; everything else is hidden by the map file.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/levelzero/ZeDevice.h"

#include <terrazzo/plugin/Entry.h>

#include <cstring>

static const void *getInterface(const char *id) {
  return id && std::strcmp(id, "tz.device/1") == 0 ? &tz::intel::zeDeviceApi()
                                                   : nullptr;
}

extern "C" const tz_plugin *tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self =
      tz::plugin::entry("intel", "Terrazzo", TZ_PLUGIN_VERSION,
                        "intel-level-zero " TZ_PLUGIN_VERSION, getInterface);
  return tz::plugin::answer(query, self);
}
