//===- Registry.cpp - discovery of plugins --------------------------------===//
//
// What   The order of docs/reference/abi.md: API, TERRAZZO_PLUGIN_FILES (which
//        replaces the rest), TERRAZZO_PLUGIN_PATH, beside the library, the
//        user's folder, the system's folders. The first of equal name wins.
// Why    The order never varies between two runs: files are sorted by name, and
//        every file that was looked at has a line that says what became of it.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Registry.h"

#include "runtime/loader/Crash.h"
#include "runtime/loader/PluginLibrary.h"

#include <algorithm>
#include <dlfcn.h>
#include <unistd.h>

namespace tz::runtime {

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = text.find(separator);
    std::string_view part = text.substr(0, end);
    if (!part.empty()) {
      parts.emplace_back(part);
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

} // namespace

std::string ownFolder() {
  Dl_info info{};
  static const char anchor = 0;
  if (dladdr(&anchor, &info) && info.dli_fname) {
    // The program itself is named as it was called, perhaps without a folder.
    std::string path = info.dli_fname;
    if (path.find('/') == std::string::npos ||
        access(path.c_str(), F_OK) != 0) {
      path = "/proc/self/exe";
    }
    return parentFolder(realPath(path));
  }
  return {};
}

namespace {

std::vector<std::pair<std::string, std::string>>
usualFolders(bool readEnvironment) {
  std::vector<std::pair<std::string, std::string>> folders;
  if (std::string own = ownFolder(); !own.empty()) {
    folders.emplace_back(own + "/terrazzo/plugins.d", "beside the library");
    folders.emplace_back(own + "/../lib/terrazzo/plugins.d",
                         "beside the program");
  }
  if (readEnvironment) {
    if (auto data = environment("XDG_DATA_HOME"); data && !data->empty()) {
      folders.emplace_back(*data + "/terrazzo/plugins.d", "user");
    } else if (auto home = environment("HOME"); home && !home->empty()) {
      folders.emplace_back(*home + "/.local/share/terrazzo/plugins.d", "user");
    }
  }
  for (const char *system : {"/etc", "/usr/local/share", "/usr/share"}) {
    folders.emplace_back(std::string(system) + "/terrazzo/plugins.d", "system");
  }
  return folders;
}

/// Is one of the things there that the plugin's hardware brings along?
bool probe(const Manifest &m) {
  if (m.probeFiles.empty() && m.probePciVendors.empty()) {
    return true;
  }
  for (const std::string &file : m.probeFiles) {
    if (access(file.c_str(), F_OK) == 0) {
      return true;
    }
  }
  const std::string folder = "/sys/bus/pci/devices";
  Result<std::vector<std::string>> devices = namesIn(folder);
  for (size_t i = 0; devices && i < devices->size(); ++i) {
    Result<std::string> id =
        readRegular(folder + "/" + (*devices)[i] + "/vendor", 64);
    for (const std::string &vendor : m.probePciVendors) {
      if (id && *id == "0x" + vendor + "\n") {
        return true;
      }
    }
  }
  return false;
}

/// Why the plugin cannot be used, for want of its libraries; `incomplete`: why
/// one of several cannot. Nothing is opened.
Status checkHalves(const Manifest &m, const TrustRule &trust,
                   std::string &incomplete) {
  Status first;
  size_t named = 0, failed = 0;
  auto look = [&](const char *half, const std::string &path) {
    ++named;
    if (Status s = checkLibrary(path, m, trust); !s.ok()) {
      ++failed;
      incomplete = std::string(half) + ": " + s.message();
      if (first.ok()) {
        first = std::move(s);
      }
    }
  };
  if (!m.compilerLibrary.empty()) {
    look("compiler half", m.compilerLibrary);
  }
  for (const std::string &library : m.deviceLibraries) {
    look("device half", library);
  }
  return failed == named ? first : Status();
}

/// "alpha,-beta*": no positive pattern means everything.
bool passesFilter(const std::vector<std::string> &filter,
                  std::string_view name) {
  bool positive = false, wanted = false;
  for (std::string_view pattern : filter) {
    if (pattern.front() == '-') {
      if (matchesGlob(pattern.substr(1), name)) {
        return false;
      }
    } else {
      positive = true;
      wanted = wanted || matchesGlob(pattern, name);
    }
  }
  return wanted || !positive;
}

/// "x" of "/a/x.json"
std::string nameOf(const std::string &path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  return name.ends_with(".json") ? name.substr(0, name.size() - 5) : name;
}

std::vector<BuiltinPlugin> &builtinList() {
  static std::vector<BuiltinPlugin> list;
  return list;
}

} // namespace

void registerBuiltin(BuiltinPlugin plugin) {
  builtinList().push_back(std::move(plugin));
}

bool matchesGlob(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') {
    ++p;
  }
  return p == pattern.size();
}

