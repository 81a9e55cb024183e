//===- CodeGen.h - from a kernel to PTX and machine code ------------------===//
//
// What   Layouts, one thread's code, LLVM's optimizer, PTX; then ptxas, if
// there
//        is one.
// Why    One function for the plugin and for the tests.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_CODEGEN_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_CODEGEN_H

#include "backends/nvidia/compiler/Architectures.h"

#include "terrazzo/simt/Variants.h"

#include <functional>

namespace tz::nvidia {

struct CompiledKernel {
  std::string ptx, llvm, layouts;
  /// Their functions are gone.
  std::vector<simt::Variant> variants;
  /// How many blocks should fit into a multiprocessor; what needs no spills is
  /// taken, the last one anyway. The text says 1.
  llvm::SmallVector<unsigned, 4> blocksWanted;
};

/// The text of a kernel of which so many blocks shall fit.
std::string withBlocks(llvm::StringRef ptx, unsigned blocks);

struct Cancelled {};

/// Throws simt::Unsupported, Cancelled, std::runtime_error.
CompiledKernel compileToPtx(tile::KernelOp kernel,
                            const ArchitectureFacts &architecture,
                            const std::function<bool()> &isCancelled);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_CODEGEN_H
