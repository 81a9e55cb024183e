//===- Passes.h - what tablegen makes of Passes.td ------------------------===//
//
// What   Declarations of the passes, private to the library.
// Why    Vendors see terrazzo/simt/Passes.h.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_PASSES_PASSES_H
#define TERRAZZO_CORE_SIMT_PASSES_PASSES_H

#include "core/optimizer/Statistic.h"

#include "terrazzo/simt/Passes.h"

namespace tz::simt {

#define GEN_PASS_DECL
#include "core/simt/passes/Passes.h.inc"

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_PASSES_PASSES_H
