//===- CaseJob.h - a case as a compile job --------------------------------===//
//
// What   A case's words bound to its kernel's parameters, as tz run does it.
// Why    The worker runs cases, the coverage table asks which the language
//        refuses: both from the same job.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_RUN_CASEJOB_H
#define TERRAZZO_CORE_CONFORMANCE_RUN_CASEJOB_H

#include "core/arguments/Binding.h"
#include "core/conformance/Suite.h"

namespace tz::tool {

/// Fills everything but the job's plugin and target; buffers get content.
runtime::Status prepareCase(driver::Driver &driver,
                            const conformance::Case &one,
                            runtime::DiagnosticSink &sink,
                            runtime::CompileJob &job, Binding &binding,
                            std::array<int64_t, 3> &grid);

/// The command that runs it: "tz run FILE::kernel --grid ...".
std::string runCommand(const conformance::Case &one, const std::string &file);

/// Whether the frontend makes tile IR of it.
bool isAccepted(driver::Driver &driver, const conformance::Case &one);

} // namespace tz::tool

#endif
