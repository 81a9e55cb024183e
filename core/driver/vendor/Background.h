//===- Background.h - compilations that their caller may leave --*- C++ -*-===//
//
// What   compileHere() on a thread of its own, while the caller waits and asks
//        whether it shall go on waiting.
// Why    Code generation cannot be stopped in the middle. A caller who presses
//        Ctrl-C, or whose budget of time is over, gets an answer at once all
//        the same; the compiler is asked to stop, ends when it next looks, and
//        what it made is dropped.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_VENDOR_BACKGROUND_H
#define TERRAZZO_CORE_DRIVER_VENDOR_BACKGROUND_H

#include "core/driver/vendor/VendorCompiler.h"

namespace tz::driver {

/// The listener is called on the calling thread, during the call. A process
/// that ends, and a registry that is destroyed, wait a second for threads that
/// were left. After that the process ends all the same, and their plugins
/// are never destroyed.
runtime::Result<runtime::Artifact>
compileInBackground(runtime::Plugin &plugin, const runtime::CompileJob &job,
                    std::string_view ir, const VendorListener &listener);

} // namespace tz::driver

#endif
