//===- Amdgcn.h - from LLVM IR to a code object ---------------------------===//
//
// What   The steps behind the lowering: entry points, LDS, LLVM's passes, the
//        code generator, the linker, and what must hold between them.
// Why    CodeGen knows the order of the steps, each file here one of them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_COMPILER_LLVM_AMDGCN_H
#define TERRAZZO_PLUGINS_AMD_COMPILER_LLVM_AMDGCN_H

#include "plugins/amd/compiler/AmdMachines.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace tz::amd {

std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const Machine &machine);

struct EntryFacts {
  unsigned threads;      ///< of a workgroup
  unsigned wavesPerSimd; ///< that shall fit; 0: LLVM's choice
};
/// Makes a kernel of the lowering's function.
void makeEntry(llvm::Function &function, const EntryFacts &facts);

/// Gives the variable of a kernel's LDS its size; of no bytes it goes away.
void giveSharedMemory(llvm::GlobalVariable *shared, uint64_t bytes,
                      uint64_t alignment);

void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// What the code generator cannot do of the module, or nothing: "the intrinsic
/// llvm.sin.f32".
std::string problemOf(const llvm::Module &module);

/// Consumes the module. Throws plugin::Failure with the code generator's words.
std::string emit(llvm::Module &module, llvm::TargetMachine &machine,
                 llvm::CodeGenFileType type);

/// From a relocatable object to a code object that a driver loads. LLD keeps
/// its state in global variables: one link at a time.
std::string linkCodeObject(const std::string &object);

} // namespace tz::amd

#endif // TERRAZZO_PLUGINS_AMD_COMPILER_LLVM_AMDGCN_H
