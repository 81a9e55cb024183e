//===- DebugTarget.h - what a target makes of a launch, to debug it -------===//
//
// What   Runs a launch on a target and in the interpreter, and says where the
//        target's results, prints or end differ.
// Why    No device can stop in a tile program and show a tile. The interpreter
//        can, so the place where a target goes wrong is looked for there.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TOOLS_TZ_DEBUGTARGET_H
#define TERRAZZO_CORE_TOOLS_TZ_DEBUGTARGET_H

#include "core/arguments/Request.h"
#include "core/execution/ReferenceRun.h"
#include "runtime/session/RuntimeSession.h"

namespace tz::tool {

struct TargetOutcome {
  bool isRight = true;
  /// The first element of the first array that differs, and how.
  std::optional<Element> first;
  std::string what;
  /// The interpreter fails as well, and stops by itself.
  bool interpreterFails = false;
  /// "FILE:LINE" where the target alone says that it failed.
  std::string failedAt;
};

/// Prints what it finds. `launch` has its inputs; its job gets the target. A
/// status: nothing ran there (no such target or device, no code for it).
runtime::Result<TargetOutcome> runOnTarget(runtime::Session &session,
                                           driver::Driver &driver,
                                           const std::string &target,
                                           Launch &launch,
                                           runtime::DiagnosticSink &sink);

} // namespace tz::tool

#endif
