//===- Registry.h - every plugin that was found, and why it is not used ---===//
//
// What   Discovery in a fixed order, the list that `tz targets -v` prints, and
//        lookup of a plugin or a target by name. A plugin's files are opened at
//        first use, each half on its own.
// Why    A bad plugin must never break another one, so every failure becomes a
//        line in the listing instead of an error of the session.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_REGISTRY_H
#define TERRAZZO_RUNTIME_LOADER_REGISTRY_H

#include "runtime/loader/Functions.h"
#include "runtime/loader/Host.h"
#include "runtime/loader/Manifest.h"
#include "runtime/loader/Status.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace tz::runtime {

class Cache;

struct RegistryOptions;

/// A plugin linked into the process, registered by pointer. Either query may be
/// the same function or null.
struct BuiltinPlugin {
  std::string name;
  tz_plugin_query_fn compiler = nullptr, device = nullptr;
  int priority = 0; // below 0: only by its name
};

/// A usable plugin. Objects of the halves are made at first use and live as
/// long as the process. All functions: any thread.
class Plugin {
public:
  const std::string &name() const { return manifest.name; }
  const std::string &version() const { return manifest.version; }
  const Manifest &description() const { return manifest; }
  /// What its host services keep things in; null without a cache.
  Cache *cache() const { return services.cache; }
  const Interrupt &interrupt() const { return services.interrupt; }

  struct CompilerHalf {
    const CompilerFunctions *api = nullptr;
    tz_compiler *object = nullptr;
    const tz_plugin *info = nullptr;
    std::vector<std::string> targets; // ids, first is the default
    /// Lock around each call if not null; of all sessions of the process.
    std::mutex *serial = nullptr;
  };
  /// One of the plugin's device libraries.
  struct DeviceHalf {
    DeviceFunctions api;
    tz_platform *platform = nullptr;
    const tz_plugin *info = nullptr;
    const PluginHalf *place = nullptr; ///< for marks of its calls
  };
  /// A device; its number in the plugin is its place in the list.
  struct DevicePlace {
    const DeviceHalf *half = nullptr;
    tz_device *handle = nullptr;
    bool isSimulator = false;
  };
  using DeviceList = std::vector<DevicePlace>;
  /// TZ_E_UNIMPLEMENTED if the plugin has no such half.
  Result<const CompilerHalf *> compiler();
  /// The devices of this machine, of all device halves in the manifest's order;
  /// one that two halves list (by its uuid) is the first one's. A half that
  /// cannot be opened is passed over if another one has devices. With
  /// RegistryOptions::simulators, the simulators behind them.
  Result<const DeviceList *> devices();
  /// The same with the simulators behind them, which are made now.
  Result<const DeviceList *> devicesAndSimulators();
  bool hasCompiler() const;
  /// Whether the compiler half's file is there and whole; it is not opened.
  Status compilerFile() const;
  bool hasDevice() const;

  /// Keeps the plugin while a thread of ours is inside it: until the last of
  /// these is gone it is not destroyed.
  class Use {
  public:
    explicit Use(Plugin &plugin);
    ~Use();
    Use(const Use &) = delete;

  private:
    Plugin &plugin;
  };

  ~Plugin();

private:
  friend class Registry;
  /// True when no thread is inside, false if that takes too long.
  bool isLeft();
  enum class State { Unopened, Open, Failed };
  Plugin(Manifest m, Cache *cache, TrustRule trust,
         const RegistryOptions &options);
  Result<const tz_plugin *> queryCompiler();
  Result<const tz_plugin *> queryDevice(size_t library);
  Status openCompiler();
  Status openDevices();
  Status openDevice(size_t library);
  void dropLastHalf();
  Status createPlatform(DeviceHalf &half);
  Status appendDevices(const DeviceHalf &half, uint32_t which, DeviceList &to);
  Result<const DeviceList *> devicesLocked();
  static State stateAfter(const Status &opened);

  Manifest manifest;
  TrustRule trust;
  BuiltinPlugin builtin;
  uint32_t hostThreads = 0;
  HostServices services;
  const bool catchFaults;
  std::mutex lock;
  State compilerState = State::Unopened, deviceState = State::Unopened;
  Status compilerFailure, deviceFailure;
  CompilerHalf compilerHalf;
  const PluginHalf compilerPlace;
  std::deque<PluginHalf> devicePlaces; // of each device library
  CompilerFunctions compilerApi;
  std::deque<DeviceHalf> deviceHalves; // that are open; they stay in place
  DeviceList real;                     // devices of the machine
  std::optional<DeviceList> all; // with the simulators; once they are made
  const bool listsSimulators;
  unsigned uses = 0; // guarded by `lock`
  std::condition_variable unused;
};

