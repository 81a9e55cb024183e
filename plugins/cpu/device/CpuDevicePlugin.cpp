//===- CpuDevicePlugin.cpp - The exported entry of the device half --------===//
//
// What   tz_plugin_query_v0 and the table of interfaces.
// Why    The only exported symbol; everything else is hidden by plugin.map.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/CpuDevice.h"
#include "plugins/cpu/device/KernelSamples.h"

#include <terrazzo/plugin/Entry.h>

#include <string_view>

static const void *getInterface(const char *id) {
  const std::string_view name = id ? id : "";
  return name == "tz.device/1"
             ? static_cast<const void *>(&tz::cpu::deviceApi())
         : name == TZ_PROFILER_INTERFACE ? &tz::cpu::profilerApi()
         : name == TZ_SAMPLER_INTERFACE  ? &tz::cpu::samplerApi()
                                         : static_cast<const void *>(nullptr);
}

extern "C" const tz_plugin *tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self =
      tz::plugin::entry("cpu", "Terrazzo", TZ_PLUGIN_VERSION,
                        "cpu-device " TZ_PLUGIN_VERSION, getInterface);
  return tz::plugin::answer(query, self);
}
