//===- CompilerService.cpp - how the runtime asks for a compilation -------===//
//
// What   The one pointer that a library with a compiler sets.
// Why    libterrazzo_runtime must not name anything of core/.
//===----------------------------------------------------------------------===//
#include "runtime/session/CompilerService.h"

#include <atomic>

namespace tz::runtime {

static std::atomic<CompilerFactory> factoryPointer{nullptr};

void setCompilerFactory(CompilerFactory factory) { factoryPointer = factory; }
CompilerFactory compilerFactory() { return factoryPointer; }

} // namespace tz::runtime
