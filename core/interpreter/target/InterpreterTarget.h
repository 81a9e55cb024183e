//===- InterpreterTarget.h - the interpreter as a target ------------------===//
//
// What   "interp", a built-in plugin: its compiler half keeps a kernel's IR as
//        it was written, its device half runs that in the checked interpreter.
// Why    A program finds out of its own kernels what a device cannot tell:
//        accesses out of bounds, races, broken promises. It launches as for any
//        target, so nothing above knows of it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_TARGET_INTERPRETERTARGET_H
#define TERRAZZO_CORE_INTERPRETER_TARGET_INTERPRETERTARGET_H

#include <terrazzo/plugin.h>

namespace tz::interp {

/// What get_interface("tz.device/1") answers (InterpreterDevice.cpp).
const tz_device_api *deviceInterface();

/// For every session that is made later.
void registerPlugin();

} // namespace tz::interp

#endif
