//===- CacheKey.h - when two compilations are the same --------------------===//
//
// What   The key of a job: everything that the artifact depends on and that is
//        known before the source is elaborated. The files that it imports are
//        known only after; their hashes are kept in the artifact and checked
//        when it is found.
// Why    Content only: no path, time or order of arguments, so that a copy of a
//        project or another machine with the same compiler finds the entry.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_CACHEKEY_H
#define TERRAZZO_CORE_DRIVER_CACHEKEY_H

#include "runtime/session/CompilerService.h"

namespace tz::driver {

/// fingerprint: of the vendor's compiler; build: of this one.
std::string jobKey(const runtime::CompileJob &job, std::string_view fingerprint,
                   std::string_view build);

/// One imported file: its path from the folder of the kernel file, its hash.
struct Dependency {
  std::string relativePath, hash;
};

/// Kept in the artifact's metadata.
void addDependency(runtime::Artifact &artifact, const Dependency &dependency);
/// True if every import still has the content that the artifact was made of,
/// seen from a kernel file at `path`.
bool dependenciesHold(const runtime::Artifact &artifact,
                      const std::string &path);

/// The places of prints and asserts name the file that was compiled; `path` is
/// where the same content is now.
void setSourcePath(runtime::Artifact &artifact, const std::string &path);

} // namespace tz::driver

#endif
