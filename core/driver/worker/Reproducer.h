//===- Reproducer.h - kernels that ended a compiler's process -------------===//
//
// What   Keeps the text of such a kernel, with the command that compiles it
//        again.
// Why    Who mends the compiler needs the input. A kernel is its author's, so
//        it is kept where nobody else can read it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_WORKER_REPRODUCER_H
#define TERRAZZO_CORE_DRIVER_WORKER_REPRODUCER_H

#include "runtime/session/CompilerService.h"

namespace tz::driver {

/// At most so many are kept; the oldest go.
inline constexpr size_t MaxReproducers = 100;

/// Writes the kernel below $XDG_STATE_HOME/terrazzo/reproducers (else
/// ~/.local/state/terrazzo/reproducers) and gives the file's path. The same
/// kernel has the same name. A failure is the reason why nothing was kept.
runtime::Result<std::string> keepKernel(const runtime::CompileJob &job,
                                        std::string_view ir);

} // namespace tz::driver

#endif
