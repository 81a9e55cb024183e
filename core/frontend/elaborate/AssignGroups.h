//===- AssignGroups.h - which pointer argument an access goes through -----===//
//
// What   assignGroups sets `group` on every memory op of a kernel (decision
//        R6): the group of the one pointer argument that its address comes
//        from, 0 if there is none or more than one. It also marks kernels that
//        wait (`tile.waits`).
// Why    Afterwards no pass has to trace addresses to order memory.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_ELABORATE_ASSIGNGROUPS_H
#define TERRAZZO_CORE_FRONTEND_ELABORATE_ASSIGNGROUPS_H

#include "terrazzo/ir/Tile.h"

namespace tz::frontend {

void assignGroups(tile::KernelOp kernel);

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_ELABORATE_ASSIGNGROUPS_H
