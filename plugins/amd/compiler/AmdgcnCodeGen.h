//===- AmdgcnCodeGen.h - from a kernel to a code object -------------------===//
//
// What   compileKernel(): layouts, LLVM IR, one code object of all variants.
// Why    The plugin's entry knows the boundary, this knows the steps.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_AMDGCNCODEGEN_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_AMDGCNCODEGEN_H

#include "plugins/amd/compiler/AmdMachines.h"
#include "plugins/amd/compiler/CodeObject.h"
#include "plugins/amd/compiler/HotLoop.h"

#include "terrazzo/simt/Variants.h"

namespace tz::amd {

struct CodeGenOptions {
  unsigned codeObjectVersion = 5; ///< 5 or 6
  unsigned wavesPerSimd = 0;      ///< that shall fit; 0: LLVM's choice
  unsigned debugLevel = 0;        ///< above 0: line tables
  bool keepsText = false;         ///< the assembly is wanted
};

struct Compiled {
  std::string codeObject, llvm, layouts, text;
  /// Their functions are gone; LDS is part of the code object.
  std::vector<simt::Variant> variants;
  std::map<std::string, KernelFigures> figures; ///< by the variants' names
  std::map<std::string, LoopFigures> loops;     ///< the same
  /// Of the first variant: accesses under masks that are branches, and the
  /// place of the first of them.
  unsigned branches = 0;
  mlir::LocationAttr firstBranch;
};

/// Throws simt::Unsupported, simt::TooLarge and plugin::Failure.
Compiled compileKernel(tile::KernelOp kernel, const Machine &machine,
                       const CodeGenOptions &options);

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_AMDGCNCODEGEN_H
