//===- IntelMachines.cpp - what the compiler knows of each machine --------===//
//
// What   See IntelMachines.h.
// Why    See IntelMachines.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/IntelMachines.h"

#include "llvm/ADT/STLExtras.h"

namespace tz::intel {

// 128 registers of a thread hold 64 bytes each on pvc, 32 on dg2; its lanes
// share them.
static constexpr unsigned Any = 8 + 16 + 32, Narrow = 8 + 16, Wide = 16 + 32;
static constexpr Machine Table[] = {
    {"intel:opencl", "", 16, Any, 64 * 1024, 0, 0, true, 0, false, false,
     false},
    {"intel:pvc", "pvc", 16, Wide, 128 * 1024, 128, 112, true, 16, true, true,
     false},
    {"intel:dg2", "dg2", 8, Narrow, 64 * 1024, 128, 112, false, 8, false, false,
     false},
    {"intel:pvc-emulated", "", 16, Wide, 128 * 1024, 128, 112, true, 16, true,
     true, true},
    {"intel:dg2-emulated", "", 8, Narrow, 64 * 1024, 128, 112, false, 8, false,
     false, true},
};

llvm::ArrayRef<Machine> machines() { return Table; }

const Machine *findMachine(std::string_view target) {
  if (target == "intel") {
    return Table;
  }
  const Machine *found = llvm::find_if(Table, [&](const Machine &one) {
    return one.target == llvm::StringRef(target.data(), target.size());
  });
  return found == std::end(Table) ? nullptr : found;
}

llvm::SmallVector<unsigned> Machine::subgroupSizes() const {
  llvm::SmallVector<unsigned> found = {lanes};
  for (unsigned size = 8; size <= 32; size *= 2) {
    if ((sizes & size) != 0 && size != lanes) {
      found.push_back(size);
    }
  }
  return found;
}

Machine Machine::withLanes(unsigned size) const {
  Machine made = *this;
  if (size != lanes) {
    made.lanes = size;
    // Of as many bytes there are more, or fewer, for each lane.
    made.registers = registers * lanes / size;
    made.roomyRegisters = roomyRegisters * lanes / size;
    made.matrixColumns = 0;
    made.hasTf32 = made.hasBlocks = false;
  }
  return made;
}

} // namespace tz::intel
