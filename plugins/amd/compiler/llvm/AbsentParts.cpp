//===- AbsentParts.cpp - what the linker asks for, and never uses ---------===//
//
// What   Empty functions in place of those that register LLVM's other targets,
//        and a loop optimizer that Debian's LLVM is built with.
// Why    LLD registers all of them for link-time optimization, which is not
//        used here. This library carries one target.
//===----------------------------------------------------------------------===//
#include "llvm/Plugins/PassPlugin.h"

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

llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "absent", "",
          [](llvm::PassBuilder &) {}};
}
