//===- CacheKey.h - when two compilations are the same --------------------===//
//
// What   The keys of the two levels of the compile cache (CacheEntry.h): of a
//        job, before the source is elaborated; of code, after the shared passes.
// Why    A key that misses something runs old code. Places are in the first
//        one, because they are printed, and in the second only where line tables
//        are asked for: other lines of the same code are no reason to make it
//        again (R10).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_CACHE_CACHEKEY_H
#define TERRAZZO_CORE_DRIVER_CACHE_CACHEKEY_H

#include "runtime/session/CompilerService.h"

#include "terrazzo/optimizer/TilePipeline.h"

namespace tz::driver {

/// Files that the source imports are not in it: they are known only after.
/// fingerprint: of the vendor's compiler; build: of this one.
std::string jobKey(const runtime::CompileJob &job, std::string_view fingerprint,
                   std::string_view build);

/// All that the vendor's compiler is given and may look at. codeHash: of the
/// portable bytes, without locations but for wantsLines().
std::string codeKey(const runtime::CompileJob &job, std::string_view codeHash,
                    std::string_view fingerprint,
                    const optimizer::TargetFacts &facts);

/// Debug level 1 and above: lines of the source are in the machine code.
bool wantsLines(const runtime::CompileJob &job);

} // namespace tz::driver

#endif
