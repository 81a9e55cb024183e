//===- DevicePlugin.cpp - the exported entry of the device half -----------===//
//
// What   tz_plugin_query_v0 and the table of interfaces.
// Why    The only exported symbol; everything else is hidden by plugin.map.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/device/CudaDevice.h"
#include "backends/nvidia/device/CuptiRecords.h"
#include "backends/nvidia/device/CuptiSamples.h"

#include <terrazzo/plugin/Entry.h>

#include <string_view>

static const void *getInterface(const char *id) {
  const std::string_view name = id ? id : "";
  return name == "tz.device/1"
             ? static_cast<const void *>(&tz::nvidia::deviceApi())
         : name == TZ_PROFILER_INTERFACE ? &tz::nvidia::profilerApi()
         : name == TZ_SAMPLER_INTERFACE  ? &tz::nvidia::samplerApi()
                                         : static_cast<const void *>(nullptr);
}

extern "C" const tz_plugin *tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self =
      tz::plugin::entry("nvidia", "Terrazzo", TZ_PLUGIN_VERSION,
                        "nvidia-device " TZ_PLUGIN_VERSION, getInterface);
  return tz::plugin::answer(query, self);
}
