//===- MachineCode.h - what a kernel's instructions are -------------------===//
//
// What   Counts of a kernel's machine code, read from the text that Intel's
//        disassembler writes.
// Why    That a kernel compiles proves nothing: the driver's compiler may leave
//        out what it does not know, or spill.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_OFFLINE_MACHINECODE_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_OFFLINE_MACHINECODE_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tz::intel {

/// Of one kernel: instructions, each line of the text one.
struct MachineCode {
  unsigned instructions = 0, calls = 0, prefetches = 0;
  /// "dpas.8x8 of 16 lanes, hf": how many. The type is that of the operands.
  std::map<std::string, unsigned> matrix;
  /// Loads of 2-D blocks: "d16v", as the message names elements and form.
  std::map<std::string, unsigned> blockLoads;
  /// Of the innermost loop where matrix instructions are most of all, or of the
  /// longest one where there are none; 0: there is no loop.
  unsigned loopInstructions = 0, loopMatrix = 0;
};

MachineCode readMachineCode(llvm::StringRef text);

/// Facts for people: what, and how much of it.
std::vector<std::pair<std::string, std::string>>
factsOf(const MachineCode &code);

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_OFFLINE_MACHINECODE_H
