//===- Upload.h - a binding's buffers on a device -------------------------===//
//
// What   Copies the buffers of a command line to a device; what a launch then
//        takes.
// Why    tz run and tz bench launch the same way.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_EXECUTION_UPLOAD_H
#define TERRAZZO_CORE_EXECUTION_UPLOAD_H

#include "core/arguments/Binding.h"
#include "runtime/device/RuntimeDevice.h"
#include "runtime/launch/LoadedKernel.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tz::tool {

/// Where a buffer shall lie.
using AllocateBuffer =
    llvm::function_ref<runtime::Result<tz_dptr>(const BoundBuffer &)>;

/// Copies each buffer's content to where `allocate` says, and waits. Buffers of
/// addresses hold those of `memory`, which has the address of each buffer; also
/// of those that were allocated before a failure.
runtime::Status upload(Binding &binding, runtime::Stream &stream,
                       AllocateBuffer allocate, std::vector<tz_dptr> &memory);

/// The run-time arguments of compiled code.
std::vector<runtime::ArgValue> launchValues(const runtime::Artifact &artifact,
                                            const Binding &binding,
                                            std::span<const tz_dptr> memory);

} // namespace tz::tool

#endif
