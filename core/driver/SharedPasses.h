//===- SharedPasses.h - from elaborated IR to bytes -------------*- C++ -*-===//
//
// What   The passes of a stage on a kernel's module, and its portable form.
// Why    A long kernel keeps these busy for seconds, in stretches that nobody
//        can interrupt (MLIR's verifier, a walk of its rewriter). They run on a
//        thread that the caller of the compilation may leave.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_SHAREDPASSES_H
#define TERRAZZO_CORE_DRIVER_SHAREDPASSES_H

#include "core/driver/LoweredKernel.h"
#include "core/driver/PhaseClock.h"
#include "core/driver/cache/Places.h"

namespace tz::driver {

/// Everything up to the kernel's stage. Remarks are reported and kept.
runtime::Status runPasses(LoweredKernel::State &held,
                          optimizer::TargetFacts facts,
                          const runtime::CompileJob &job,
                          runtime::DiagnosticSink &diagnostics,
                          PhaseClock &clock);

/// Of a kernel that takes no passes.
runtime::Status checkModule(LoweredKernel::State &held);

/// What of a module crosses the ABI, and what the cache knows it by.
struct PortableKernel {
  std::string bytes;
  /// Hashes of the bytes; empty unless wanted.
  std::string code, codeAndLocations;
  /// Empty unless wanted.
  std::optional<PlaceTable> places;
};

/// `forCache`: with hashes and places.
runtime::Result<PortableKernel>
writePortable(LoweredKernel::State &held, bool forCache,
              const runtime::CompileJob &job,
              runtime::DiagnosticSink &diagnostics);

/// For a caller who waits no longer: to take down the IR of a long kernel takes
/// a tenth of a second, so that is done on a thread that is left. `held` has no
/// module and no source afterwards.
void letGo(LoweredKernel::State &held, PortableKernel portable);

/// The status of work on a module that failed. Who says what it cannot do has
/// refused the kernel; a budget that ended is told here.
runtime::Status stageFailure(FirstError &first, const char *otherwise,
                             const runtime::CompileJob &job,
                             runtime::DiagnosticSink &diagnostics);

} // namespace tz::driver

#endif
