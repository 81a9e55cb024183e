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
    {"fibers:any", 32, 128 * 1024, 256, 4, true, MatrixUnit::warpGroup},
    // Warps of 64 lanes, shared memory filled by way of registers.
    {"fibers:wave64", 64, 64 * 1024, 512, 0, false, MatrixUnit::wave64, false,
     true, false, false, true},
    {"fibers:wave32", 32, 64 * 1024, 256, 0, false, MatrixUnit::wave32},
    // Copies that run beside the threads, which waits count one by one.
    {"fibers:direct64", 64, 160 * 1024, 512, 4, false, MatrixUnit::wave64,
     false, true, false, true, true},
    // Little of all: one slot a ring, loads one iteration ahead.
    {"fibers:tight", 32, 20 * 1024, 112, 0, false, MatrixUnit::wave32, false,
     true},
    // Narrow warps, whose matrix unit is as wide as they are.
    {"fibers:lanes16", 16, 128 * 1024, 256, 0, false, MatrixUnit::systolic,
     true, false, true, false, true},
    {"fibers:lanes8", 8, 64 * 1024, 128, 0, false, MatrixUnit::systolic},
};

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
