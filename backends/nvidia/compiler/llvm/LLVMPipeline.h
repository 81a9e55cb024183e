//===- LLVMPipeline.h - from LLVM IR to PTX -------------------------------===//
//
// What   The machine of an architecture, LLVM's passes over a kernel's module,
//        and its text.
// Why    The lowering chose vectors and unrolling: LLVM cleans up. Its own
//        pipelines would vectorise and unroll again.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_LLVMPIPELINE_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_LLVMPIPELINE_H

#include "backends/nvidia/compiler/Architectures.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace tz::nvidia {

/// `ptxFeature` is the version of PTX that is written: "+ptx80". Throws
/// std::runtime_error where this LLVM has no such target, or not the options
/// that the code generator is run with.
std::unique_ptr<llvm::TargetMachine>
makeMachine(const ArchitectureFacts &architecture, llvm::StringRef ptxFeature);

/// Cleans up, then rewrites what ptxas would make worse (LateRewrites.h).
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// The module as PTX. Code generation changes the module.
std::string emitPtx(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_LLVMPIPELINE_H
