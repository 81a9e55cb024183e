//===- BenchCheck.h - is what is timed right? -----------------------------===//
//
// What   Launches a kernel once and compares its buffers with the reference
//        interpreter's.
// Why    The time of a wrong kernel says nothing, and on a device without time,
//        a simulated one, whether it is right is all that can be asked.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TOOLS_TZ_BENCHCHECK_H
#define TERRAZZO_CORE_TOOLS_TZ_BENCHCHECK_H

#include "core/arguments/Request.h"
#include "runtime/launch/LoadedKernel.h"

namespace tz::tool {

/// `job` is for the target; `memory` has the address of each buffer, filled as
/// the binding says, and is as the kernel leaves it then. The message of a
/// status names each buffer that differs.
runtime::Status checkAgainstReference(
    driver::Driver &driver, const runtime::CompileJob &job,
    const Binding &binding, const std::array<int64_t, 3> &grid,
    runtime::LoadedKernel &kernel, runtime::Stream &stream,
    std::span<const runtime::ArgValue> values, std::span<const tz_dptr> memory,
    runtime::DiagnosticSink &sink);

} // namespace tz::tool

#endif
