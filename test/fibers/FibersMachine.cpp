//===- FibersMachine.cpp - the machines that fibers act as
//----------------------===//
//
// What   See FibersMachine.h.
// Why    See FibersMachine.h.
//===----------------------------------------------------------------------===//
#include "test/fibers/FibersMachine.h"

#include "llvm/ADT/STLExtras.h"

namespace tz::fibers {

static constexpr Machine Table[] = {
    // What the library was written for first: everything there is.
    {.target = "fibers:any",
     .lanes = 32,
     .sharedBytes = 128 * 1024,
     .registers = 256,
     .asyncCopyBytes = 4,
     .hasBulkCopies = true,
     .unit = MatrixUnit::warpGroup,
     .bytesReadFirst = 1024},
    // Warps of 64 lanes, shared memory filled by way of registers; registers
    // and reductions of a warp.
    {.target = "fibers:wave64",
     .lanes = 64,
     .sharedBytes = 64 * 1024,
     .registers = 512,
     .asyncCopyBytes = 0,
     .hasBulkCopies = false,
     .unit = MatrixUnit::wave64,
     .padsShared = true,
     .takesPlaces = true,
     .countsLoads = true,
     .nearBytes = 1 << 30,
     .reducesLanes = true,
     .takesUniform = true,
     .wantsRegions = true},
    // A kernel may choose warps of 32 or 64 lanes.
    {.target = "fibers:wave32",
     .lanes = 32,
     .sharedBytes = 64 * 1024,
     .registers = 256,
     .asyncCopyBytes = 0,
     .hasBulkCopies = false,
     .unit = MatrixUnit::wave32,
     .otherLanes = 64,
     .isSharedApart = true},
    // Copies that run beside the threads, which waits count one by one.
    {.target = "fibers:direct64",
     .lanes = 64,
     .sharedBytes = 160 * 1024,
     .registers = 512,
     .asyncCopyBytes = 4,
     .hasBulkCopies = false,
     .unit = MatrixUnit::wave64,
     .padsShared = true,
     .countsCopies = true,
     .takesPlaces = true,
     .hasEvenCopies = false},
    // Little of all: one slot a ring, loads one iteration ahead.
    {.target = "fibers:tight",
     .lanes = 32,
     .sharedBytes = 20 * 1024,
     .registers = 112,
     .asyncCopyBytes = 0,
     .hasBulkCopies = false,
     .unit = MatrixUnit::wave32,
     .padsShared = true},
    // Narrow warps, whose matrix unit is as wide as they are.
    {.target = "fibers:lanes16",
     .lanes = 16,
     .sharedBytes = 128 * 1024,
     .registers = 256,
     .asyncCopyBytes = 0,
     .hasBulkCopies = false,
     .unit = MatrixUnit::systolic,
     .hasBlocks = true,
     .splitsBarriers = true,
     .takesPlaces = true,
     .bulkAlignment = 4},
    {.target = "fibers:lanes8",
     .lanes = 8,
     .sharedBytes = 64 * 1024,
     .registers = 128,
     .asyncCopyBytes = 0,
     .hasBulkCopies = false,
     .unit = MatrixUnit::systolic,
     .vectorBytes = 8,
     .mostThreads = 512},
    // Blocks start in any order; threads arrive at barriers, and wait later.
    {.target = "fibers:unordered",
     .lanes = 32,
     .sharedBytes = 64 * 1024,
     .registers = 256,
     .asyncCopyBytes = 0,
     .hasBulkCopies = false,
     .unit = MatrixUnit::wave32,
     .splitsBarriers = true,
     .startsInOrder = false},
    // A bulk copy unit whose every number is another one: warps, vectors,
    // barriers, descriptors, boxes.
    {.target = "fibers:bulk64",
     .lanes = 64,
     .sharedBytes = 160 * 1024,
     .registers = 256,
     .asyncCopyBytes = 4,
     .hasBulkCopies = true,
     .unit = MatrixUnit::wave64,
     .reducesLanes = true,
     .vectorBytes = 32,
     .barrierBytes = 16,
     .descriptorBytes = 256,
     .bulkAlignment = 32,
     .mostOfBox = 64,
     .isSharedApart = true},
};

Machine withLanes(const Machine &machine, unsigned lanes) {
  Machine chosen = machine;
  chosen.lanes = lanes;
  if (lanes != machine.lanes) {
    chosen.unit = lanes == 64 ? MatrixUnit::wave64 : MatrixUnit::wave32;
  }
  return chosen;
}

llvm::ArrayRef<Machine> machines() { return Table; }

const Machine *findMachine(llvm::StringRef target) {
  if (target == "fibers") {
    return Table;
  }
  const Machine *found = llvm::find_if(
      Table, [&](const Machine &one) { return target == one.target; });
  return found == std::end(Table) ? nullptr : found;
}

} // namespace tz::fibers
