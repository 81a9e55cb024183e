//===- CaseWorker.h - the child process of tz conform ---------------------===//
//
// What   Runs the cases whose names come on standard input and writes their
//        outcomes to descriptor 3 (core/conformance/Batches.h).
// Why    R17: what a case does to its process stays in that process.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_RUN_CASEWORKER_H
#define TERRAZZO_CORE_CONFORMANCE_RUN_CASEWORKER_H

#include "core/conformance/Suite.h"

namespace tz::tool {

/// Exit status of the process. With `compilesOnly` no device is needed, and
/// nothing runs: a case passes if its code is made without a word of complaint.
/// `proofs`: a folder of what passed before (core/conformance/Proofs.h), which
/// is only read; empty: every case runs.
int runConformWorker(const conformance::Suite &suite, const std::string &target,
                     bool compilesOnly, const std::string &proofs);

} // namespace tz::tool

#endif
