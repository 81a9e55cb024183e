//===- DeviceSampler.cpp - samples of a plugin's devices ------------------===//
//
// What   See DeviceSampler.h.
// Why    See DeviceSampler.h.
//===----------------------------------------------------------------------===//
#include "runtime/profile/DeviceSampler.h"

#include "runtime/launch/VariantSymbols.h"

#include <cstring>

namespace tz::runtime {

DeviceSampler::DeviceSampler(const Device &device)
    : label(device.plugin().name()), half(device.half().place),
      owner(device.half().platform) {}

Result<std::unique_ptr<DeviceSampler>> DeviceSampler::open(const Device &device,
                                                           uint64_t period) {
  const Plugin::DeviceHalf &half = device.half();
  const std::string &plugin = device.plugin().name();
  PluginMark mark(*half.place, "get_interface");
  const void *found = half.info->get_interface(TZ_SAMPLER_INTERFACE);
  if (!found) {
    return Status(TZ_E_UNIMPLEMENTED, "the plugin '" + plugin +
                                          "' takes no samples of instructions");
  }
  std::unique_ptr<DeviceSampler> made(new DeviceSampler(device));
  made->table = wholeTable(static_cast<const tz_sampler_api *>(found));
  const tz_sampler_api &table = made->table;
  if (!table.create || !table.destroy || !table.enable || !table.read) {
    return Status(TZ_E_INTERNAL,
                  plugin + ": a function of its sampler is missing");
  }
  made->taken = period;
  Status s =
      made->check(table.create(half.platform, &made->taken, &made->object));
  return s.ok() ? Result<std::unique_ptr<DeviceSampler>>(std::move(made)) : s;
}

DeviceSampler::~DeviceSampler() {
  if (object) {
    PluginMark mark(*half, "sampler.destroy");
    table.destroy(object);
  }
}

Status DeviceSampler::enable(bool samples) {
  PluginMark mark(*half, "sampler.enable");
  return check(table.enable(object, samples));
}

Status DeviceSampler::read(const Reader &reader, uint64_t &lost) {
  struct Call {
    const Reader &reader;
    bool isComplete = true;
  } call{reader};
  auto told = [](void *ctx, const tz_sample *given) {
    auto &call = *static_cast<Call *>(ctx);
    // A plugin may know a shorter or a longer struct.
    tz_sample sample{};
    if (given->struct_size < offsetof(tz_sample, device)) {
      return;
    }
    std::memcpy(static_cast<void *>(&sample), given,
                std::min(given->struct_size, sizeof(sample)));
    try {
      call.reader(sample);
    } catch (const std::bad_alloc &) { // nothing leaves through the plugin
      call.isComplete = false;
    }
  };
  PluginMark mark(*half, "sampler.read");
  Status s = check(table.read(object, &call, told, &lost));
  return s.ok() && !call.isComplete
             ? Status(TZ_E_OUT_OF_MEMORY, "no memory for samples")
             : s;
}

//===--- Nodes ------------------------------------------------------------===//

SampleNodes::SampleNodes(Profile &profile, const tz_platform *platform)
    : profile(profile), phase(*profile.current()), platform(platform) {
  const std::deque<ProfileNode> &all = phase.nodes();
  for (uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].device != NoDevice && all[all[i].parent].device == NoDevice) {
      auto [known, isNew] = nodes.try_emplace({all[i].name, all[i].device}, i);
      known->second = isNew ? i : 0;
    }
  }
}

uint32_t SampleNodes::kernelNode(std::string_view kernel, int32_t device) {
  auto known = nodes.find({std::string(kernel), device});
  if (known != nodes.end() && known->second) {
    return known->second;
  }
  return phase.child(phase.child(0, "<samples>"), kernel, device);
}

void SampleNodes::add(const tz_sample &sample) {
  const int32_t device = profile.place(platform, int(sample.device));
  const std::string kernel = functionOfSymbol(view(sample.kernel));
  const uint32_t node = kernelNode(kernel, device);
  uint32_t line = node; // of code without one: the kernel itself
  if (sample.file.size && sample.line) {
    line = phase.child(node, std::string(view(sample.file)) + ":" +
                                 std::to_string(sample.line) + "@" + kernel);
  }
  auto count = [&](const std::string &metric) {
    const NamedMetric value = namedMetric(metric, int64_t(sample.count));
    if (Result<uint32_t> number = profile.metrics.number(value)) {
      phase.addMetric(line, *number, value);
    }
  };
  count("num_samples");
  if (sample.reason.size) {
    count("num_stalled_samples");
    count("stalled_" + std::string(view(sample.reason)));
  }
}

} // namespace tz::runtime
