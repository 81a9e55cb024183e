//===- DisjointAccesses.h - accesses that share no element ------*- C++ -*-===//
//
// What   Whether two accesses of views are known to touch different elements:
//        in one iteration of the loops around them, or in different ones. And
//        whether each element that both touch is touched by one thread alone.
// Why    A kernel that works in place loads and stores one array. Its halves
//        need no barrier between them, and loads may go ahead of such stores. A
//        thread that stores what it has loaded waits for no other thread.
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

/// Of two ops whose tiles have layouts: no thread touches an element that
/// another thread touches in the other op. `inSameIterations`: both ops are in
/// the same iterations of all loops around both; else in any.
bool areApartByThread(mlir::Operation *one, mlir::Operation *other,
                      bool inSameIterations);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_DISJOINTACCESSES_H
