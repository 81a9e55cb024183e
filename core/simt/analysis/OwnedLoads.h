//===- OwnedLoads.h - loads that owners do alone ----------------*- C++ -*-===//
//
// What   Whether a load needs to be done by the owners of its elements only:
//        copies that other threads would hold reach nothing but stores, which
//        owners do.
// Why    A kernel that works in place has small tiles of which two threads hold
//        each element. If one of them stores what both have loaded, a barrier
//        must stand between; if one alone loads, none.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_OWNEDLOADS_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_OWNEDLOADS_H

#include "terrazzo/ir/Tile.h"
#include "terrazzo/simt/Layout.h"

namespace tz::simt {

/// Do several threads hold one element?
bool hasCopies(const Layout &layout);

/// Of a load whose tile has a layout with copies, and whose array the kernel
/// also stores to.
bool isLoadedByOwners(tile::LoadViewOp load);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_OWNEDLOADS_H
