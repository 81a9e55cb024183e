//===- Plugin.cpp - the two halves of one plugin, opened at first use -----===//
//
// What   Opening a half: library, negotiation, table, object, targets or
//        devices.
// Why    A launch-only process never pays for a compiler, and `tz targets`
//        shows a plugin whose other half is broken.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Crash.h"
#include "runtime/loader/PluginLibrary.h"
#include "runtime/loader/Registry.h"

namespace tz::runtime {

Plugin::Plugin(Manifest m, Cache *cache, TrustRule rule,
               const RegistryOptions &options)
    : manifest(std::move(m)), trust(std::move(rule)),
      services(manifest.name, parentFolder(manifest.path), cache, trust,
               options.interrupt,
               options.executor ? &options.executor->table : nullptr),
      catchFaults(options.catchFaults),
      compilerPlace(manifest.name, manifest.path, manifest.compilerLibrary,
                    true),
      devicePlace(manifest.name, manifest.path, manifest.deviceLibrary, false) {
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
    compilerHalf.api->destroy(compilerHalf.object);
  }
  if (deviceHalf.platform) {
    deviceHalf.api->destroy(deviceHalf.platform);
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
  return builtin.device || !manifest.deviceLibrary.empty();
}

Result<const tz_plugin *> Plugin::query(bool wantsCompiler) {
  tz_plugin_query_fn entry = wantsCompiler ? builtin.compiler : builtin.device;
  if (entry) {
    return negotiate(entry, "built-in plugin '" + manifest.name + "'", nullptr);
  }
  const std::string &path =
      wantsCompiler ? manifest.compilerLibrary : manifest.deviceLibrary;
  if (path.empty()) {
    return Status(TZ_E_UNIMPLEMENTED,
                  "plugin '" + manifest.name + "' has no " +
                      (wantsCompiler ? "compiler" : "device") + " half");
  }
  return openLibrary(
      path, manifest,
      wantsCompiler ? manifest.compilerSha256 : manifest.deviceSha256, trust);
}

Status Plugin::openCompiler() {
  PluginCall call(manifest.name, manifest.path, "opened its compiler half");
  PluginMark mark(compilerPlace, nullptr);
  Result<const tz_plugin *> info = query(true);
  if (!info) {
    return info.takeStatus();
  }
  Result<const tz_compiler_api *> api =
      compilerTable(**info, "plugin '" + manifest.name + "'");
  if (!api) {
    return api.takeStatus();
  }
  compilerApi.adopt(*api, compilerPlace);
  tz_compiler *object = nullptr;
  Status s = takeError(
      compilerApi.create(services.table(), nullptr, 0, &object), manifest.name);
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
  if ((*info)->flags & TZ_PLUGIN_SERIAL_COMPILER) {
    compilerHalf.serial = &serialLock;
  }
  return Status();
}

Status Plugin::openDevice() {
  PluginCall call(manifest.name, manifest.path, "opened its device half");
  PluginMark mark(devicePlace, nullptr);
  Result<const tz_plugin *> info = query(false);
  if (!info) {
    return info.takeStatus();
  }
  Result<const tz_device_api *> api =
      deviceTable(**info, "plugin '" + manifest.name + "'");
  if (!api) {
    return api.takeStatus();
  }
  deviceApi.adopt(*api, devicePlace);
  tz_platform *platform = nullptr;
  std::vector<tz_kv> options{
      {str("catch_faults"), TZ_KV_BOOL, 0, catchFaults, 0, {}}};
  if (hostThreads) {
    options.push_back(
        {str("host_threads"), TZ_KV_I64, 0, int64_t(hostThreads), 0, {}});
  }
  Status s = takeError(deviceApi.create(services.table(), options.data(),
                                        options.size(), &platform),
                       manifest.name);
  if (!s.ok()) {
    return s;
  }
  std::unique_ptr<tz_platform, void (*)(tz_platform *)> held(platform,
                                                             (*api)->destroy);
  tz_device *const *devices = nullptr;
  size_t count = 0;
  s = takeError(deviceApi.devices(platform, &devices, &count), manifest.name);
  if (s.ok() && (count > 4096 || (count && !devices))) {
    s = Status(TZ_E_INTERNAL, manifest.name + ": malformed list of devices");
  }
  if (!s.ok()) {
    return s;
  }
  deviceHalf.devices.assign(devices, devices + count);
  deviceHalf.api = &deviceApi;
  deviceHalf.platform = held.release();
  deviceHalf.info = *info;
  return Status();
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

Result<const Plugin::DeviceHalf *> Plugin::device() {
  std::lock_guard guard(lock);
  if (deviceState == State::Unopened) {
    deviceFailure = openDevice();
    deviceState = stateAfter(deviceFailure);
  }
  if (deviceState != State::Open) {
    return deviceFailure;
  }
  return &deviceHalf;
}

} // namespace tz::runtime
