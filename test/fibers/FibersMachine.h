//===- FibersMachine.h - the machines that fibers act as ---------------*- C++
//-*-===//
//
// What   A table of machines as data: lanes of a warp, shared memory, copies,
//        the shape of the matrix instruction.
// Why    The SIMT library must hold for machines that are unlike each other.
//        Each one here is shaped like some GPU, and none is one.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FIBERS_FIBERSMACHINE_H
#define TERRAZZO_TEST_FIBERS_FIBERSMACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tz::fibers {

/// Who works together at a matrix product, and what its accumulator is.
enum class MatrixUnit {
  warpGroup, ///< four warps of 32 lanes: 64 rows, 8 columns; runs behind them
  wave64,    ///< a warp of 64 lanes: 32 rows, 32 columns
  wave32,    ///< a warp of 32 lanes: 16 rows, 16 columns
  systolic   ///< a warp of L lanes: 8 rows, L columns
};

struct Machine {
  const char *target; ///< "fibers:wave64"
  unsigned lanes;     ///< of a warp: a power of two
  uint64_t sharedBytes;
  unsigned registers;      ///< of a thread, 32 bits wide
  unsigned asyncCopyBytes; ///< the narrowest copy of a thread; 0: none
  bool hasBulkCopies;      ///< a bulk copy unit, and clusters of two blocks
  MatrixUnit unit;
  /// Another size of warps that a launch may choose (warp_size); 0: none. Its
  /// matrix unit is as wide.
  unsigned otherLanes = 0;
  bool hasBlocks = false;  ///< loads of 2-D blocks, 64 bytes by 32 rows
  bool padsShared = false; ///< rows of shared memory are padded, not swizzled
  bool splitsBarriers = false; ///< threads arrive, and wait later
  bool startsInOrder = true;   ///< blocks, in the order of their programs
  int64_t bytesReadFirst = 0;  ///< of tiles in place, before they are written
  bool countsCopies = false;   ///< waits count copies, not groups of them
  bool takesPlaces = false; ///< accesses have a base, an offset and an extent
  bool countsLoads = false; ///< no branch around loads of later iterations
  int64_t nearBytes = 0;    ///< that offsets of 32 bits reach over
  /// Instructions that reduce integers and floats over any group of lanes.
  bool reducesLanes = false;
  bool takesUniform = false; ///< what all lanes hold is told, and checked
  bool wantsRegions = false; ///< schedulers are told of regions
  unsigned vectorBytes = 16; ///< the widest access
  unsigned barrierBytes = 8, descriptorBytes = 128;
  unsigned bulkAlignment = 16; ///< of boxes and blocks in their rows, in bytes
  unsigned mostOfBox = 1024;   ///< extent of a box of the bulk copy unit
  unsigned mostThreads = 1024; ///< of a block
  bool hasEvenCopies = true;   ///< of 8 bytes, beside those of 4 and 16
  /// Shared memory begins at a multiple of what the code asks for, and of no
  /// more.
  bool isSharedApart = false;
};

/// The machine with warps of so many lanes, which it lists.
Machine withLanes(const Machine &machine, unsigned lanes);

/// The first one is the default.
llvm::ArrayRef<Machine> machines();
/// Null: there is none of that name. "fibers" is the default.
const Machine *findMachine(llvm::StringRef target);

} // namespace tz::fibers

#endif // TERRAZZO_TEST_FIBERS_FIBERSMACHINE_H
