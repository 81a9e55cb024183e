//===- BuildId.h - which compiler this is ---------------------------------===//
//
// What   The linker's build id of the binary that this code is in.
// Why    Cached artifacts depend on the compiler; the build id changes with any
//        byte of it, and a version number that somebody must remember does not.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_CACHE_BUILDID_H
#define TERRAZZO_CORE_DRIVER_CACHE_BUILDID_H

#include <string>

namespace tz::driver {

/// Hexadecimal; falls back to size and time of the file if there is none.
const std::string &buildId();

} // namespace tz::driver

#endif
