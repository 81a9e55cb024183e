//===- ProofPlace.cpp - where a case runs, as text ------------------------===//
//
// What   See placeOf() in ProofKey.h.
// Why    The same code on another driver, another simulator or another
//        processor has to be run there.
//===----------------------------------------------------------------------===//
#include "core/conformance/run/ProofKey.h"
#include "runtime/cache/Sha256.h"
#include "runtime/file/File.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <link.h>

namespace tz::tool {

using namespace runtime;

/// Of the sources that LaunchSources.cmake lists; made by the build.
extern const char *const LaunchSources;

static std::string hex(const uint8_t *bytes, size_t count) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
  }
  return text;
}

/// The linker's hash of a loaded object; empty if it has none.
static std::string buildId(const dl_phdr_info &object) {
  for (size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) {
      continue;
    }
    auto rounded = [](size_t size) { return (size + 3) & ~size_t(3); };
    const auto *bytes =
        reinterpret_cast<const uint8_t *>(object.dlpi_addr + segment.p_vaddr);
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= segment.p_memsz;) {
      ElfW(Nhdr) note;
      std::memcpy(&note, bytes + at, sizeof(note));
      const size_t name = at + sizeof(note);
      const size_t content = name + rounded(note.n_namesz);
      at = content + rounded(note.n_descsz);
      if (at > segment.p_memsz) {
        break;
      }
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
          std::memcmp(bytes + name, "GNU", 4) == 0) {
        return hex(bytes + content, note.n_descsz);
      }
    }
  }
  return {};
}

namespace {
struct Loaded {
  std::filesystem::path without; ///< the compiler half: its code is looked at
  std::vector<std::string> lines;
};
} // namespace

/// A line of one object. One without a linker's hash goes by size and time.
static int addLoaded(dl_phdr_info *object, size_t, void *user) {
  auto &loaded = *static_cast<Loaded *>(user);
  const std::filesystem::path path(object->dlpi_name);
  std::error_code error;
  if (!path.has_parent_path() || // this program, or the kernel's own object
      (!loaded.without.empty() &&
       std::filesystem::equivalent(path, loaded.without, error))) {
    return 0;
  }
  std::string id = buildId(*object);
  struct stat facts{};
  if (id.empty() && stat(path.c_str(), &facts) == 0) {
    id = std::to_string(facts.st_size) + " bytes of " +
         std::to_string(facts.st_mtim.tv_sec) + "." +
         std::to_string(facts.st_mtim.tv_nsec);
  }
  loaded.lines.push_back(path.filename().string() + " " + id);
  return 0;
}

/// What the first processor says of its kind, not of its state.
static std::string processor() {
  static constexpr std::string_view keys[] = {
      "vendor_id",   "cpu family", "model",           "model name",
      "stepping",    "flags",      "CPU implementer", "CPU architecture",
      "CPU variant", "CPU part",   "CPU revision",    "Features"};
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    std::string_view key = std::string_view(line).substr(0, line.find(':'));
    key = key.substr(0, key.find_last_not_of(" \t") + 1);
    if (std::find(std::begin(keys), std::end(keys), key) != std::end(keys)) {
      text += line + "\n";
    }
  }
  return text;
}

std::vector<std::string> decidingVariables(char **environment) {
  static constexpr std::string_view others[] = {
      "CACHE_BYTES",     "CACHE_DIR",    "CATCH_FAULTS", "COMPILE_MEMORY",
      "COMPILE_TIMEOUT", "LOG",          "PLUGINS",      "PLUGIN_FILES",
      "PLUGIN_PATH",     "PLUGIN_TRUST", "SETUP_CACHE",  "TARGET"};
  static constexpr std::string_view prefix = "TERRAZZO_";
  std::vector<std::string> found;
  for (char **at = environment; *at; ++at) {
    const std::string_view line = *at;
    if (!line.starts_with(prefix)) {
      continue;
    }
    const std::string_view name =
        line.substr(prefix.size(), line.find('=') - prefix.size());
    if (std::find(std::begin(others), std::end(others), name) ==
        std::end(others)) {
      found.emplace_back(line);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

static std::string described(const Device &device,
                             const optimizer::TargetFacts &facts) {
  const tz_device_info &info = device.info();
  std::string text = device.plugin().name() + " " + device.plugin().version() +
                     "\n" + device.name() + "\n" + device.target() + "\n" +
                     device.driverVersion() + "\n";
  for (uint64_t number : {info.flags, info.compute_units, info.subgroup_size,
                          info.max_threads_per_block}) {
    text += std::to_string(number) + "\n";
  }
  for (const std::string &feature : facts.features) {
    text += feature + "\n";
  }
  for (const auto &[name, value] : facts.properties) {
    text.append(name).append("=").append(value).append("\n");
  }
  return text;
}

/// The content of the device half. Of a plugin that is linked in, this program.
static Status addDeviceHalf(const Plugin &plugin, std::string &text) {
  std::vector<std::string> paths = plugin.description().deviceLibraries;
  if (paths.empty()) {
    paths.emplace_back("/proc/self/exe");
  }
  for (const std::string &path : paths) {
    Result<std::string> content = readRegular(path, uint64_t(1) << 31);
    if (!content) {
      return content.takeStatus();
    }
    text += toHex(sha256(*content)) + "\n";
  }
  return Status();
}

Result<std::string> placeOf(const Device &device,
                            const optimizer::TargetFacts &facts) {
  std::string text = described(device, facts);
  if (Status s = addDeviceHalf(device.plugin(), text); !s.ok()) {
    return s;
  }
  Loaded loaded{device.plugin().description().compilerLibrary, {}};
  dl_iterate_phdr(addLoaded, &loaded);
  std::sort(loaded.lines.begin(), loaded.lines.end());
  for (const std::string &line : loaded.lines) {
    text += line + "\n";
  }
  text += processor();
  for (const std::string &line : decidingVariables(environ)) {
    text += line + "\n";
  }
  return text + LaunchSources + "\n";
}

} // namespace tz::tool