/// What the environment adds to a program's choice.
static RegistryOptions withEnvironment(RegistryOptions options) {
  const std::string wanted =
      options.readEnvironment ? environment("TERRAZZO_SIMULATORS").value_or("")
                              : "";
  options.simulators |= !wanted.empty() && wanted != "0";
  return options;
}

Registry::Registry(RegistryOptions given, Cache *sharedCache)
    : options(withEnvironment(std::move(given))), cache(sharedCache),
      hostThreads(options.hostThreads),
      readEnvironment(options.readEnvironment),
      wantsCompiler(options.wantsCompiler) {
  if (options.catchFaults) {
    nameCrashes();
  }
  discover();
}

Registry::~Registry() {
  for (std::unique_ptr<Plugin> &plugin : usable) {
    if (!plugin->isLeft()) {
      // A compilation that nobody waits for goes on in it.
      plugin->services.cache = nullptr;
      (void)plugin.release();
    }
  }
}

void Registry::discover() {
  auto variable = [&](const char *name) {
    return options.readEnvironment ? environment(name) : std::nullopt;
  };
  if (options.readEnvironment) {
    checkLogLevel();
  }
  if (auto text = variable("TERRAZZO_PLUGINS")) {
    filter = split(*text, ',');
  }
  trust = options.trust             ? *options.trust
          : options.readEnvironment ? trustOfEnvironment()
                                    : TrustRule();
  for (const BuiltinPlugin &builtin : options.builtins) {
    addBuiltin(builtin);
  }
  if (options.registeredBuiltins) {
    for (const BuiltinPlugin &builtin : builtinList()) {
      addBuiltin(builtin);
    }
  }
  for (const std::string &file : options.manifestFiles) {
    addManifest(file, "given by the program");
  }
  if (auto files = variable("TERRAZZO_PLUGIN_FILES")) {
    for (const std::string &file : split(*files, ':')) {
      addManifest(file, "TERRAZZO_PLUGIN_FILES");
    }
    return;
  }
  for (const std::string &folder : options.searchFolders) {
    addFolder(folder, "given by the program");
  }
  if (auto path = variable("TERRAZZO_PLUGIN_PATH")) {
    for (const std::string &folder : split(*path, ':')) {
      if (!isFolder(folder)) {
        logMessage(1, "",
                   "TERRAZZO_PLUGIN_PATH names '" + folder +
                       "', which is not a folder");
      }
      addFolder(folder, "TERRAZZO_PLUGIN_PATH");
    }
  }
  if (!options.defaultFolders.empty()) {
    for (const std::string &folder : options.defaultFolders) {
      addFolder(folder, "default folder");
    }
    return;
  }
  for (const auto &[folder, origin] : usualFolders(options.readEnvironment)) {
    addFolder(folder, origin);
  }
}

