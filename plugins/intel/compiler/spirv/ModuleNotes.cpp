//===- ModuleNotes.cpp - a note in a finished module ----------------------===//
//
// What   See noteLargeFile() in Spirv.h.
// Why    LLVM's code generator writes no OpModuleProcessed.
//===----------------------------------------------------------------------===//
#include "plugins/intel/Notes.h"
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "llvm/Support/Endian.h"

namespace tz::intel {

// SPIR-V 3.37 and 2.4: the note stands behind names, before what decorates.
enum Opcode : uint32_t {
  OpName = 5,
  OpMemberName = 6,
  OpModuleProcessed = 330,
};
static constexpr size_t HeaderBytes = 20;
/// Opcodes of the sections up to the names.
static bool isBefore(uint32_t opcode) {
  constexpr uint32_t sections[] = {
      2,   3,      4,
      7,   OpName, OpMemberName, // sources, strings, names
      10,  11,     14,
      15,  16,     17, // extensions, the memory model, entries, modes
      331,             // OpExecutionModeId
  };
  return llvm::is_contained(sections, opcode);
}

std::string noteLargeFile(std::string binary) {
  using llvm::support::endian::read32le;
  size_t at = HeaderBytes;
  while (at + 4 <= binary.size()) {
    const uint32_t word = read32le(binary.data() + at);
    if (!isBefore(word & 0xffff) || word >> 16 == 0) {
      break;
    }
    at += size_t(4) * (word >> 16);
  }
  // A text ends with a zero, and fills whole words.
  std::string text(LargeFileNote);
  text.append(4 - text.size() % 4, '\0');
  char head[4];
  llvm::support::endian::write32le(head, uint32_t(1 + text.size() / 4) << 16 |
                                             OpModuleProcessed);
  binary.insert(std::min(at, binary.size()), std::string(head, 4) + text);
  return binary;
}

} // namespace tz::intel
