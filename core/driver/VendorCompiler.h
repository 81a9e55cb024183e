//===- VendorCompiler.h - calls of a plugin's compiler half ---------------===//
//
// What   describe_target, fingerprint and compile with values instead of C
//        structs; the serial lock where a plugin wants it.
// Why    The struct-size rules of the ABI are kept in one place.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_VENDORCOMPILER_H
#define TERRAZZO_CORE_DRIVER_VENDORCOMPILER_H

#include "core/driver/Rendering.h"
#include "runtime/cache/Cache.h"
#include "runtime/loader/Registry.h"

#include "terrazzo/optimizer/Pipeline.h"

namespace tz::driver {

/// What a target says about itself, as the shared passes ask for it.
struct TargetDescription {
  std::string id, family;
  optimizer::TargetFacts facts;
};

runtime::Result<TargetDescription> describeTarget(runtime::Plugin &plugin,
                                                  const std::string &target);

/// All that influences code and is in the plugin: its own answer, or version
/// and build. A plugin's file is not opened when the cache knows the answer for
/// this very file.
runtime::Result<std::string> fingerprint(runtime::Plugin &plugin,
                                         const runtime::CompileJob &job,
                                         runtime::Cache *cache);

/// Portable bytes in, what the vendor made of them out.
runtime::Result<runtime::Artifact>
compilePortable(runtime::Plugin &plugin, const runtime::CompileJob &job,
                std::string_view ir, runtime::DiagnosticSink &diagnostics,
                const Sources &sources);

} // namespace tz::driver

#endif
