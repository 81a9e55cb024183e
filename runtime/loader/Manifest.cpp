//===- Manifest.cpp - plugin.json, read before any file is opened ---------===//
//
// What   The text's values, then the fields one by one.
// Why    A manifest may be written by anybody; each mistake in it becomes one
//        sentence with file, place and cure.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Manifest.h"

#include "runtime/loader/Json.h"

#include <algorithm>
#include <limits>
#include <sys/utsname.h>

namespace tz::runtime {

namespace {

Status malformed(const std::string &path, const std::string &what) {
  return Status(TZ_E_INVALID_ARGUMENT,
                path + ": malformed plugin manifest: " + what);
}

/// Reads typed fields of one object and keeps the first problem.
class Fields {
public:
  Fields(const JsonValue &object, std::string place, Status &status)
      : object(object), place(std::move(place)), status(status) {}

  const JsonValue *find(const char *key, bool required) {
    const JsonValue *found = status.ok() ? object.find(key) : nullptr;
    if (!found && required) {
      fail(key, "is missing");
    }
    return found;
  }
  void fail(const char *key, const std::string &what) {
    if (status.ok()) {
      status = Status(TZ_E_INVALID_ARGUMENT, "'" + place + key + "' " + what);
    }
  }
  void text(const char *key, std::string &to, bool required) {
    if (const JsonValue *v = find(key, required)) {
      if (!v->is(JsonValue::String)) {
        return fail(key, "must be a string");
      }
      to = v->text;
      if (to.find('\0') != std::string::npos) {
        fail(key, "contains a NUL character");
      }
    }
  }
  /// A text or a list of texts; an empty text stands for none.
  void texts(const char *key, std::vector<std::string> &to) {
    const JsonValue *v = find(key, false);
    if (!v || !v->is(JsonValue::Array)) {
      std::string one;
      text(key, one, false);
      if (!one.empty()) {
        to.push_back(one);
      }
      return;
    }
    for (const JsonValue &item : v->items) {
      if (!item.is(JsonValue::String) || item.text.empty() ||
          item.text.find('\0') != std::string::npos) {
        return fail(key, "must be a string or a list of strings");
      }
      to.push_back(item.text);
    }
  }
  void number(const char *key, uint32_t &to, bool required) {
    if (const JsonValue *v = find(key, required)) {
      if (!v->is(JsonValue::Integer) || v->integer < 0 ||
          v->integer > std::numeric_limits<uint32_t>::max()) {
        return fail(key, "must be a whole number from 0 to 4294967295");
      }
      to = uint32_t(v->integer);
    }
  }
  const JsonValue *child(const char *key, bool isArray, bool required) {
    const JsonValue *v = find(key, required);
    if (v && !v->is(isArray ? JsonValue::Array : JsonValue::Object)) {
      fail(key, isArray ? "must be a list" : "must be an object");
      return nullptr;
    }
    return v;
  }

private:
  const JsonValue &object;
  std::string place;
  Status &status;
};

/// "1.6" to two numbers.
bool parseVersion(const std::string &text, uint32_t &major, uint32_t &minor) {
  unsigned a = 0, b = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%9u.%9u%c", &a, &b, &rest) != 2) {
    return false;
  }
  major = a;
  minor = b;
  return true;
}

void readIR(const JsonValue &list, Manifest &m, Status &status) {
  for (const JsonValue &item : list.items) {
    if (!item.is(JsonValue::Object)) {
      status = Status(TZ_E_INVALID_ARGUMENT,
                      "'plugin.ir' must be a list of objects");
      return;
    }
    Fields f(item, "plugin.ir[].", status);
    IRVersionRange range;
    std::string least, most;
    f.text("format", range.format, true);
    f.text("min", least, true);
    f.text("max", most, true);
    if (status.ok() && (!parseVersion(least, range.minMajor, range.minMinor) ||
                        !parseVersion(most, range.maxMajor, range.maxMinor))) {
      f.fail("min", "and 'max' must look like \"1.6\"");
    }
    if (!status.ok()) {
      return;
    }
    m.ir.push_back(range);
  }
}

void readStrings(const JsonValue &list, const char *key,
                 std::vector<std::string> &to, Status &status) {
  for (const JsonValue &item : list.items) {
    if (!item.is(JsonValue::String)) {
      status = Status(TZ_E_INVALID_ARGUMENT,
                      std::string("'") + key + "' must be a list of strings");
      return;
    }
    to.push_back(item.text);
  }
}

void readProbe(const JsonValue &probe, Manifest &m, Status &status) {
  Fields f(probe, "plugin.probe.", status);
  const JsonValue *any = f.child("any_of", true, true);
  if (!any) {
    return;
  }
  for (const JsonValue &item : any->items) {
    const JsonValue *file = item.find("file"),
                    *vendor = item.find("pci_vendor");
    if (file && file->is(JsonValue::String)) {
      m.probeFiles.push_back(file->text);
    } else if (vendor && vendor->is(JsonValue::String)) {
      m.probePciVendors.push_back(vendor->text);
    }
    // Other probes are of later versions: unknown keys are ignored.
  }
}

void readLibrary(const JsonValue &library, Manifest &m, Status &status) {
  Fields f(library, "plugin.library.", status);
  f.text("compiler", m.compilerLibrary, false);
  f.texts("device", m.deviceLibraries);
  f.text("os", m.os, false);
  f.text("arch", m.arch, false);
  if (status.ok() && m.compilerLibrary.empty() && m.deviceLibraries.empty()) {
    f.fail("compiler", "or 'plugin.library.device' must name a file");
  }
  const std::string folder = parentFolder(absolutePath(m.path));
  auto complete = [&](std::string &file) {
    if (!file.empty()) {
      file = normalPath(file.front() == '/' ? file : folder + "/" + file);
    }
  };
  complete(m.compilerLibrary);
  std::for_each(m.deviceLibraries.begin(), m.deviceLibraries.end(), complete);
}

void readHashes(const JsonValue &hashes, Manifest &m, Status &status) {
  Fields f(hashes, "plugin.sha256.", status);
  f.text("compiler", m.compilerSha256, false);
  f.texts("device", m.deviceSha256);
  if (!m.deviceSha256.empty() &&
      m.deviceSha256.size() != m.deviceLibraries.size()) {
    f.fail("device", "must have a hash for each of the " +
                         std::to_string(m.deviceLibraries.size()) +
                         " files of 'plugin.library.device'");
  }
}

void readPlugin(const JsonValue &plugin, Manifest &m, Status &status) {
  Fields f(plugin, "plugin.", status);
  f.text("name", m.name, true);
  f.text("vendor", m.vendor, false);
  f.text("version", m.version, true);
  f.text("isolation", m.isolation, false);
  if (status.ok() &&
      (m.name.empty() || m.name.size() > 64 ||
       m.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") !=
           std::string::npos)) {
    f.fail("name", "must be 1 to 64 of the characters a-z 0-9 _ -");
  }
  if (status.ok() && !m.isolation.empty() && m.isolation != "worker" &&
      m.isolation != "inprocess") {
    f.fail("isolation", "must be 'worker' or 'inprocess'");
  }
  if (const JsonValue *abi = f.child("abi", false, true)) {
    Fields g(*abi, "plugin.abi.", status);
    g.number("major", m.abiMajor, true);
    g.number("built_minor", m.abiMinor, true);
    m.minHostMinor = m.abiMinor;
    g.number("min_host_minor", m.minHostMinor, false);
  }
  if (const JsonValue *v = f.find("priority", false)) {
    if (v->is(JsonValue::Integer) && v->integer >= -1000 &&
        v->integer <= 1000) {
      m.priority = int(v->integer);
    } else {
      f.fail("priority", "must be a whole number from -1000 to 1000");
    }
  }
  if (const JsonValue *v = f.child("library", false, true)) {
    readLibrary(*v, m, status);
  }
  if (const JsonValue *v = f.child("ir", true, false)) {
    readIR(*v, m, status);
  }
  if (const JsonValue *v = f.child("targets", true, false)) {
    readStrings(*v, "plugin.targets", m.targets, status);
  }
  if (const JsonValue *v = f.child("probe", false, false)) {
    readProbe(*v, m, status);
  }
  if (const JsonValue *v = f.child("sha256", false, false)) {
    readHashes(*v, m, status);
  }
}

} // namespace

