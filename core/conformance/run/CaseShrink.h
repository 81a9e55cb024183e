//===- CaseShrink.h - a failing random kernel made small --------*- C++ -*-===//
//
// What   Cuts a failing random kernel while the target goes on failing in the
//        same way; the result as a file whose first line is the tz run command.
// Why    A random kernel has fifty operations, of which two matter.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_RUN_CASESHRINK_H
#define TERRAZZO_CORE_CONFORMANCE_RUN_CASESHRINK_H

#include "core/conformance/Batches.h"
#include "core/conformance/Suite.h"
#include "core/driver/Driver.h"

namespace tz::tool {

struct Shrunk {
  std::string name; ///< random/SEED/EDITS
  conformance::Case kernel;
  conformance::Outcome outcome;
  size_t tried = 0; ///< kernels that were run on the way
};

/// Runs candidates as `options` says, for at most so many seconds.
Shrunk shrink(const conformance::Outcome &failure,
              conformance::BatchOptions options, double seconds);

/// Writes FOLDER/random-SEED.py; gives its path.
runtime::Result<std::string> writeShrunk(const Shrunk &shrunk,
                                         const std::string &target,
                                         const std::string &folder);

} // namespace tz::tool

#endif
