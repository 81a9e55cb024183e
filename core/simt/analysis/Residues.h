//===- Residues.h - accesses to every second element and such ---*- C++ -*-===//
//
// What   Whether two accesses touch elements of different residues by a power
//        of two: one the even, the other the odd ones, say.
// Why    Pairs of numbers are stored by two stores: real and imaginary parts,
//        interleaved halves. No barrier need stand between them, though nothing
//        else is known of their places.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_RESIDUES_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_RESIDUES_H

#include "terrazzo/ir/Tile.h"

namespace tz::simt {

/// Of loads and stores, through views or pointers. `inSameIterations`: both are
/// in the same iterations of all loops around both; else in any.
bool haveOtherResidues(mlir::Operation *one, mlir::Operation *other,
                       bool inSameIterations);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_RESIDUES_H
