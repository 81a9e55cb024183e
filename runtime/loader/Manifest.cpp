//===- Manifest.cpp - plugin.json, read before any file is opened ---------===//
//
// What   First a pass over the text that bounds depth and refuses duplicate
//        keys, then the fields one by one.
// Why    A manifest may be written by anybody; each mistake in it becomes one
//        sentence with file, place and cure.
//===----------------------------------------------------------------------===//
#include "runtime/loader/Manifest.h"

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/utsname.h>

namespace tz::runtime {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

Status malformed(const std::string &path, const std::string &what) {
  return Status(TZ_E_INVALID_ARGUMENT,
                path + ": malformed plugin manifest: " + what);
}

/// Walks the text without building anything: depth, duplicates, syntax.
struct Checker : nlohmann::json_sax<Json> {
  std::vector<std::set<std::string>> objects;
  int depth = 0;
  std::string problem;
  size_t place = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool enter() {
    if (++depth > MaxManifestDepth) {
      problem = "nested deeper than " + std::to_string(MaxManifestDepth);
      return false;
    }
    return true;
  }
  bool start_object(size_t) override {
    objects.emplace_back();
    return enter();
  }
  bool end_object() override {
    objects.pop_back();
    --depth;
    return true;
  }
  bool start_array(size_t) override { return enter(); }
  bool end_array() override {
    --depth;
    return true;
  }
  bool key(string_t &k) override {
    if (!objects.back().insert(k).second) {
      problem = "key '" + k + "' appears twice in one object";
      return false;
    }
    return true;
  }
  bool parse_error(size_t at, const std::string &token,
                   const nlohmann::detail::exception &) override {
    place = at;
    problem = token.empty() || token.size() > 40
                  ? "syntax error"
                  : "syntax error at '" + token + "'";
    return false;
  }
};

std::string lineOf(std::string_view text, size_t place) {
  size_t end = std::min(place, text.size());
  return std::to_string(
      1 + std::count(text.begin(), text.begin() + ptrdiff_t(end), '\n'));
}

/// Reads typed fields of one object and keeps the first problem.
class Fields {
public:
  Fields(const Json &object, std::string place, Status &status)
      : object(object), place(std::move(place)), status(status) {}

