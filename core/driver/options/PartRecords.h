//===- PartRecords.h - which parts of a kernel a job records --------------===//
//
// What   The option `records`: the names of its comma list, and their way to
//        the frontend and to the pass that puts records around parts.
// Why    A name that nobody knows is said before anything is compiled: a part
//        that is not measured must not look like one that takes no time.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_OPTIONS_PARTRECORDS_H
#define TERRAZZO_CORE_DRIVER_OPTIONS_PARTRECORDS_H

#include "runtime/session/CompilerService.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace tz::driver {

/// "scopes, loops, dots and operations"
std::string partNames();

/// Whether a settled job asks for this kind of parts.
bool recordsParts(const runtime::CompileJob &job, const char *kind);

/// Writes the list in one form, each name once, and refuses what is wrong in
/// it. An empty list is no option.
runtime::Status settlePartRecords(runtime::CompileJob &job);

/// Tells the passes. `asWritten`: the target takes kernels without passes.
void recordParts(const runtime::CompileJob &job, bool asWritten,
                 mlir::Operation *kernel);

} // namespace tz::driver

#endif
