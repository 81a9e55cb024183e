//===- Sanitizers.h - which checks a job wants ----------------------------===//
//
// What   The option `sanitize`: the names of its comma list, and their way to
//        the pass that inserts the checks (tile-sanitize).
// Why    A name that nobody knows, or that a target has no check for, is said
//        before anything is compiled: a check that is not made must not look
//        like one that found nothing.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_OPTIONS_SANITIZERS_H
#define TERRAZZO_CORE_DRIVER_OPTIONS_SANITIZERS_H

#include "runtime/session/CompilerService.h"

#include <string>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir
namespace tz::optimizer {
struct TargetFacts;
} // namespace tz::optimizer

namespace tz::driver {

/// "bounds, nan and overflow"
std::string sanitizerNames();

/// Of a settled job, in the order of the table.
std::vector<std::string> sanitizersOf(const runtime::CompileJob &job);

/// Writes the list in one form, each name once, and refuses what is wrong in
/// it. An empty list is no option.
runtime::Status settleSanitizers(runtime::CompileJob &job);

/// Whether a target that judges accesses itself can do what is wanted.
runtime::Status checkAsWritten(const runtime::CompileJob &job);

/// Tells the passes, or refuses what the target cannot. `asWritten`: it takes
/// kernels without passes, and judges accesses itself.
runtime::Status sanitize(const runtime::CompileJob &job,
                         const optimizer::TargetFacts &facts, bool asWritten,
                         mlir::Operation *kernel);

} // namespace tz::driver

#endif