/// A line of `tz targets -v`.
struct PluginListing {
  enum State { Usable, Rejected, Shadowed, Filtered };
  State state = Usable;
  std::string name, version, vendor;
  std::string path;   // of the manifest; "(built in)" for built-ins
  std::string origin; // which step of the discovery found it
  std::string reason; // why rejected, by what shadowed; of a usable one: which
                      // half cannot be opened, and why
};

/// A target resolved: which plugin, which code, which device.
struct ResolvedTarget {
  Plugin *plugin = nullptr;
  std::string id;       // target id of the compiler half: "cpu:x86-64-v4"
  int deviceIndex = -1; // number of the device, -1: none present
};

/// Threads of the program's own. Ends them once no plugin is left that may
/// call.
struct ProgramExecutor {
  explicit ProgramExecutor(const tz_executor &table) : table(table) {}
  ~ProgramExecutor() {
    if (isOwned && table.destroy) {
      table.destroy(table.ctx);
    }
  }
  ProgramExecutor(const ProgramExecutor &) = delete;
  ProgramExecutor &operator=(const ProgramExecutor &) = delete;

  const tz_executor table;
  bool isOwned = false; // else the program keeps it: making a session failed
};

struct RegistryOptions {
  std::vector<BuiltinPlugin> builtins;
  bool registeredBuiltins = true; // those of registerBuiltin(), after these
  std::vector<std::string> manifestFiles; // API: like TERRAZZO_PLUGIN_FILES
  std::vector<std::string> searchFolders; // API: before the environment's
  bool readEnvironment = true;
  /// "auto" passes over plugins that can launch but not compile, as long as
  /// there is another.
  bool wantsCompiler = false;
  /// Asked while a call waits.
  Interrupt interrupt;
  /// Device halves make a status of a fault in a kernel.
  bool catchFaults = false;
  /// Simulators are listed with the devices; also by TERRAZZO_SIMULATORS, if
  /// the environment is read. They are never chosen by "auto".
  bool simulators = false;
  std::vector<std::string> defaultFolders; // steps 5 and 6; empty: the usual
  /// Without it TERRAZZO_PLUGIN_TRUST, if the environment is read.
  std::optional<TrustRule> trust;
  /// Of devices of the host; 0: as their plugins choose.
  uint32_t hostThreads = 0;
  /// Threads of the program's own, for devices of the host. May be null.
  std::shared_ptr<ProgramExecutor> executor;
};

class Registry {
public:
  explicit Registry(RegistryOptions options = {}, Cache *cache = nullptr);
  ~Registry();
  Registry(const Registry &) = delete;

  const std::vector<PluginListing> &listing() const { return lines; }
  /// Asked while a call waits.
  const Interrupt &interrupt() const { return options.interrupt; }
  std::vector<Plugin *> plugins() const;
  /// TZ_E_NOT_FOUND names the plugins that there are, and a rejected or
  /// filtered one of that name with its reason.
  Result<Plugin *> find(std::string_view name) const;

  /// "cpu", "cpu:1" (device), "cpu:x86-64-v4" (code), "cpu:1:x86-64-v4" (both),
  /// "auto", or a comma list = order of preference. Empty: TERRAZZO_TARGET,
  /// else "auto". A code target that there is not is refused. `needDevice`:
  /// skip what has no device here, and refuse code that the device cannot run.
  /// A code target without a device number takes the first device that is of
  /// it, else the first that runs it; a simulator only if no device does.
  Result<ResolvedTarget> resolve(std::string_view spec,
                                 bool needDevice = true) const;

private:
  void discover();
  void addManifest(const std::string &path, const std::string &origin);
  void addFolder(const std::string &folder, const std::string &origin);
  void addBuiltin(const BuiltinPlugin &builtin);
  void admit(std::unique_ptr<Plugin> plugin, PluginListing line);
  Result<ResolvedTarget> resolveOne(const std::string &spec,
                                    bool needDevice) const;
  Result<ResolvedTarget> resolveAuto(bool needDevice) const;

  const RegistryOptions options;
  Cache *cache;
  const uint32_t hostThreads;
  std::vector<std::unique_ptr<Plugin>> usable;
  std::vector<PluginListing> lines;
  std::vector<std::string> filter;
  bool readEnvironment, wantsCompiler;
  TrustRule trust;

  Status missing(std::string_view name) const;
};

/// The built-in plugins of this binary, added by static registration before the
/// first registry is made.
void registerBuiltin(BuiltinPlugin plugin);

/// `*` and `?` over the whole text.
bool matchesGlob(std::string_view pattern, std::string_view text);

} // namespace tz::runtime

#endif
