//===- RegisterAtLoad.cpp - what only libterrazzo.so has ------------------===//
//
// What   Registers the compiler and the interpreter's target when the library
// is
//        loaded.
// Why    The runtime's objects are the same as in libterrazzo_runtime.
//===----------------------------------------------------------------------===//
#include "core/driver/Driver.h"
#include "core/interpreter/target/InterpreterTarget.h"

namespace {
[[maybe_unused]] const bool isRegistered =
    (tz::driver::registerDriver(), tz::interp::registerPlugin(), true);
} // namespace
