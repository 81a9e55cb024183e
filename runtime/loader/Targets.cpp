//===- Targets.cpp - from "cpu:1" to a plugin, a code target, a device ----===//
//
// What   The grammar of TERRAZZO_TARGET: a comma list of
//        plugin[:device number | :code target], or "auto".
// Why    The same text means the same in the environment, in the C API and on
//        the command line.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Registry.h"

#include <map>

namespace tz::runtime {

static Result<std::string> deviceTarget(Plugin &plugin, size_t index) {
  Result<const Plugin::DeviceHalf *> half = plugin.device();
  if (!half) {
    return half.takeStatus();
  }
  tz_device_info info{};
  info.struct_size = sizeof(info);
  Status s = takeError(
      (*half)->api->device_info((*half)->devices[index], &info), plugin.name());
  if (!s.ok()) {
    return s;
  }
  return std::string(view(info.target));
}

static Result<Target> onDevice(Plugin &plugin, std::string_view spec,
                               std::string_view rest) {
  Result<const Plugin::DeviceHalf *> half = plugin.device();
  if (!half) {
    return half.takeStatus();
  }
  size_t count = (*half)->devices.size();
  if (count == 0) {
    return Status(TZ_E_UNAVAILABLE, "target '" + std::string(spec) +
                                        "': plugin '" + plugin.name() +
                                        "' found no device in this machine");
  }
  size_t index = 0;
  bool isNumber =
      !rest.empty() && rest.size() < 5 &&
      rest.find_first_not_of("0123456789") == std::string_view::npos;
  if (isNumber) {
    index = size_t(std::stoul(std::string(rest)));
    if (index >= count) {
      return Status(TZ_E_NOT_FOUND,
                    "target '" + std::string(spec) + "': there are " +
                        std::to_string(count) + " devices, numbered from 0");
    }
  }
  Target target{&plugin, {}, int(index)};
  if (!isNumber && !rest.empty()) {
    // A code target chosen by hand; whether this device runs it is checked when
    // the artifact is loaded.
    target.id = spec;
    return target;
  }
  Result<std::string> id = deviceTarget(plugin, index);
  if (!id) {
    return id.takeStatus();
  }
  target.id = std::move(*id);
  return target;
}

static Result<Target> forCode(Plugin &plugin, std::string_view spec,
                              std::string_view rest) {
  Result<const Plugin::CompilerHalf *> half = plugin.compiler();
  if (!half) {
    return half.takeStatus();
  }
  Target target{&plugin, std::string(spec), -1};
  if (rest.empty()) {
    if ((*half)->targets.empty()) {
      return Status(TZ_E_UNAVAILABLE,
                    "plugin '" + plugin.name() + "' lists no target");
    }
    target.id = (*half)->targets.front();
  }
  return target;
}

Result<Target> Registry::resolveOne(std::string_view spec,
                                    bool needDevice) const {
  size_t colon = spec.find(':');
  std::string_view rest =
      colon == std::string_view::npos ? "" : spec.substr(colon + 1);
  Result<Plugin *> plugin = find(spec.substr(0, colon));
  if (!plugin) {
    return plugin.takeStatus();
  }
  Result<Target> target = onDevice(**plugin, spec, rest);
  if (target || needDevice) {
    return target;
  }
  return forCode(**plugin, spec, rest);
}

Result<Target> Registry::resolve(std::string_view spec, bool needDevice) const {
  std::string text(spec);
  bool fromEnvironment = false;
  if (text.empty()) {
    if (auto variable =
            readEnvironment ? environment("TERRAZZO_TARGET") : std::nullopt) {
      text = *variable;
      fromEnvironment = !text.empty();
    }
  }
  if (text.empty()) {
    text = "auto";
  }
  Status first;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string one = text.substr(begin, end - begin);
    begin = end + 1;
    if (one.empty()) {
      continue;
    }
    Result<Target> target =
        one == "auto" ? resolveAuto(needDevice) : resolveOne(one, needDevice);
    if (target) {
      return target;
    }
    if (first.ok()) {
      first = target.takeStatus();
    }
  }
  if (first.ok()) {
    first = Status(TZ_E_INVALID_ARGUMENT, "no target in '" + text + "'");
  }
  return fromEnvironment ? std::move(first).in("TERRAZZO_TARGET") : first;
}

Result<Target> Registry::resolveAuto(bool needDevice) const {
  // Highest priority first, among equals the one found first.
  std::multimap<int, Plugin *, std::greater<int>> order;
  for (Plugin *plugin : plugins()) {
    order.emplace(plugin->description().priority, plugin);
  }
  Status first;
  std::optional<Target> launchOnly;
  for (auto &[priority, plugin] : order) {
    if (priority < 0) {
      continue;
    }
    Result<Target> target = resolveOne(plugin->name(), needDevice);
    if (target) {
      if (!wantsCompiler || plugin->compilerFile().ok()) {
        return target;
      }
      if (!launchOnly) {
        launchOnly = std::move(*target);
      }
      continue;
    }
    if (first.ok()) {
      first = target.takeStatus();
    }
  }
  if (launchOnly) {
    return std::move(*launchOnly);
  }
  return first.ok() ? Status(TZ_E_NOT_FOUND,
                             "no plugin with a device was found; `tz targets "
                             "-v` lists what was looked at")
                    : first;
}

} // namespace tz::runtime
