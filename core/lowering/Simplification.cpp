//===- Simplification.cpp - LLVM's passes behind the lowering -------------===//
//
// What   See Simplification.h.
// Why    See Simplification.h.
//===----------------------------------------------------------------------===//
#include "terrazzo/lowering/Simplification.h"

#include "terrazzo/lowering/RotateManyLoops.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace tz::lowering {

FunctionPassManager
simplification(function_ref<void(Place, FunctionPassManager &)> own) {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(SimplifyCFGPass());
  own(Place::BeforeFirstCombine, passes);
  passes.addPass(InstCombinePass());
  passes.addPass(LoopSimplifyPass());
  passes.addPass(RotateManyLoops());
  LoopPassManager invariants;
  // While loops of the kernel become do loops, so that code can leave them.
  invariants.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true));
  invariants.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(invariants),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  own(Place::BeforeLastCombine, passes);
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

void runPasses(Module &module, TargetMachine &machine,
               function_ref<void(ModulePassManager &, PassBuilder &)> fill) {
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
  ModulePassManager all;
  fill(all, builder);
  all.run(module, modules);
}

void runPasses(Module &module, TargetMachine &machine,
               FunctionPassManager passes) {
  runPasses(module, machine, [&](ModulePassManager &all, PassBuilder &) {
    all.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  });
}

} // namespace tz::lowering
