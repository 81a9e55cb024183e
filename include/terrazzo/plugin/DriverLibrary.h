//===- terrazzo/plugin/DriverLibrary.h - a driver, opened at run time -----===//
//
// What   Opens the first of several names of a library, and finds its
//        functions.
// Why    A device half links nothing of its vendor's: without a driver the
//        host still starts, and the half says what is missing.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_DRIVERLIBRARY_H
#define TERRAZZO_PLUGIN_DRIVERLIBRARY_H

#include <terrazzo/plugin/Error.h>

#include <cstring>
#include <dlfcn.h>
#include <span>

namespace tz::plugin {

/// Stays open to the end of the process: drivers have threads of their own.
class DriverLibrary {
public:
  /// `what` is for messages: "no OpenCL: libOpenCL.so.1 not found". Throws
  /// TZ_E_UNAVAILABLE if none of the names is found, or the first one that is
  /// there cannot be opened.
  DriverLibrary(std::string_view what, std::span<const std::string> names) {
    for (const std::string &name : names) {
      handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle) {
        opened = name;
        return;
      }
      const char *why = dlerror();
      const std::string reason = why ? why : "";
      // The loader's usual sentence says no more than "not found".
      if (reason.find("No such file") == std::string::npos) {
        throw Failure(TZ_E_UNAVAILABLE,
                      "no " + std::string(what) + ": " + name + ": " + reason);
      }
    }
    throw Failure(TZ_E_UNAVAILABLE, "no " + std::string(what) + ": " +
                                        names.front() + " not found");
  }
  DriverLibrary(std::string_view what, const std::string &name)
      : DriverLibrary(what, std::span(&name, 1)) {}

  /// The name that was found.
  const std::string &name() const { return opened; }

  /// Null if there is none. A required one is remembered if it is missing.
  template <typename Pointer>
  void load(Pointer &pointer, const char *symbol, bool isRequired = true) {
    void *address = dlsym(handle, symbol);
    static_assert(sizeof(pointer) == sizeof(address));
    std::memcpy(&pointer, &address, sizeof(address));
    if (!address && isRequired && !lacking) {
      lacking = symbol;
    }
  }
  /// The first required function that was not there, or null.
  const char *missing() const { return lacking; }

private:
  void *handle = nullptr;
  std::string opened;
  const char *lacking = nullptr;
};

} // namespace tz::plugin

#endif // TERRAZZO_PLUGIN_DRIVERLIBRARY_H