void Registry::addFolder(const std::string &folder, const std::string &origin) {
  Result<std::vector<std::string>> names = namesIn(folder);
  if (!names) {
    if (names.status().code() != TZ_E_NOT_FOUND) {
      logMessage(1, "",
                 "plugin folder cannot be read: " + names.status().message());
    }
    return;
  }
  std::vector<std::string> files;
  for (const std::string &name : *names) {
    if (name.size() > 5 && name.ends_with(".json")) {
      files.push_back(realPath(folder + "/" + name));
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::string &file : files) {
    // The same folder may be reached twice.
    bool known = std::any_of(lines.begin(), lines.end(), [&](const auto &line) {
      return line.path == file;
    });
    if (!known) {
      addManifest(file, origin);
    }
  }
}

void Registry::addManifest(const std::string &path, const std::string &origin) {
  PluginListing line;
  line.path = path;
  line.origin = origin;
  Result<Manifest> manifest = readManifest(path, trust);
  Status status = manifest ? checkManifest(*manifest) : manifest.status();
  if (manifest) {
    line.name = manifest->name;
    line.vendor = manifest->vendor;
    line.version = manifest->version;
  } else {
    line.name = nameOf(path);
  }
  if (status.ok() && !probe(*manifest)) {
    status = Status(TZ_E_UNAVAILABLE,
                    path + ": none of the devices that the plugin serves is "
                           "in this machine (manifest: probe)");
  }
  if (status.ok()) {
    status = checkHalves(*manifest, trust, line.reason);
  }
  if (!status.ok()) {
    line.state = PluginListing::Rejected;
    line.reason = status.message();
    lines.push_back(std::move(line));
    return;
  }
  admit(std::unique_ptr<Plugin>(
            new Plugin(std::move(*manifest), cache, trust, options)),
        std::move(line));
}

void Registry::addBuiltin(const BuiltinPlugin &builtin) {
  PluginListing line;
  line.name = builtin.name;
  line.path = "(built in)";
  line.origin = "built in";
  tz_plugin_query_fn entry =
      builtin.compiler ? builtin.compiler : builtin.device;
  if (!entry) {
    return;
  }
  const tz_plugin *info = nullptr;
  tz_query question{sizeof(tz_query), TZ_ABI_MAJOR, TZ_ABI_OLDEST_MINOR,
                    TZ_ABI_MINOR, 0};
  info = entry(&question);
  Manifest manifest;
  manifest.name = builtin.name;
  manifest.priority = builtin.priority;
  if (TZ_HAS(info, tz_plugin, build_id)) {
    manifest.vendor = line.vendor = view(info->vendor);
    manifest.version = line.version = view(info->version);
  }
  auto plugin = std::unique_ptr<Plugin>(
      new Plugin(std::move(manifest), cache, trust, options));
  plugin->builtin = builtin;
  admit(std::move(plugin), std::move(line));
}

void Registry::admit(std::unique_ptr<Plugin> plugin, PluginListing line) {
  plugin->hostThreads = hostThreads;
  if (!passesFilter(filter, line.name)) {
    line.state = PluginListing::Filtered;
    line.reason = "left out by TERRAZZO_PLUGINS";
  } else {
    for (const auto &other : usable) {
      if (other->name() == line.name) {
        line.state = PluginListing::Shadowed;
        line.reason = "a plugin of this name was found before: " +
                      (other->manifest.path.empty() ? "(built in)"
                                                    : other->manifest.path);
      }
    }
  }
  if (line.state == PluginListing::Usable) {
    usable.push_back(std::move(plugin));
  }
  lines.push_back(std::move(line));
}

std::vector<Plugin *> Registry::plugins() const {
  std::vector<Plugin *> list;
  for (const auto &plugin : usable) {
    list.push_back(plugin.get());
  }
  return list;
}

Status Registry::missing(std::string_view name) const {
  for (const PluginListing &line : lines) {
    if (line.name == name && line.state != PluginListing::Usable &&
        line.state != PluginListing::Shadowed) {
      return Status(TZ_E_NOT_FOUND, "target '" + std::string(name) +
                                        "' is not usable: " + line.reason);
    }
  }
  std::string names;
  for (const auto &plugin : usable) {
    names += (names.empty() ? "" : ", ") + plugin->name();
  }
  return Status(TZ_E_NOT_FOUND,
                "unknown target '" + std::string(name) + "'; " +
                    (names.empty()
                         ? "no plugin was found (TERRAZZO_PLUGIN_PATH names "
                           "folders with plugin manifests)"
                         : "there are: " + names));
}

Result<Plugin *> Registry::find(std::string_view name) const {
  for (const auto &plugin : usable) {
    if (plugin->name() == name) {
      return plugin.get();
    }
  }
  return missing(name);
}

} // namespace tz::runtime
