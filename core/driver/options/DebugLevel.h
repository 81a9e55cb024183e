//===- DebugLevel.h - how much debug information a job asks for -----------===//
//
// What   The option debug_level of a job: from the job, else from
//        TERRAZZO_DEBUG_LEVEL, else 0. Whether its value is allowed is checked
//        with the other options (Options.h).
// Why    A level is part of what is compiled, so it is settled before the cache
//        is asked, for all callers alike.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_OPTIONS_DEBUGLEVEL_H
#define TERRAZZO_CORE_DRIVER_OPTIONS_DEBUGLEVEL_H

#include "runtime/loader/Status.h"
#include "runtime/session/CompilerService.h"

namespace tz::driver {

/// Puts the level into the job's options, unless it is 0. With line tables the
/// source's path becomes absolute: a debugger runs in another folder.
runtime::Status settleDebugLevel(runtime::CompileJob &job);

/// The level in the job's options; 0 if they do not say one.
int64_t debugLevel(const runtime::CompileJob &job);

} // namespace tz::driver

#endif
