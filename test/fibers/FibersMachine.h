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
  bool hasBlocks = false;  ///< loads of 2-D blocks, 64 bytes by 32 rows
  bool padsShared = false; ///< rows of shared memory are padded, not swizzled
  bool splitsBarriers = false; ///< threads arrive, and wait later
  bool countsCopies = false;   ///< waits count copies, not groups of them
  bool takesPlaces = false; ///< accesses have a base, an offset and an extent
};

/// The first one is the default.
llvm::ArrayRef<Machine> machines();
/// Null: there is none of that name. "fibers" is the default.
const Machine *findMachine(llvm::StringRef target);

} // namespace tz::fibers

#endif // TERRAZZO_TEST_FIBERS_FIBERSMACHINE_H
