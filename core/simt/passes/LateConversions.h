//===- LateConversions.h - conversions behind loops -------------*- C++ -*-===//
//
// What   Moves conversions that give a thread more than it had behind the loops
//        with dots that stand between them and their uses.
// Why    Rows that say where results are stored are loaded first, and would
//        take registers while the loop has its sums there. Before the
//        conversion a thread has one of them, behind it each that it stores.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_PASSES_LATECONVERSIONS_H
#define TERRAZZO_CORE_SIMT_PASSES_LATECONVERSIONS_H

#include "terrazzo/ir/Tile.h"

namespace tz::simt {

/// How many conversions have moved. One whose uses are in both branches of an
/// scf.if is made in both.
unsigned delayConversions(tile::KernelOp kernel);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_PASSES_LATECONVERSIONS_H
