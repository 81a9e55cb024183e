//===- Targets.cpp - from "cpu:1" to a plugin, a code target, a device ----===//
//
// What   The grammar of TERRAZZO_TARGET: a comma list of
//        plugin[:device number][:code target], or "auto". What a code target
//        means is asked of the plugin's halves.
// Why    The same text means the same in the environment, in the C API and on
//        the command line; and a target that was named is what runs, or is
//        refused before anything is compiled.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Registry.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tz::runtime {

namespace {

/// "cpu:1:x86-64-v4" in its parts.
struct Spec {
  std::string text, plugin;
  std::optional<size_t> device;
  std::string code; // empty: the device's own

  explicit Spec(const std::string &text);
  /// The id of the code target.
  std::string id() const { return plugin + ":" + code; }
  Status error(int32_t code, const std::string &what) const {
    return Status(code, "target '" + text + "': " + what);
  }
};

Spec::Spec(const std::string &text) : text(text) {
  const size_t colon = text.find(':');
  plugin = text.substr(0, colon);
  std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  const size_t digits =
      std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits > 0 && digits < 5 &&
      (digits == rest.size() || rest[digits] == ':')) {
    device = size_t(std::stoul(rest.substr(0, digits)));
    rest.erase(0, digits + 1);
  }
  code = std::move(rest);
}

/// One of a plugin's devices, with its number.
struct Place : Plugin::DevicePlace {
  size_t index;
};

} // namespace

static Status noDevice(const Plugin &plugin, const Spec &spec) {
  return spec.error(TZ_E_UNAVAILABLE, "plugin '" + plugin.name() +
                                          "' found no device in this machine");
}

/// The device of the number that was given, else the first that is real: a
/// simulator is never taken for want of a device.
static Result<Place> findDevice(Plugin &plugin, const Spec &spec) {
  Result<const Plugin::DeviceList *> list = plugin.devices();
  if (!list) {
    return list.takeStatus();
  }
  const size_t count = (*list)->size(), index = spec.device.value_or(0);
  if (count == 0 || (!spec.device && (**list)[0].isSimulator)) {
    return noDevice(plugin, spec);
  }
  if (index >= count) {
    return spec.error(TZ_E_NOT_FOUND,
                      count == 1 ? "there is 1 device, number 0"
                                 : "there are " + std::to_string(count) +
                                       " devices, numbered from 0");
  }
  return Place{(**list)[index], index};
}

static Result<std::string> ownTarget(const Plugin &plugin, const Place &place) {
  tz_device_info info{};
  info.struct_size = sizeof(info);
  Status s = takeError(place.half->api.device_info(place.handle, &info),
                       plugin.name());
  if (!s.ok()) {
    return s;
  }
  return std::string(view(info.target));
}

/// Whether the device runs code for the target; a device half that does not say
/// so is asked when there is code.
static Status checkTarget(const Place &place, const std::string &id) {
  const DeviceFunctions &api = place.half->api;
  return api.check_target
             ? takeError(api.check_target(place.handle, str(id)), "")
             : Status();
}

/// The first of the devices `from` to `end` that is of this target, else the
/// first that runs its code.
static std::optional<Place> deviceOf(const Plugin &plugin,
                                     const Plugin::DeviceList &list,
                                     size_t from, size_t end,
                                     const std::string &id) {
  std::optional<Place> runs;
  for (size_t i = from; i < end; ++i) {
    const Place place{list[i], i};
    if (!checkTarget(place, id).ok()) {
      continue;
    }
    if (Result<std::string> own = ownTarget(plugin, place); own && *own == id) {
      return place;
    }
    if (!runs) {
      runs = place;
    }
  }
  return runs;
}

/// The device that a code target stands for. Without one that runs it, the
/// first there is, about which messages then are.
static Result<Place> chooseDevice(Plugin &plugin, const Spec &spec,
                                  const std::string &id) {
  if (spec.device) {
    return findDevice(plugin, spec);
  }
  Result<const Plugin::DeviceList *> real = plugin.devices();
  const size_t count =
      real ? size_t(std::count_if((*real)->begin(), (*real)->end(),
                                  [](auto &d) { return !d.isSimulator; }))
           : 0;
  if (real) {
    if (auto found = deviceOf(plugin, **real, 0, count, id)) {
      return *found;
    }
  }
  // A person who names the code of a device that is not here may mean its
  // simulator.
  Result<const Plugin::DeviceList *> all = plugin.devicesAndSimulators();
  if (all) {
    if (auto found = deviceOf(plugin, **all, count, (*all)->size(), id)) {
      return *found;
    }
  }
  if (!real || (!all && count == 0)) {
    return all ? real.takeStatus() : all.takeStatus();
  }
  if (count == 0) {
    return noDevice(plugin, spec);
  }
  return Place{(**real)[0], 0};
}

