//===- SimulatorFile.cpp - the library that simulates devices -------------===//
//
// What   Finds and checks it: named by TERRAZZO_AMD_SIMULATOR, else beside this
//        half. It has HIP's entry points, and is used as HIP is.
// Why    What a variable names runs in this process. It is held to the rule for
//        plugins, and not read with raised rights.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/HipDevice.h"
#include "plugins/amd/double/SimulatorVersion.h"

#include <terrazzo/plugin/DriverLibrary.h>

#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tz::amd {

static constexpr const char *Variable = "TERRAZZO_AMD_SIMULATOR";

/// The file beside the one that this function is in.
static std::string besideThis() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void *>(&besideThis), &info) ||
      !info.dli_fname) {
    return {};
  }
  const std::string own = info.dli_fname;
  const size_t slash = own.rfind('/');
  return own.substr(0, slash == own.npos ? 0 : slash + 1) +
         "libtz_amd_simulator.so";
}

SimulatorFile::SimulatorFile() {
  const char *named = secure_getenv(Variable);
  const bool isNamed = named && *named;
  path = isNamed ? named : besideThis();
  const char *trust = secure_getenv("TERRAZZO_PLUGIN_TRUST");
  if (isNamed && trust && std::string_view(trust) == "system") {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  std::string(Variable) +
                      " is not followed with TERRAZZO_PLUGIN_TRUST=system; "
                      "install the simulator beside the plugin");
  }
  // A pipe is not waited for.
  descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const std::string why = std::generic_category().message(errno);
    throw Failure(TZ_E_UNAVAILABLE,
                  isNamed
                      ? std::string(Variable) + " names '" + path + "': " + why
                      : "no simulator: '" + path + "' is not there; " +
                            Variable + " names one elsewhere");
  }
  struct stat about{};
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) ||
      (about.st_mode & S_IWOTH)) {
    close(descriptor);
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "the simulator '" + path +
                      "' is no regular file, or everybody may write it; it is "
                      "not trusted (chmod o-w)");
  }
  // A name without a folder would be searched for.
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  path = error ? path : whole.string();
}

void SimulatorFile::mustBeTheSame() const {
  struct stat checked{}, now{};
  if (fstat(descriptor, &checked) != 0 || stat(path.c_str(), &now) != 0 ||
      checked.st_dev != now.st_dev || checked.st_ino != now.st_ino) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "the simulator '" + path +
                      "' was replaced while it was opened; start the program "
                      "again when its installation is done");
  }
}

SimulatorFile::~SimulatorFile() { close(descriptor); }

/// Throws TZ_E_FAILED_PRECONDITION unless the library is of this version.
static void checkVersion(const SimulatorFile &file) {
  plugin::DriverLibrary opened("simulator", file.path);
  file.mustBeTheSame();
  const char *(*version)() = nullptr;
  opened.load(version, SimulatorVersionSymbol, /*isRequired=*/false);
  const std::string found = version ? version() : "of no version";
  if (found != SimulatorVersion) {
    throw Failure(TZ_E_FAILED_PRECONDITION,
                  "the simulator '" + file.path + "' is " + found +
                      ", this plugin is " + SimulatorVersion +
                      "; take both from one release");
  }
}

std::vector<std::unique_ptr<HipDevice>>
HipDevice::simulators(const tz_create_desc &) {
  const SimulatorFile file;
  checkVersion(file);
  return listOf(std::make_shared<const HipDriver>(file.path), true);
}

} // namespace tz::amd
