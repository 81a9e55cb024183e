//===- Plugin.cpp - the halves of one plugin, opened at first use ---------===//
//
// What   Opening a half: library, negotiation, table, object, targets or
//        devices.
// Why    A launch-only process never pays for a compiler, and `tz targets`
//        shows a plugin whose other half is broken.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Crash.h"
#include "runtime/loader/PluginLibrary.h"
#include "runtime/loader/Registry.h"

#include <algorithm>
#include <map>

namespace tz::runtime {

/// The lock of a compiler half whose calls must not run at once; null: they
/// may. Sessions have objects of their own, but one library. Never destroyed: a
/// session may be the last thing that is.
static std::mutex *serialLockOf(const tz_plugin *info) {
  if (!(info->flags & TZ_PLUGIN_SERIAL_COMPILER)) {
    return nullptr;
  }
  static auto &lock = *new std::mutex;
  static auto &locks = *new std::map<const tz_plugin *, std::mutex>;
  std::lock_guard guard(lock);
  return &locks[info];
}

static std::unique_lock<std::mutex> serialize(std::mutex *lock) {
  return lock ? std::unique_lock(*lock) : std::unique_lock<std::mutex>();
}

Plugin::Plugin(Manifest m, Cache *cache, TrustRule rule,
               const RegistryOptions &options)
    : manifest(std::move(m)), trust(std::move(rule)),
      services(manifest.name, cache, options.interrupt,
               options.executor ? &options.executor->table : nullptr),
      catchFaults(options.catchFaults),
      compilerPlace(manifest.name, manifest.path, manifest.compilerLibrary,
                    true),
      listsSimulators(options.simulators) {
  for (const std::string &library : manifest.deviceLibraries) {
    devicePlaces.emplace_back(manifest.name, manifest.path, library, false);
  }
  if (devicePlaces.empty()) { // built in, or none
    devicePlaces.emplace_back(manifest.name, manifest.path, "", false);
  }
}

Plugin::Use::Use(Plugin &plugin) : plugin(plugin) {
  std::lock_guard guard(plugin.lock);
  ++plugin.uses;
}

Plugin::Use::~Use() {
  std::lock_guard guard(plugin.lock);
  if (--plugin.uses == 0) {
    plugin.unused.notify_all(); // with the lock: the waiter destroys it
  }
}

bool Plugin::isLeft() {
  constexpr std::chrono::seconds patience(1);
  std::unique_lock guard(lock);
  return unused.wait_for(guard, patience, [&] { return uses == 0; });
}

Plugin::~Plugin() {
  if (compilerHalf.object) {
    auto guard = serialize(compilerHalf.serial);
    compilerHalf.api->destroy(compilerHalf.object);
  }
  for (const DeviceHalf &half : deviceHalves) {
    half.api.destroy(half.platform);
  }
}

bool Plugin::hasCompiler() const {
  return builtin.compiler || !manifest.compilerLibrary.empty();
}
Status Plugin::compilerFile() const {
  if (builtin.compiler) {
    return Status();
  }
  return hasCompiler()
             ? checkLibrary(manifest.compilerLibrary, manifest, trust)
             : Status(TZ_E_UNIMPLEMENTED,
                      "plugin '" + manifest.name + "' has no compiler half");
}
bool Plugin::hasDevice() const {
  return builtin.device || !manifest.deviceLibraries.empty();
}

Result<const tz_plugin *> Plugin::queryCompiler() {
  if (builtin.compiler) {
    return negotiate(builtin.compiler,
                     "built-in plugin '" + manifest.name + "'", nullptr);
  }
  if (manifest.compilerLibrary.empty()) {
    return Status(TZ_E_UNIMPLEMENTED,
                  "plugin '" + manifest.name + "' has no compiler half");
  }
  return openLibrary(manifest.compilerLibrary, manifest,
                     manifest.compilerSha256, trust);
}

Result<const tz_plugin *> Plugin::queryDevice(size_t library) {
  if (builtin.device) {
    return negotiate(builtin.device, "built-in plugin '" + manifest.name + "'",
                     nullptr);
  }
  if (manifest.deviceLibraries.empty()) {
    return Status(TZ_E_UNIMPLEMENTED,
                  "plugin '" + manifest.name + "' has no device half");
  }
  return openLibrary(
      manifest.deviceLibraries[library], manifest,
      manifest.deviceSha256.empty() ? "" : manifest.deviceSha256[library],
      trust);
}

Status Plugin::openCompiler() {
  PluginCall call(manifest.name, manifest.path, "opened its compiler half");
  PluginMark mark(compilerPlace, nullptr);
  Result<const tz_plugin *> info = queryCompiler();
  if (!info) {
    return info.takeStatus();
  }
  Result<const tz_compiler_api *> api =
      compilerTable(**info, "plugin '" + manifest.name + "'");
  if (!api) {
    return api.takeStatus();
  }
  compilerApi.adopt(*api, compilerPlace);
  compilerHalf.serial = serialLockOf(*info);
  auto guard = serialize(compilerHalf.serial);
  tz_compiler *object = nullptr;
  tz_create_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.host = services.table();
  Status s = takeError(compilerApi.create(&desc, &object), manifest.name);
  if (!s.ok()) {
    return s;
  }
  // Kept only if all else succeeds.
  std::unique_ptr<tz_compiler, void (*)(tz_compiler *)> held(object,
                                                             (*api)->destroy);
  const tz_str *ids = nullptr;
  size_t count = 0;
  s = takeError(compilerApi.list_targets(object, &ids, &count), manifest.name);
  if (s.ok() && (count > 4096 || (count && !ids))) {
    s = Status(TZ_E_INTERNAL, manifest.name + ": malformed list of targets");
  }
  if (!s.ok()) {
    return s;
  }
  std::vector<std::string> targets;
  for (size_t i = 0; i < count; ++i) {
    targets.emplace_back(view(ids[i]));
  }
  compilerHalf.targets = std::move(targets);
  compilerHalf.api = &compilerApi;
  compilerHalf.object = held.release();
  compilerHalf.info = *info;
  return Status();
}

Status Plugin::createPlatform(DeviceHalf &half) {
  std::vector<tz_kv> options{
      {str("catch_faults"), TZ_KV_BOOL, 0, catchFaults, 0, {}}};
  if (hostThreads) {
    options.push_back(
        {str("host_threads"), TZ_KV_I64, 0, int64_t(hostThreads), 0, {}});
  }
  tz_create_desc desc{};
  desc.struct_size = sizeof(desc);
  desc.host = services.table();
  desc.options = options.data();
  desc.num_options = options.size();
  return takeError(half.api.create(&desc, &half.platform), manifest.name);
}

/// The uuid of a device, or nothing if it tells none.
static std::string uuidOf(const Plugin::DevicePlace &place) {
  tz_device_info info{};
  info.struct_size = sizeof(info);
  const Status s =
      takeError(place.half->api.device_info(place.handle, &info), "");
  return s.ok() ? std::string(view(info.uuid)) : std::string();
}

Status Plugin::appendDevices(const DeviceHalf &half, uint32_t which,
                             DeviceList &to) {
  tz_device *const *devices = nullptr;
  size_t count = 0;
  Status s = takeError(half.api.devices(half.platform, which, &devices, &count),
                       manifest.name);
  if (s.ok() && (count > 4096 || (count && !devices))) {
    s = Status(TZ_E_INTERNAL, manifest.name + ": malformed list of devices");
  }
  const size_t before = to.size();
  for (size_t i = 0; s.ok() && i < count; ++i) {
    const DevicePlace place{&half, devices[i], which == TZ_DEVICES_SIMULATED};
    const bool isListed =
        std::any_of(to.begin(), to.begin() + long(before), [&](const auto &o) {
          const std::string uuid = uuidOf(place);
          return !uuid.empty() && uuidOf(o) == uuid;
        });
    if (!isListed) {
      to.push_back(place);
    }
  }
  return s;
}

Status Plugin::openDevice(size_t library) {
  PluginCall call(manifest.name, manifest.path, "opened its device half");
  const PluginHalf &place = devicePlaces[library];
  PluginMark mark(place, nullptr);
  Result<const tz_plugin *> info = queryDevice(library);
  if (!info) {
    return info.takeStatus();
  }
  Result<const tz_device_api *> api =
      deviceTable(**info, "plugin '" + manifest.name + "'");
  if (!api) {
    return api.takeStatus();
  }
  DeviceHalf &half = deviceHalves.emplace_back();
  half.info = *info;
  half.place = &place;
  half.api.adopt(*api, place);
  DeviceList found;
  Status s;
  bool mayHaveSimulators = false;
  // A lack of memory may end it anywhere, and the next call tries again.
  try {
    s = createPlatform(half);
    if (s.ok()) {
      found = real;
      s = appendDevices(half, TZ_DEVICES_REAL, found);
      mayHaveSimulators = s.code() == TZ_E_UNAVAILABLE && !s.isTransient();
    }
  } catch (...) {
    dropLastHalf();
    throw;
  }
  if (!s.ok()) {
    if (!mayHaveSimulators) {
      dropLastHalf();
    }
    return s;
  }
  real = std::move(found);
  return Status();
}

void Plugin::dropLastHalf() {
  if (const DeviceHalf &half = deviceHalves.back(); half.platform) {
    half.api.destroy(half.platform);
  }
  deviceHalves.pop_back();
}

/// Of several halves: what each has to say, of which the plugin's name once.
static Status joined(Status first, const Status &next,
                     const std::string &plugin) {
  if (first.ok()) {
    return next;
  }
  std::string_view text = next.message();
  const std::string name = plugin + ": ";
  text.remove_prefix(text.starts_with(name) ? name.size() : 0);
  if (first.message().find(text) != std::string::npos) {
    return first;
  }
  return Status(first.code(), first.message() + "; " + std::string(text));
}

Status Plugin::openDevices() {
  Status failed;
  for (size_t i = 0; i < devicePlaces.size(); ++i) {
    if (Status s = openDevice(i); !s.ok()) {
      if (s.isTransient()) {
        // The next call tries all of them again.
        real.clear();
        for (const DeviceHalf &half : deviceHalves) {
          half.api.destroy(half.platform);
        }
        deviceHalves.clear();
        return s;
      }
      logMessage(2, manifest.name, s.message());
      failed = joined(std::move(failed), s, manifest.name);
    }
  }
  return real.empty() ? failed : Status();
}

/// What passes, such as a lack of memory, is tried again by the next call.
Plugin::State Plugin::stateAfter(const Status &opened) {
  return opened.ok()            ? State::Open
         : opened.isTransient() ? State::Unopened
                                : State::Failed;
}

Result<const Plugin::CompilerHalf *> Plugin::compiler() {
  std::lock_guard guard(lock);
  if (compilerState == State::Unopened) {
    compilerFailure = openCompiler();
    compilerState = stateAfter(compilerFailure);
  }
  if (compilerState != State::Open) {
    return compilerFailure;
  }
  return &compilerHalf;
}

/// With `lock` held.
Result<const Plugin::DeviceList *> Plugin::devicesLocked() {
  if (deviceState == State::Unopened) {
    deviceFailure = openDevices();
    deviceState = stateAfter(deviceFailure);
  }
  if (deviceState != State::Open) {
    return deviceFailure;
  }
  return &real;
}

Result<const Plugin::DeviceList *> Plugin::devices() {
  if (listsSimulators) {
    return devicesAndSimulators();
  }
  std::lock_guard guard(lock);
  return devicesLocked();
}

Result<const Plugin::DeviceList *> Plugin::devicesAndSimulators() {
  std::lock_guard guard(lock);
  Result<const DeviceList *> opened = devicesLocked();
  // Halves without a driver may have simulators all the same.
  if (!opened && deviceHalves.empty()) {
    return opened;
  }
  if (!all) {
    DeviceList list = real;
    Status lack = opened ? Status() : opened.takeStatus();
    for (const DeviceHalf &half : deviceHalves) {
      Status s = appendDevices(half, TZ_DEVICES_SIMULATED, list);
      if (!s.ok() && (s.code() != TZ_E_UNAVAILABLE || s.isTransient())) {
        return s;
      }
      lack =
          s.ok() ? std::move(lack) : joined(std::move(lack), s, manifest.name);
    }
    if (list.empty() && !lack.ok()) {
      return lack; // it says what would bring one
    }
    all = std::move(list);
  }
  return &*all;
}

} // namespace tz::runtime
