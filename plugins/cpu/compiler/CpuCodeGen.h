//===- CpuCodeGen.h - From a tile kernel to an object ---------------------===//
//
// What   Lowering, LLVM's passes and machine code for one kernel.
// Why    The plugin's entry and the tests compile in the same way.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_CPUCODEGEN_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_CPUCODEGEN_H

#include "plugins/cpu/compiler/CpuTarget.h"

#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>
#include <vector>

namespace tz::cpu {

/// Thrown when CompileOptions::cancelled said so.
struct Cancelled {};

struct CompileOptions {
  bool wantLLVM = false, wantAsm = false;
  /// Widest vectors to use; 0: the target's.
  unsigned vectorBits = 0;
  /// Outputs of so many bytes are stored past the caches; none: no outputs.
  std::optional<uint64_t> largeOutput = uint64_t{32} << 20;
  unsigned debugLevel = 0; ///< see terrazzo/lowering/DebugInfo.h
  /// Each access is tested against the arrays of the launch.
  bool checked = false;
  /// Asked between phases; true gives up.
  llvm::function_ref<bool()> cancelled;
};

struct CompiledKernel {
  std::string object, llvm, assembly;
  std::vector<uint32_t> argumentOffsets;
  uint32_t argumentBytes = 0;
  bool usesLog = false;
  uint32_t logOffset = 0;
  std::vector<mlir::Operation *> logPoints; ///< prints and asserts by site
  uint64_t arenaBytes = 0;
  bool waits = false;
};

/// Throws Unsupported for what the user asked and this
/// target has not, std::runtime_error for what should not happen.
CompiledKernel compileKernel(tile::KernelOp kernel, const CpuTarget &target,
                             const CompileOptions &options);

} // namespace tz::cpu

#endif
