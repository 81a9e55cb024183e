//===- AmdMachines.cpp - what the compiler knows of each machine ----------===//
//
// What   See AmdMachines.h. Figures: LLVM's "User Guide for AMDGPU Backend" and
//        AMD's instruction set manuals of CDNA2 to CDNA4, RDNA3 and RDNA4.
// Why    See AmdMachines.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/AmdMachines.h"

#include "llvm/ADT/STLExtras.h"

namespace tz::amd {

/// Elements of a float of 32 bits; from gfx10 on the end is asked for as well
/// (OOB_SELECT 3). Of the fields that only formatted accesses read none is 0,
/// which would be no buffer at all.
static constexpr uint32_t Gfx9Buffer = 7u << 12 | 4u << 15,
                          Gfx11Buffer = 22u << 12 | 3u << 28;

static constexpr Machine Table[] = {
    {.target = "amd:gfx942",
     .cpu = "gfx942",
     .lanes = 64,
     .sharedBytes = 64 * 1024,
     .registers = 512,
     .allRegisters = 512,
     .simds = 4,
     .mostWaves = 8,
     .unit = MatrixUnit::mfma942,
     .roundsToBf16 = false,
     .isGfx9 = true,
     .bufferWord = Gfx9Buffer},
    {.target = "amd:gfx90a",
     .cpu = "gfx90a",
     .lanes = 64,
     .sharedBytes = 64 * 1024,
     .registers = 512,
     .allRegisters = 512,
     .simds = 4,
     .mostWaves = 8,
     .unit = MatrixUnit::mfma90a,
     .roundsToBf16 = false,
     .isGfx9 = true,
     .bufferWord = Gfx9Buffer},
    {.target = "amd:gfx950",
     .cpu = "gfx950",
     .lanes = 64,
     .sharedBytes = 160 * 1024,
     .registers = 512,
     .allRegisters = 512,
     .simds = 4,
     .mostWaves = 8,
     .unit = MatrixUnit::mfma950,
     .roundsToBf16 = true,
     .isGfx9 = true,
     .bufferWord = Gfx9Buffer,
     .directBytes = 16,
     .readsTransposed = true},
    {.target = "amd:gfx1100",
     .cpu = "gfx1100",
     .lanes = 32,
     .sharedBytes = 64 * 1024,
     .registers = 256,
     .allRegisters = 1536,
     .simds = 4,
     .mostWaves = 16,
     .unit = MatrixUnit::wmma11,
     .roundsToBf16 = false,
     .isGfx9 = false,
     .bufferWord = Gfx11Buffer},
    {.target = "amd:gfx1201",
     .cpu = "gfx1201",
     .lanes = 32,
     .sharedBytes = 64 * 1024,
     .registers = 256,
     .allRegisters = 1536,
     .simds = 4,
     .mostWaves = 16,
     .unit = MatrixUnit::wmma12,
     .roundsToBf16 = false,
     .isGfx9 = false,
     .bufferWord = Gfx11Buffer},
};

llvm::ArrayRef<Machine> machines() { return Table; }

const Machine *findMachine(std::string_view target) {
  if (target == "amd") {
    return Table;
  }
  const Machine *found = llvm::find_if(Table, [&](const Machine &one) {
    return one.target == llvm::StringRef(target.data(), target.size());
  });
  return found == std::end(Table) ? nullptr : found;
}

} // namespace tz::amd