Result<Manifest> parseManifest(std::string_view text, const std::string &path) {
  if (text.size() > MaxManifestBytes) {
    return malformed(path, "larger than 1 MiB");
  }
  Result<JsonValue> root = parseJson(text, MaxManifestDepth);
  if (!root) {
    return malformed(path, root.status().message());
  }
  if (!root->is(JsonValue::Object)) {
    return malformed(path, "the text is not an object: { ... }");
  }
  Status status;
  Manifest m;
  m.path = path;
  Fields f(*root, "", status);
  std::string version;
  f.text("manifest_version", version, true);
  uint32_t major = 0, minor = 0;
  if (status.ok() && !parseVersion(version, major, minor)) {
    f.fail("manifest_version", "must look like \"1.0\"");
  }
  if (status.ok() && major != 1) {
    return Status(TZ_E_UNIMPLEMENTED,
                  path + ": manifest version " + version +
                      ", this runtime reads 1.x; update Terrazzo or install an "
                      "older plugin");
  }
  if (const JsonValue *plugin = f.child("plugin", false, true)) {
    readPlugin(*plugin, m, status);
  }
  if (!status.ok()) {
    return malformed(path, status.message());
  }
  return m;
}

Result<Manifest> readManifest(const std::string &path, const TrustRule &trust) {
  Result<TrustedFile> file = openTrusted(path, trust);
  if (!file) {
    return file.takeStatus().in("plugin manifest cannot be opened");
  }
  Result<std::string> text = readRegular(file->file, path, MaxManifestBytes);
  return text ? parseManifest(*text, path)
              : text.takeStatus().in("plugin manifest cannot be read");
}

