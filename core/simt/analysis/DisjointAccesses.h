//===- DisjointAccesses.h - accesses that share no element ------*- C++ -*-===//
//
// What   Whether two accesses of views are known to touch different elements:
//        in one iteration of the loops around them, or in different ones.
// Why    A kernel that works in place loads and stores one array. Its halves
//        need no barrier between them, and loads may go ahead of such stores.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_DISJOINTACCESSES_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_DISJOINTACCESSES_H

#include "terrazzo/ir/Tile.h"

namespace tz::simt {

/// Of two ops, both done in the same iterations of all loops around both. Ops
/// other than loads and stores of views are never known to be disjoint.
bool areDisjoint(mlir::Operation *one, mlir::Operation *other);

/// Of two ops right in the body of the same `scf.for`, in any two different
/// iterations of it.
bool areDisjointInIterations(mlir::Operation *one, mlir::Operation *other);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_DISJOINTACCESSES_H
