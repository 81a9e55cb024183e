//===- terrazzo/lowering/Simplification.h - LLVM's passes --------*- C++
//-*-===//
//
// What   The passes of LLVM that clean up what was lowered from tile IR, in one
//        order for all targets, and how passes are run for a target.
// Why    The lowerings are of one kind: vectors, unrolling and the place of
//        loads are chosen before. What is left is the same for each target, and
//        a mend of it has one place.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_LOWERING_SIMPLIFICATION_H
#define TERRAZZO_LOWERING_SIMPLIFICATION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class PassBuilder;
class TargetMachine;
} // namespace llvm

namespace tz::lowering {

/// Where a target adds passes of its own to the list.
enum class Place {
  BeforeFirstCombine, ///< once equal values are one
  BeforeLastCombine,  ///< behind what moves code out of loops
};

/// Stack slots become values, equal values one, loops test behind their
/// iterations, and what does not change in a loop is computed before it. `own`
/// is called for each place, in order, and adds what the target wants there. No
/// vectoriser, no unroller, no inliner.
llvm::FunctionPassManager simplification(
    llvm::function_ref<void(Place, llvm::FunctionPassManager &)> own =
        [](Place, llvm::FunctionPassManager &) {});

/// Runs the passes that `fill` adds on a module, with what LLVM knows of the
/// machine. The builder has the machine's own passes.
void runPasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::function_ref<void(llvm::ModulePassManager &, llvm::PassBuilder &)>
        fill);

/// The same of passes over each function.
void runPasses(llvm::Module &module, llvm::TargetMachine &machine,
               llvm::FunctionPassManager passes);

} // namespace tz::lowering

#endif // TERRAZZO_LOWERING_SIMPLIFICATION_H
