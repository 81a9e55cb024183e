//===- PluginLibrary.h - a plugin's shared object, opened and negotiated --===//
//
// What   dlopen with everything that can be checked before it, and the checks
//        of what the entry function answers.
// Why    After these, the rest of the runtime may call the tables without
//        asking again.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_PLUGINLIBRARY_H
#define TERRAZZO_RUNTIME_LOADER_PLUGINLIBRARY_H

#include "runtime/loader/Manifest.h"

namespace tz::runtime {

/// What can be said of the file without loading it: there, trusted, whole, for
/// this machine.
Status checkLibrary(const std::string &path, const Manifest &manifest,
                    const TrustRule &trust);

/// Loads the file that passed the checks (never closed again) and asks its
/// entry function. `expectedSha256`: hex or empty.
Result<const tz_plugin *> openLibrary(const std::string &path,
                                      const Manifest &manifest,
                                      const std::string &expectedSha256,
                                      const TrustRule &trust);

/// The same negotiation for an entry function given by pointer. `where` begins
/// the messages; `manifest` may be null.
Result<const tz_plugin *> negotiate(tz_plugin_query_fn query,
                                    const std::string &where,
                                    const Manifest *manifest);

/// The table with all required functions, or why not.
Result<const tz_compiler_api *> compilerTable(const tz_plugin &plugin,
                                              const std::string &where);
Result<const tz_device_api *> deviceTable(const tz_plugin &plugin,
                                          const std::string &where);

} // namespace tz::runtime

#endif
