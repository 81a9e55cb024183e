//===- DeviceSampler.h - samples of a plugin's devices ----------*- C++ -*-===//
//
// What   A plugin's "x.terrazzo.sampler/0": made, begun, ended and read; and
//        what it tells, as nodes of a profile.
// Why    See terrazzo/sampler.h. A sample says which kernel it is of, not which
//        launch.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PROFILE_DEVICESAMPLER_H
#define TERRAZZO_RUNTIME_PROFILE_DEVICESAMPLER_H

#include "runtime/device/RuntimeDevice.h"
#include "runtime/profile/Profile.h"

#include <terrazzo/sampler.h>

#include <functional>

namespace tz::runtime {

/// Of one device half. [thread: any]
class DeviceSampler {
public:
  using Reader = std::function<void(const tz_sample &)>;

  /// TZ_E_UNIMPLEMENTED: the plugin takes no samples.
  static Result<std::unique_ptr<DeviceSampler>> open(const Device &device,
                                                     uint64_t period);
  ~DeviceSampler();
  DeviceSampler(const DeviceSampler &) = delete;

  Status enable(bool samples);
  /// Waits for what was launched; `lost`: for which there was no room.
  Status read(const Reader &reader, uint64_t &lost);
  const tz_platform *platform() const { return owner; }
  /// Cycles between two samples of a core, as the device takes them.
  uint64_t period() const { return taken; }
  const std::string &name() const { return label; }

private:
  explicit DeviceSampler(const Device &device);
  Status check(tz_error *error) const { return takeError(error, label); }

  const std::string label;
  const PluginHalf *const half;
  const tz_platform *const owner;
  tz_sampler_api table{};
  tz_sampler *object = nullptr;
  uint64_t taken = 0;
};

/// Puts samples of a device half below the nodes of their kernels. A kernel
/// that has several nodes, or none, has one below "<samples>". With the
/// recorder's lock.
class SampleNodes {
public:
  SampleNodes(Profile &profile, const tz_platform *platform);
  void add(const tz_sample &sample);

private:
  uint32_t kernelNode(std::string_view kernel, int32_t device);

  Profile &profile;
  ProfilePhase &phase;
  const tz_platform *const platform;
  /// Of a kernel on a device; 0: there are several.
  std::map<std::pair<std::string, int32_t>, uint32_t> nodes;
};

} // namespace tz::runtime

#endif
