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

bool ArgumentSpec::operator==(const ArgumentSpec &o) const {
  return kind == o.kind && type == o.type && element == o.element &&
         isConstPointer == o.isConstPointer && equalsOne == o.equalsOne &&
         divisible == o.divisible && constant.kind == o.constant.kind &&
         constant.i64 == o.constant.i64 && constant.f64 == o.constant.f64 &&
         constant.str == o.constant.str;
}

} // namespace tz::runtime
