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
static constexpr Machine Table[] = {
    {"intel:opencl", "", 16, 64 * 1024, 0, 0, true, 0, false, false, false},
    {"intel:pvc", "pvc", 16, 128 * 1024, 128, 112, true, 16, true, true, false},
    {"intel:dg2", "dg2", 8, 64 * 1024, 128, 112, false, 8, false, false, false},
    {"intel:pvc-emulated", "", 16, 128 * 1024, 128, 112, true, 16, true, true,
     true},
    {"intel:dg2-emulated", "", 8, 64 * 1024, 128, 112, false, 8, false, false,
     true},
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

} // namespace tz::intel
