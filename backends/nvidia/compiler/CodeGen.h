//===- CodeGen.h - from a kernel to PTX and machine code ------------------===//
//
// What   Layouts, one thread's code, LLVM's optimizer, PTX; then ptxas, if
//        there is one. Each variant of a kernel is a module of its own, and
//        after its lowering a thread of its own.
// Why    One function for the plugin and for the tests.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_CODEGEN_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_CODEGEN_H

#include "backends/nvidia/compiler/Architectures.h"
#include "backends/nvidia/compiler/assemble/Assembler.h"

#include "terrazzo/simt/Variants.h"

#include <functional>

namespace tz::nvidia {

struct CompiledVariant {
  simt::Variant variant; // its function is gone
  std::string ptx;
  std::string llvm;                   // if it was wanted
  std::optional<Assembled> assembled; // not: no assembler, or it is rare
};

struct CodeGenOptions {
  bool keepsLLVM = false;
  /// Above 0 PTX names the lines of the source, and machine code has tables of
  /// them.
  unsigned debugLevel = 0;
  /// Registers that a thread may have; 0: as many as serve.
  unsigned mostRegisters = 0;
  /// May a block run several programs?
  bool persists = true;
  /// Blocks that may share a program, where the machine has clusters of blocks:
  /// a power of two.
  unsigned splitBlocks = 1;
  /// Variants that hardly any launch runs stay PTX, which the driver compiles
  /// when one does: ptxas is most of the time and all cores of a compilation.
  bool leavesRare = false;
  /// Asked between stages; may be empty.
  std::function<bool()> isCancelled;
  /// What was assembled is kept there, and how long stages took is told; null:
  /// neither.
  const tz_host *host = nullptr;
  uint64_t request = 0;
};

struct Cancelled {};

/// In the order of the launch plan. Throws simt::Unsupported, AssemblerError,
/// Cancelled, std::runtime_error.
std::vector<CompiledVariant>
compileKernel(tile::KernelOp kernel, const ArchitectureFacts &architecture,
              const CodeGenOptions &options);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_CODEGEN_H
