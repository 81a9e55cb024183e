//===- Specialization.h - what a kernel's parameters become ---------------===//
//
// What   Arguments, constants and options of a job in the frontend's words;
// what
//        triton.heuristics makes of a launch's values.
// Why    A constant that comes as text may be a string, a dtype or a function;
//        which it is depends on the parameter, so it is decided here.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_SOURCE_SPECIALIZATION_H
#define TERRAZZO_CORE_DRIVER_SOURCE_SPECIALIZATION_H

#include "core/driver/Driver.h"
#include "core/driver/source/Workspace.h"

namespace tz::driver {

/// What triton.heuristics makes of a launch's values; as Driver::heuristics.
runtime::Result<runtime::KernelConfiguration>
findHeuristics(const ParsedSource &source, const std::string &function,
               const std::vector<runtime::ArgumentSpec> &arguments,
               const std::vector<LaunchValue> &values,
               runtime::DiagnosticSink &diagnostics, FirstError &first);

/// What the parameters become: arguments and constants of the frontend.
runtime::Result<frontend::Specialization>
specialize(const ParsedSource &source, const runtime::CompileJob &job,
           const std::string &function, runtime::DiagnosticSink &diagnostics,
           FirstError &first);

} // namespace tz::driver

#endif