/// Insertions, deletions and replacements that make one text of the other.
static size_t editDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] =
          std::min({diagonal + (from[i] != to[j]), above + 1, row[j] + 1});
      diagonal = above;
    }
  }
  return row.back();
}

/// "; did you mean 'x:v2'?" if one of the ids is nearer than all others: at
/// most two edits, then the longest common beginning.
static std::string suggestion(const std::string &id,
                              const std::vector<std::string> &known) {
  using Rank = std::pair<size_t, size_t>;
  std::multimap<Rank, const std::string *> ranked;
  for (const std::string &one : known) {
    const auto differs =
        std::mismatch(id.begin(), id.end(), one.begin(), one.end()).first;
    ranked.emplace(Rank(editDistance(id, one), id.end() - differs), &one);
  }
  if (ranked.empty() || ranked.begin()->first.first > 2 ||
      ranked.count(ranked.begin()->first) > 1) {
    return {};
  }
  return "; did you mean '" + *ranked.begin()->second + "'?";
}

static std::string listed(const std::vector<std::string> &ids) {
  std::string text;
  for (const std::string &id : ids) {
    text += (text.empty() ? "" : ", ") + id;
  }
  return text.empty() ? "none" : text;
}

/// Those that the compiler half lists and the device runs.
static std::vector<std::string> runnable(Plugin &plugin, const Place &place) {
  std::vector<std::string> ids;
  if (Result<const Plugin::CompilerHalf *> half = plugin.compiler()) {
    std::copy_if((*half)->targets.begin(), (*half)->targets.end(),
                 std::back_inserter(ids), [&](const std::string &id) {
                   return checkTarget(place, id).ok();
                 });
  }
  return ids;
}

static std::string deviceName(const Plugin &plugin, const Place &place) {
  return plugin.name() + ":" + std::to_string(place.index);
}

/// Of a code target that there is not. `place`: it was to run there.
static Status unknownCode(Plugin &plugin, const Spec &spec,
                          const std::vector<std::string> &known,
                          const Place *place) {
  const std::string near = suggestion(spec.id(), known);
  return spec.error(
      TZ_E_NOT_FOUND,
      "there is no code target '" + spec.code + "'" +
          (near.empty() ? "; " : near + " ") +
          (place ? deviceName(plugin, *place) + " can run: " : "there are: ") +
          listed(place ? runnable(plugin, *place) : known));
}

/// The id by which the compiler half knows the code target.
static Result<std::string> codeTarget(Plugin &plugin, const Spec &spec,
                                      const Place *place) {
  if (place && !plugin.hasCompiler()) {
    return spec.id(); // it will run artifacts
  }
  Result<const Plugin::CompilerHalf *> opened = plugin.compiler();
  if (!opened) {
    return opened.takeStatus();
  }
  const Plugin::CompilerHalf &half = **opened;
  tz_target_desc about{};
  about.struct_size = sizeof(about);
  Status s = [&] {
    std::unique_lock<std::mutex> guard;
    if (half.serial) {
      guard = std::unique_lock(*half.serial);
    }
    return takeError(
        half.api->describe_target(half.object, str(spec.id()), &about),
        plugin.name());
  }();
  if (s.code() == TZ_E_NOT_FOUND) {
    return unknownCode(plugin, spec, half.targets, place);
  }
  if (!s.ok()) {
    return s;
  }
  return about.id.size ? std::string(view(about.id)) : spec.id();
}

/// Code that was chosen by hand.
static Result<ResolvedTarget> withCode(Plugin &plugin, const Spec &spec,
                                       bool needDevice) {
  std::optional<Place> place;
  if (needDevice || spec.device) {
    Result<Place> found = chooseDevice(plugin, spec, spec.id());
    if (!found) {
      // That there is no such code is the nearer mistake.
      Result<std::string> known = plugin.hasCompiler()
                                      ? codeTarget(plugin, spec, nullptr)
                                      : Result<std::string>(spec.id());
      return known || known.status().code() != TZ_E_NOT_FOUND
                 ? found.takeStatus()
                 : known.takeStatus();
    }
    place = *found;
  }
  const Place *runsOn = needDevice ? &*place : nullptr;
  Result<std::string> id = codeTarget(plugin, spec, runsOn);
  if (!id) {
    return id.takeStatus();
  }
  const Status s = runsOn ? checkTarget(*place, *id) : Status();
  if (s.code() == TZ_E_NOT_FOUND) {
    return unknownCode(plugin, spec, runnable(plugin, *place), runsOn);
  }
  if (!s.ok()) {
    return spec.error(s.code(),
                      deviceName(plugin, *place) +
                          " cannot run this code: " + s.message() +
                          "; it can run: " + listed(runnable(plugin, *place)));
  }
  return ResolvedTarget{&plugin, std::move(*id),
                        place ? int(place->index) : -1};
}

