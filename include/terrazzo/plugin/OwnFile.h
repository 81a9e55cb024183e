//===- terrazzo/plugin/OwnFile.h - which build of a plugin this is --------===//
//
// What   Size and time of the shared object that an address lies in.
// Why    For Compiler::fingerprint: a rebuilt plugin may generate other code
//        under the same version, whichever of its sources was changed.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_OWNFILE_H
#define TERRAZZO_PLUGIN_OWNFILE_H

#include <dlfcn.h>
#include <filesystem>
#include <string>

namespace tz::plugin {

/// `address`: of a function of the plugin. Empty if the file is not found.
inline std::string ownFile(const void *address) {
  Dl_info info{};
  std::error_code error;
  if (!dladdr(address, &info) || !info.dli_fname) {
    return {};
  }
  const std::filesystem::path path = info.dli_fname;
  const auto size = std::filesystem::file_size(path, error);
  if (error) {
    return {};
  }
  const auto time = std::filesystem::last_write_time(path, error);
  if (error) {
    return {};
  }
  return std::to_string(size) + " " +
         std::to_string(time.time_since_epoch().count());
}

} // namespace tz::plugin

#endif // TERRAZZO_PLUGIN_OWNFILE_H
