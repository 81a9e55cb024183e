//===- LLVMPipeline.cpp - from LLVM IR to PTX -----------------------------===//
//
// What   See LLVMPipeline.h.
// Why    See LLVMPipeline.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/llvm/LLVMPipeline.h"

#include "backends/nvidia/compiler/llvm/LateRewrites.h"
#include "backends/nvidia/compiler/llvm/LongKernels.h"
#include "backends/nvidia/compiler/llvm/PairedHalves.h"

#include "terrazzo/lowering/Simplification.h"
#include "terrazzo/plugin/Error.h"
#include "terrazzo/plugin/LLVMOption.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/ADCE.h"

#include <mutex>

extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

using namespace llvm;

namespace tz::nvidia {

std::unique_ptr<TargetMachine>
makeMachine(const ArchitectureFacts &architecture, StringRef ptxFeature) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Strength reduction of loops keeps what it saves in registers: of a thread
    // that has many, but whose number decides how many threads run. Addresses
    // of shared memory have 32 bits: as 64, each is widened and cut again.
    plugin::setOption("disable-lsr", "true");
    plugin::setOption("nvptx-short-ptr", "true");
  });
  Triple triple("nvptx64-nvidia-cuda");
  std::string problem;
  const Target *found = TargetRegistry::lookupTarget(triple, problem);
  if (!found) {
    throw plugin::Failure(TZ_E_INTERNAL, problem);
  }
  TargetOptions options;
  return std::unique_ptr<TargetMachine>(found->createTargetMachine(
      triple, architecture.cpu, ptxFeature, options, std::nullopt, std::nullopt,
      CodeGenOptLevel::Default));
}

static void addOwnPasses(lowering::Place place, FunctionPassManager &passes) {
  if (place == lowering::Place::BeforeFirstCombine) {
    passes.addPass(CutManyUses());
  } else {
    passes.addPass(ADCEPass()); // what loops carried for copies only
    passes.addPass(PairHalves());
  }
}

void optimize(Module &module, TargetMachine &machine) {
  lowering::runPasses(module, machine, lowering::simplification(addOwnPasses));
  for (Function &function : module) {
    dropOwnElements(function);
    shareWideProducts(function);
    narrowFactors(function);
    shareOffsets(function);          // behind sums of products
    multiplyByReciprocals(function); // it knows comparisons as LLVM has them
    compareOffsets(function);
    branchAroundFarArms(function); // behind the choice of reciprocals
    keepOrderedCompares(function);
    unguardDivisions(function);
    narrowGuardedShifts(function);
    invertNegatedLimits(function);
    dropSaturatedLimits(function);
    pairConversions(function);
    convertToIntegers(function);
    splitChosenWords(function);
    separateTruncatedSums(function);
    roundInPlace(function);
    packLimits(function);
    widenInPlace(function);
    endLives(function);
    shareDivisors(function); // a NaN gives a NaN, whatever its scale
    sinkIndices(function);
    loadAgain(function);
    orderLoads(function); // it looks at uses, which the others change
  }
}

std::string emitPtx(Module &module, TargetMachine &machine) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  CodeGenFileType::AssemblyFile,
                                  /*DisableVerify=*/true)) {
    throw plugin::Failure(TZ_E_INTERNAL, "no code generation for this target");
  }
  LinearCodeGeneration linear(module);
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace tz::nvidia