/// The default of the device, or of the compiler half where there is none.
static Result<ResolvedTarget> withoutCode(Plugin &plugin, const Spec &spec,
                                          bool needDevice) {
  Result<Place> place = findDevice(plugin, spec);
  if (place) {
    Result<std::string> id = ownTarget(plugin, *place);
    if (id) {
      return ResolvedTarget{&plugin, std::move(*id), int(place->index)};
    }
    place = id.takeStatus();
  }
  if (needDevice || spec.device) {
    return place.takeStatus();
  }
  Result<const Plugin::CompilerHalf *> half = plugin.compiler();
  if (!half) {
    return half.takeStatus();
  }
  if ((*half)->targets.empty()) {
    return Status(TZ_E_UNAVAILABLE,
                  "plugin '" + plugin.name() + "' lists no target");
  }
  return ResolvedTarget{&plugin, (*half)->targets.front(), -1};
}

/// What stands for a name that no plugin has: a plugin's name with other
/// letters, or a code target without its plugin's name in front.
static std::string suggestion(const std::string &name,
                              const std::vector<Plugin *> &plugins) {
  std::vector<std::string> names;
  for (Plugin *plugin : plugins) {
    names.push_back(plugin->name());
  }
  std::string near = suggestion(name, names);
  for (Plugin *plugin : plugins) {
    if (near.empty() && plugin->hasCompiler()) {
      if (Result<const Plugin::CompilerHalf *> half = plugin->compiler()) {
        near = suggestion(plugin->name() + ":" + name, (*half)->targets);
      }
    }
  }
  return near;
}

Result<ResolvedTarget> Registry::resolveOne(const std::string &text,
                                            bool needDevice) const {
  const Spec spec(text);
  Result<Plugin *> plugin = find(spec.plugin);
  if (!plugin) {
    Status status = plugin.takeStatus();
    return Status(status.code(),
                  status.message() + suggestion(spec.plugin, plugins()));
  }
  return spec.code.empty() ? withoutCode(**plugin, spec, needDevice)
                           : withCode(**plugin, spec, needDevice);
}

/// A person who named a vendor without a device here is told what runs in its
/// place, or what would bring it.
static Status orSimulator(Status status, const Registry &registry,
                          const std::string &text) {
  const Spec spec(text);
  Result<Plugin *> plugin = registry.find(spec.plugin);
  if (status.code() != TZ_E_UNAVAILABLE || !spec.code.empty() || !plugin) {
    return status;
  }
  Result<const Plugin::DeviceList *> all = (*plugin)->devicesAndSimulators();
  if (!all) {
    Status lack = all.takeStatus();
    return lack.code() == TZ_E_UNAVAILABLE ? lack : status;
  }
  for (const Plugin::DevicePlace &one : **all) {
    Result<std::string> id = one.isSimulator
                                 ? ownTarget(**plugin, Place{one, 0})
                                 : Result<std::string>(std::string());
    if (id && !id->empty()) {
      return Status(status.code(),
                    status.message() + "; target '" + *id +
                        "' runs on a device here that stands in for one");
    }
  }
  return status;
}

Result<ResolvedTarget> Registry::resolve(std::string_view spec,
                                         bool needDevice) const {
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
  std::string failed;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string one = text.substr(begin, end - begin);
    begin = end + 1;
    if (one.empty()) {
      continue;
    }
    Result<ResolvedTarget> target =
        one == "auto" ? resolveAuto(needDevice) : resolveOne(one, needDevice);
    if (target) {
      return target;
    }
    if (first.ok()) {
      first = target.takeStatus();
      failed = one;
    }
  }
  if (first.ok()) {
    first = Status(TZ_E_INVALID_ARGUMENT, "no target in '" + text + "'");
  } else if (failed != "auto") {
    first = orSimulator(std::move(first), *this, failed);
  }
  return fromEnvironment ? std::move(first).in("TERRAZZO_TARGET") : first;
}

Result<ResolvedTarget> Registry::resolveAuto(bool needDevice) const {
  // Highest priority first, among equals the one found first.
  std::multimap<int, Plugin *, std::greater<int>> order;
  for (Plugin *plugin : plugins()) {
    order.emplace(plugin->description().priority, plugin);
  }
  Status first;
  std::optional<ResolvedTarget> launchOnly;
  for (auto &[priority, plugin] : order) {
    if (priority < 0) {
      continue;
    }
    Result<ResolvedTarget> target = resolveOne(plugin->name(), needDevice);
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
