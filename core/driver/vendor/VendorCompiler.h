//===- VendorCompiler.h - calls of a plugin's compiler half ---------------===//
//
// What   The functions of the table with values instead of C structs; the
//        serial lock where a plugin wants it.
// Why    The struct-size rules of the ABI are kept in one place.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_VENDOR_VENDORCOMPILER_H
#define TERRAZZO_CORE_DRIVER_VENDOR_VENDORCOMPILER_H

#include "core/driver/cache/CacheEntry.h"
#include "core/driver/options/Options.h"
#include "runtime/cache/Cache.h"
#include "runtime/loader/Registry.h"

#include "terrazzo/optimizer/TilePipeline.h"

namespace tz::driver {

/// What a target says about itself, as the shared passes ask for it.
struct TargetDescription {
  std::string id, family;
  optimizer::TargetFacts facts;
  std::vector<std::string> unknownFeatures; ///< in no table; nothing reads them
};

runtime::Result<TargetDescription> describeTarget(runtime::Plugin &plugin,
                                                  const std::string &target);
/// "unknown feature 'dot.tf23'; did you mean 'dot.tf32'?"
std::string unknownFeature(const std::string &name);

/// Null if the plugin does not list options.
runtime::Result<std::optional<std::vector<OptionInfo>>>
listOptions(runtime::Plugin &plugin, const std::string &target);

/// All that influences code and is in the plugin: its own answer, or version
/// and build. A plugin's file is not opened when the cache knows the answer for
/// this very file.
runtime::Result<std::string> fingerprint(runtime::Plugin &plugin,
                                         const runtime::CompileJob &job,
                                         runtime::Cache *cache);

/// Gets each diagnostic when the vendor gives it.
using VendorListener = std::function<void(const VendorMessage &)>;

/// Portable bytes in, what the vendor made of them out; in a child process if
/// the plugin asks for one (worker/Workers.h). A vendor may fail without a
/// diagnostic.
runtime::Result<runtime::Artifact>
compilePortable(runtime::Plugin &plugin, const runtime::CompileJob &job,
                std::string_view ir, const VendorListener &listener);

/// Would compilePortable() find ops and types that the target has not?
/// TZ_E_UNIMPLEMENTED if the plugin can only say so by compiling.
runtime::Status checkPortable(runtime::Plugin &plugin,
                              const runtime::CompileJob &job,
                              std::string_view ir,
                              const VendorListener &listener);

/// The number of a compile request: of no other in this process.
uint64_t nextRequestId();
/// The same in this process, on this thread. `request`: 0 for a new number.
runtime::Result<runtime::Artifact> compileHere(runtime::Plugin &plugin,
                                               const runtime::CompileJob &job,
                                               std::string_view ir,
                                               const VendorListener &listener,
                                               uint64_t request = 0);
runtime::Status checkHere(runtime::Plugin &plugin,
                          const runtime::CompileJob &job, std::string_view ir,
                          const VendorListener &listener);

} // namespace tz::driver

#endif
