//===- Library.cpp - what only libterrazzo.so has -------------------------===//
//
// What   Registers the compiler when the library is loaded.
// Why    The runtime's objects are the same as in libterrazzo_runtime.
//===----------------------------------------------------------------------===//
#include "core/driver/Driver.h"

namespace {
[[maybe_unused]] const bool isRegistered = (tz::driver::registerDriver(), true);
} // namespace
