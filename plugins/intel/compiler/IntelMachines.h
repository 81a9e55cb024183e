//===- IntelMachines.h - what the compiler knows of each machine ----------===//
//
// What   A table of machines as data: lanes of a sub-group, local memory,
//        registers, the matrix unit, 2-D blocks.
// Why    Generations differ in numbers; nothing else of the compiler names one.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_INTELMACHINES_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_INTELMACHINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string_view>

namespace tz::intel {

/// Of a work-group; the second one where each thread has the large register
/// file.
inline constexpr uint32_t MostThreads = 1024, MostRoomyThreads = 512;

struct Machine {
  llvm::StringRef target; ///< "intel:pvc"
  /// Its name for the driver's compiler; empty: code of it runs on many.
  llvm::StringRef device;
  unsigned lanes;       ///< of a sub-group: 8, 16 or 32
  unsigned sizes;       ///< that a kernel may ask for, added up
  uint64_t sharedBytes; ///< local memory of a work-group
  unsigned registers;   ///< of a lane, 32 bits wide; 0: not known
  /// Where the estimate of spirv/Pressure.cpp is above it, the driver's
  /// compiler spills from `registers`, and is asked for twice as many.
  unsigned roomyRegisters;
  bool hasDouble;
  unsigned matrixColumns; ///< of a matrix instruction (DPAS); 0: there is none
  bool hasTf32;           ///< does it take f32, rounded to tf32?
  bool hasBlocks;         ///< loads and stores of 2-D blocks
  /// Matrix instructions and blocks are functions of shuffles and loads: the
  /// same layouts on any OpenCL device.
  bool emulates;

  /// The sizes of a sub-group, the usual one first.
  llvm::SmallVector<unsigned> subgroupSizes() const;
  /// With sub-groups of another size: its matrix unit takes the usual one.
  Machine withLanes(unsigned size) const;

  /// May an OpenCL device for CPUs run what is compiled for it?
  bool mayBeCpu() const { return registers == 0 || emulates; }
};

/// The first one is the default.
llvm::ArrayRef<Machine> machines();
/// Null: there is none of that name. "intel" is the default.
const Machine *findMachine(std::string_view target);

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_INTELMACHINES_H
