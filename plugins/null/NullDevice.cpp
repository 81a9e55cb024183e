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

struct NullCode final : Code {
  std::string name;
};

struct NullModule final : Module {
  NullCode code;

  Code *find(std::string_view kernel) override {
    code.name = kernel;
    return &code;
  }
};

struct NullStream final : HostStream {
  void launch(Code &, const tz_launch &launch) override {
    for (uint32_t axis : launch.grid) {
      if (axis == 0) {
        throw Failure(TZ_E_INVALID_ARGUMENT, "a grid axis is 0");
      }
    }
  }
};

struct NullDevice final : HostDevice {
  static std::vector<std::unique_ptr<Device>> enumerate(const tz_host *) {
    std::vector<std::unique_ptr<Device>> devices;
    devices.push_back(std::make_unique<NullDevice>());
    return devices;
  }

  tz_device_info describe() override {
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
  std::unique_ptr<Stream> createStream(int32_t) override {
    return std::make_unique<NullStream>();
  }
  std::unique_ptr<Module> load(const tz_blob *, size_t) override {
    return std::make_unique<NullModule>();
  }
  void checkArtifact(std::string_view compat) override {
    if (compat != "null") {
      throw Failure(TZ_E_FAILED_PRECONDITION,
                    "the artifact was not made by the null plugin");
    }
  }
  // A device that runs some of the compiler half's targets alone would throw
  // TZ_E_FAILED_PRECONDITION with the reason for the others.
  void checkTarget(std::string_view target) override {
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
