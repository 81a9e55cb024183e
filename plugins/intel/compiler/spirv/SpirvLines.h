//===- SpirvLines.h - which lines the instructions of a module are of -----===//
//
// What   Marks in LLVM IR where the line of the source changes, and OpLine in
//        their places in the SPIR-V that is made of it.
// Why    See SpirvLines.cpp.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_SPIRV_SPIRVLINES_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_SPIRV_SPIRVLINES_H

#include "llvm/IR/Module.h"

#include <map>
#include <string>
#include <vector>

namespace tz::intel {

struct SourceLine {
  std::string file;
  unsigned line = 0, column = 0;
  auto operator<=>(const SourceLine &) const = default;
};

/// Of one module. Without debug locations nothing changes.
class SpirvLines {
public:
  /// Adds the marks; behind it no pass may look at the IR.
  void mark(llvm::Module &module);
  /// The SPIR-V of the marked module with lines for the marks.
  std::string write(const std::string &binary) const;

private:
  std::vector<SourceLine> places;              ///< by the number of their mark
  std::map<std::string, SourceLine> functions; ///< by name: where it begins
};

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_SPIRV_SPIRVLINES_H