static std::string version(uint32_t major, uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

std::string whyNotServed(uint32_t major, uint32_t minorBuilt,
                         uint32_t minorNeeded) {
  const std::string own = version(TZ_ABI_MAJOR, TZ_ABI_MINOR);
  if (major != TZ_ABI_MAJOR || minorBuilt < TZ_ABI_OLDEST_MINOR) {
    const bool isOne = TZ_ABI_OLDEST_MINOR == TZ_ABI_MINOR;
    return "was built for ABI " + version(major, minorBuilt) +
           ", this Terrazzo serves " +
           (isOne ? "" : version(TZ_ABI_MAJOR, TZ_ABI_OLDEST_MINOR) + " to ") +
           own + "; rebuild the plugin with this Terrazzo's headers";
  }
  if (minorNeeded > TZ_ABI_MINOR) {
    return "needs a host of ABI " + version(major, minorNeeded) +
           " or later, this Terrazzo is " + own +
           "; install a newer Terrazzo or an older plugin";
  }
  return {};
}

Status checkManifest(const Manifest &m) {
  auto refuse = [&](std::string what) {
    return Status(TZ_E_FAILED_PRECONDITION, m.path + ": " + what);
  };
  if (std::string why = whyNotServed(m.abiMajor, m.abiMinor, m.minHostMinor);
      !why.empty()) {
    return refuse("plugin '" + m.name + "' " + why);
  }
  utsname system{};
  uname(&system);
  if (!m.os.empty() && m.os != "linux") {
    return refuse("plugin '" + m.name + "' is for the system '" + m.os +
                  "', this is linux");
  }
  if (!m.arch.empty() && m.arch != system.machine) {
    return refuse("plugin '" + m.name + "' is for the architecture '" + m.arch +
                  "', this machine is " + system.machine);
  }
  return Status();
}

} // namespace tz::runtime
