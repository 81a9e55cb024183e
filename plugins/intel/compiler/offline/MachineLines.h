//===- MachineLines.h - lines of the source in machine code ---------------===//
//
// What   The line table that Intel's compiler has written for a kernel, and a
//        kernel's text with its lines.
// Why    What the driver's compiler made of a line is what one wants to see of
//        it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_OFFLINE_MACHINELINES_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_OFFLINE_MACHINELINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tz::intel {

/// From this byte of the code on.
struct MachineLine {
  uint64_t offset = 0;
  std::string file;
  unsigned line = 0, column = 0;
};

/// Of an ELF file with the code of one kernel, by offset; empty: it has no
/// table.
std::vector<MachineLine> readMachineLines(llvm::StringRef elf);

/// A disassembled kernel with .file and .loc for its lines. Labels are named by
/// their offset: where one disagrees with the instructions before it, the text
/// stays as it is.
std::string withLines(llvm::StringRef text, llvm::ArrayRef<MachineLine> lines);

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_OFFLINE_MACHINELINES_H
