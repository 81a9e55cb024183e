//===- Passes.h - constructors and options of the passes --------*- C++ -*-===//
//
// What   What tablegen makes of Passes.td, private to the library.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_PASSES_H
#define TERRAZZO_OPTIMIZER_PASSES_H

#include "core/optimizer/Statistic.h"

#include "terrazzo/ir/Tile.h"

#include "mlir/Pass/Pass.h"

namespace tz::optimizer {

#define GEN_PASS_DECL
#include "core/optimizer/Passes.h.inc"

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_PASSES_H
