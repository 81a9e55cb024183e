//===- NullDevice.cpp - device half of the null plugin --------------------===//
//
// What   A device whose memory is the host's: allocations, copies and fills are
//        real and done at once; a launch checks what it is given and runs
//        nothing.
// Why    The smallest honest device half. Whatever does not need a kernel's
//        result works on it, so the runtime is tested without any hardware.
//===----------------------------------------------------------------------===//
#include <terrazzo/plugin/HostMemory.h>

namespace {

using namespace tz::plugin;

struct NullKernel {};

struct NullModule {
  NullKernel kernel;

  NullKernel *find(std::string_view) { return &kernel; }
};

struct NullStream : HostStream {
  void launch(NullKernel &, const tz_launch &launch) {
    for (uint32_t axis : launch.grid) {
      if (axis == 0) {
        throw Failure(TZ_E_INVALID_ARGUMENT, "a grid axis is 0");
      }
    }
  }
};

struct NullDevice : HostDevice {
  using Stream = NullStream;
  using Module = NullModule;
  using Kernel = NullKernel;

  static std::vector<std::unique_ptr<NullDevice>>
  enumerate(const tz_create_desc &) {
    std::vector<std::unique_ptr<NullDevice>> devices;
    devices.push_back(std::make_unique<NullDevice>());
    return devices;
  }

  tz_device_info describe() {
    tz_device_info info{};
    info.name = str("null device (runs nothing)");
    info.target = str("null:any");
    info.driver_version = str(TZ_PLUGIN_VERSION);
    info.flags = TZ_DEVICE_HOST_MEMORY;
    info.dlpack_type = 1;
    info.compute_units = 1;
    info.subgroup_size = 1;
    info.max_threads_per_block = 1;
    return info;
  }
  std::unique_ptr<Stream> createStream(const tz_stream_desc &) {
    return std::make_unique<NullStream>();
  }
  std::unique_ptr<Module> load(const tz_module_desc &) {
    return std::make_unique<NullModule>();
  }
  void checkArtifact(std::string_view compat) {
    if (compat != "null") {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "the artifact was not made by the null plugin");
    }
  }
  // A device that runs some of the compiler half's targets alone would throw
  // TZ_E_FAILED_PRECONDITION with the reason for the others.
  void checkTarget(std::string_view target) {
    if (target != "null:any") {
      throw Failure(TZ_E_NOT_FOUND, "there is null:any alone");
    }
  }
};

const void *getInterface(const char *id) {
  return std::string_view(id) == "tz.device/1" ? deviceTable<NullDevice>()
                                               : nullptr;
}

} // namespace

extern "C" TZ_PLUGIN_EXPORT const tz_plugin *
tz_plugin_query_v0(const tz_query *query) {
  static constexpr tz_plugin self =
      entry("null", "Terrazzo", TZ_PLUGIN_VERSION,
            "null-device " TZ_PLUGIN_VERSION, getInterface);
  return answer(query, self);
}