  const Json *find(const char *key, bool required) {
    if (!status.ok()) {
      return nullptr;
    }
    auto it = object.find(key);
    if (it == object.end()) {
      if (required) {
        fail(key, "is missing");
      }
      return nullptr;
    }
    return &*it;
  }
  void fail(const char *key, const std::string &what) {
    if (status.ok()) {
      status = Status(TZ_E_INVALID_ARGUMENT, "'" + place + key + "' " + what);
    }
  }
  void text(const char *key, std::string &to, bool required) {
    if (const Json *v = find(key, required)) {
      if (!v->is_string()) {
        return fail(key, "must be a string");
      }
      to = v->get<std::string>();
      if (to.find('\0') != std::string::npos) {
        fail(key, "contains a NUL character");
      }
    }
  }
  void number(const char *key, uint32_t &to, bool required) {
    if (const Json *v = find(key, required)) {
      if (!v->is_number_unsigned() ||
          v->get<uint64_t>() > std::numeric_limits<uint32_t>::max()) {
        return fail(key, "must be a whole number from 0 to 4294967295");
      }
      to = v->get<uint32_t>();
    }
  }
  const Json *child(const char *key, bool isArray, bool required) {
    const Json *v = find(key, required);
    if (v && (isArray ? !v->is_array() : !v->is_object())) {
      fail(key, isArray ? "must be a list" : "must be an object");
      return nullptr;
    }
    return v;
  }

private:
  const Json &object;
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

void readIR(const Json &list, Manifest &m, Status &status) {
  for (const Json &item : list) {
    if (!item.is_object()) {
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

void readStrings(const Json &list, const char *key,
                 std::vector<std::string> &to, Status &status) {
  for (const Json &item : list) {
    if (!item.is_string()) {
      status = Status(TZ_E_INVALID_ARGUMENT,
                      std::string("'") + key + "' must be a list of strings");
      return;
    }
    to.push_back(item.get<std::string>());
  }
}

void readProbe(const Json &probe, Manifest &m, Status &status) {
  Fields f(probe, "plugin.probe.", status);
  const Json *any = f.child("any_of", true, true);
  for (const Json &item : any ? *any : Json::array()) {
    if (item.is_object() && item.contains("file") && item["file"].is_string()) {
      m.probeFiles.push_back(item["file"].get<std::string>());
    } else if (item.is_object() && item.contains("pci_vendor") &&
               item["pci_vendor"].is_string()) {
      m.probePciVendors.push_back(item["pci_vendor"].get<std::string>());
    }
    // Other probes are of later versions: unknown keys are ignored.
  }
}

void readLibrary(const Json &library, Manifest &m, Status &status) {
  Fields f(library, "plugin.library.", status);
  f.text("compiler", m.compilerLibrary, false);
  f.text("device", m.deviceLibrary, false);
  f.text("os", m.os, false);
  f.text("arch", m.arch, false);
  if (status.ok() && m.compilerLibrary.empty() && m.deviceLibrary.empty()) {
    f.fail("compiler", "or 'plugin.library.device' must name a file");
  }
  fs::path folder = fs::absolute(fs::path(m.path)).parent_path();
  for (std::string *file : {&m.compilerLibrary, &m.deviceLibrary}) {
    if (!file->empty()) {
      *file = (folder / *file).lexically_normal().string();
    }
  }
}

void readPlugin(const Json &plugin, Manifest &m, Status &status) {
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
  if (const Json *abi = f.child("abi", false, true)) {
    Fields g(*abi, "plugin.abi.", status);
    g.number("major", m.abiMajor, true);
    g.number("built_minor", m.abiMinor, true);
    g.number("min_host_minor", m.minHostMinor, false);
  }
  if (const Json *v = f.find("priority", false)) {
    if (v->is_number_integer() && v->get<int64_t>() >= -1000 &&
        v->get<int64_t>() <= 1000) {
      m.priority = v->get<int>();
    } else {
      f.fail("priority", "must be a whole number from -1000 to 1000");
    }
  }
  if (const Json *v = f.child("library", false, true)) {
    readLibrary(*v, m, status);
  }
  if (const Json *v = f.child("ir", true, false)) {
    readIR(*v, m, status);
  }
  if (const Json *v = f.child("targets", true, false)) {
    readStrings(*v, "plugin.targets", m.targets, status);
  }
  if (const Json *v = f.child("probe", false, false)) {
    readProbe(*v, m, status);
  }
  if (const Json *v = f.child("sha256", false, false)) {
    Fields g(*v, "plugin.sha256.", status);
    g.text("compiler", m.compilerSha256, false);
    g.text("device", m.deviceSha256, false);
  }
}

} // namespace

Result<Manifest> parseManifest(std::string_view text, const std::string &path) {
  if (text.size() > MaxManifestBytes) {
    return malformed(path, "larger than 1 MiB");
  }
  Checker checker;
  if (!Json::sax_parse(text.begin(), text.end(), &checker)) {
    std::string where = checker.place
                            ? " in line " + lineOf(text, checker.place)
                            : std::string();
    return malformed(path, checker.problem + where);
  }
  Json root = Json::parse(text.begin(), text.end(), nullptr, false);
  if (!root.is_object()) {
    return malformed(path, "the text is not an object: { ... }");
  }
  Status status;
  Manifest m;
  m.path = path;
  Fields f(root, "", status);
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
  if (const Json *plugin = f.child("plugin", false, true)) {
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

Status checkManifest(const Manifest &m) {
  auto refuse = [&](std::string what) {
    return Status(TZ_E_FAILED_PRECONDITION, m.path + ": " + what);
  };
  std::string own =
      std::to_string(TZ_ABI_MAJOR) + "." + std::to_string(TZ_ABI_MINOR);
  if (m.abiMajor != TZ_ABI_MAJOR ||
      (TZ_ABI_MAJOR == 0 && m.abiMinor != TZ_ABI_MINOR) ||
      m.minHostMinor > TZ_ABI_MINOR) {
    return refuse("plugin '" + m.name + "' was built for ABI " +
                  std::to_string(m.abiMajor) + "." +
                  std::to_string(m.abiMinor) + ", this Terrazzo serves " + own +
                  "; rebuild the plugin or install the matching Terrazzo");
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
