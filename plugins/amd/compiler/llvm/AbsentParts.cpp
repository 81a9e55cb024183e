//===- AbsentParts.cpp - what the linker asks for, and never uses ---------===//
//
// What   Stand-ins for what LLD needs of LLVM for link-time optimization: its
//        other targets, the parser of assembly, and the optimizing itself.
// Why    Objects are linked here, never bitcode. Without these functions the
//        library would carry all passes and all targets of LLVM.
//===----------------------------------------------------------------------===//
#include "llvm/LTO/LTOBackend.h"

// The target that is there keeps its functions: an unused name stands for it.
#define AMDGPU PresentTarget
#define TZ_ABSENT(name)                                                        \
  extern "C" {                                                                 \
  void LLVMInitialize##name##TargetInfo();                                     \
  void LLVMInitialize##name##Target();                                         \
  void LLVMInitialize##name##TargetMC();                                       \
  void LLVMInitialize##name##AsmPrinter();                                     \
  void LLVMInitialize##name##AsmParser();                                      \
  void LLVMInitialize##name##TargetInfo() {}                                   \
  void LLVMInitialize##name##Target() {}                                       \
  void LLVMInitialize##name##TargetMC() {}                                     \
  void LLVMInitialize##name##AsmPrinter() {}                                   \
  void LLVMInitialize##name##AsmParser() {}                                    \
  }
#define LLVM_TARGET(name) TZ_ABSENT(name)
#include "llvm/Config/Targets.def"
#undef AMDGPU

extern "C" void LLVMInitializeAMDGPUAsmParser();
extern "C" void LLVMInitializeAMDGPUAsmParser() {}

namespace llvm::lto {

static Error refuse() {
  return createStringError("this linker has no link-time optimization");
}

Error backend(const Config &, AddStreamFn, unsigned, Module &,
              ModuleSummaryIndex &) {
  return refuse();
}

Error thinBackend(const Config &, unsigned, AddStreamFn, Module &,
                  const ModuleSummaryIndex &,
                  const FunctionImporter::ImportMapTy &, const GVSummaryMapTy &,
                  MapVector<StringRef, BitcodeModule> *, bool, AddStreamFn,
                  const std::vector<uint8_t> &) {
  return refuse();
}

Error finalizeOptimizationRemarks(LLVMRemarkFileHandle) { return refuse(); }

Error Config::addSaveTemps(std::string, bool, const DenseSet<StringRef> &) {
  return refuse();
}

} // namespace llvm::lto
