//===- EmitSpirv.cpp - from LLVM IR to SPIR-V -----------------------------===//
//
// What   See Spirv.h.
// Why    LLVM's default pipeline vectorizes and unrolls what layouts have
//        decided, and makes numbers of widths that SPIR-V lacks.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "terrazzo/plugin/Error.h"
#include "terrazzo/plugin/LLVMOption.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

#include <mutex>

extern "C" void LLVMInitializeSPIRVTargetInfo();
extern "C" void LLVMInitializeSPIRVTarget();
extern "C" void LLVMInitializeSPIRVTargetMC();
extern "C" void LLVMInitializeSPIRVAsmPrinter();

using namespace llvm;

namespace tz::intel {

/// What modules may use, one by one: with "all" the code generator writes
/// execution modes that neither validators nor drivers know.
static constexpr StringRef Extensions = "+SPV_KHR_no_integer_wrap_decoration";

std::unique_ptr<TargetMachine> makeTargetMachine() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeSPIRVTargetInfo();
    LLVMInitializeSPIRVTarget();
    LLVMInitializeSPIRVTargetMC();
    LLVMInitializeSPIRVAsmPrinter();
    plugin::setOption("spirv-ext", Extensions);
    // Loop strength reduction writes `x & 3` as two bits that are extended.
    // The code generator holds those in a byte and does not clear the others.
    plugin::setOption("disable-lsr", "true");
  });
  Triple triple("spirv64v1.3-unknown-unknown");
  std::string problem;
  const Target *found = TargetRegistry::lookupTarget(triple, problem);
  if (!found) {
    throw plugin::Failure(TZ_E_INTERNAL, problem);
  }
  return std::unique_ptr<TargetMachine>(
      found->createTargetMachine(triple, "", "", TargetOptions(), std::nullopt,
                                 std::nullopt, CodeGenOptLevel::Default));
}

void optimize(Module &module, TargetMachine &machine) {
  PassBuilder builder(&machine);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  passes.addPass(LoopSimplifyPass());
  LoopPassManager invariants;
  invariants.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true));
  invariants.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(invariants),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(ADCEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  ModulePassManager all;
  all.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
}

std::string emitSpirv(Module &module, TargetMachine &machine) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::ObjectFile,
                                  /*DisableVerify=*/true)) {
    throw plugin::Failure(TZ_E_INTERNAL, "no code generation for this target");
  }
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace tz::intel
