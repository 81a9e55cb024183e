//===- AmdMachines.h - what the compiler knows of each machine ------------===//
//
// What   A table of machines as data: lanes of a wave, LDS, registers, the
//        matrix instructions.
// Why    Generations differ in numbers; nothing else of the compiler names one.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_AMDMACHINES_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_AMDMACHINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string_view>

namespace tz::amd {

/// Bytes that offsets of buffer instructions reach over. Twice as many is an
/// offset of no access.
inline constexpr int64_t NearBytes = int64_t{1} << 30;

/// Which matrix instructions there are (hooks/MatrixForms.cpp).
enum class MatrixUnit {
  mfma90a, ///< gfx90a: MFMA
  mfma942, ///< gfx942: more of 8 bits, fp8 in AMD's own encoding (FNUZ)
  mfma950, ///< gfx950: twice the depth of 16 bits, fp8 of OCP
  wmma11,  ///< gfx11: both halves of a wave hold the operands
  wmma12   ///< gfx12: each half holds its own part
};

struct Machine {
  llvm::StringRef target; ///< "amd:gfx942"
  llvm::StringRef cpu;    ///< LLVM's name, "gfx942"
  unsigned lanes;         ///< of a wave: 64 or 32
  uint64_t sharedBytes;   ///< LDS that one workgroup may have
  unsigned registers;     ///< VGPRs of a lane, accumulators among them
  unsigned allRegisters;  ///< VGPRs of a SIMD, for each lane of a wave
  unsigned simds;         ///< of the unit that runs a workgroup
  unsigned mostWaves;     ///< of a SIMD
  MatrixUnit unit;
  bool roundsToBf16; ///< an instruction converts f32 to bf16
  bool isGfx9;       ///< its DPP has rows that are mirrored, not xor-ed
  /// Word 3 of a descriptor of raw memory: what ends by bytes.
  uint32_t bufferWord;
  /// A lane's copy from memory straight to LDS, the one that is used; 0: loads
  /// go by way of registers.
  unsigned directBytes = 0;
  /// Elements of 16 bits are read from LDS across rows: four rows of 16 columns
  /// by 16 lanes, a column to each.
  bool readsTransposed = false;
  /// Rows and columns of the matrix instructions that a launch asked for, 16 or
  /// 32; 0: none.
  unsigned matrixSide = 0;
  bool usesMatrix = true; ///< products may be done by the matrix unit
};

/// The first one is the default.
llvm::ArrayRef<Machine> machines();
/// Null: there is none of that name. "amd" is the default.
const Machine *findMachine(std::string_view target);

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_AMDMACHINES_H
