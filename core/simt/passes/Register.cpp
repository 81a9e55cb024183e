//===- Register.cpp - the passes on a command line ------------------------===//
//
// What   Registers each pass of Passes.td, for a target without matrix unit.
// Why    The tests of the passes are text in, text out.
//===----------------------------------------------------------------------===//
#include "core/simt/passes/Passes.h"

#include "terrazzo/simt/SimtPipeline.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

void tz::simt::registerPasses() {
  mlir::registerPass([] { return createMarkLastReads(); });
  mlir::registerPass([] { return createReduceCarried(); });
  mlir::registerPass([] { return createLoadBeforeStore(); });
  mlir::registerPass([] { return createLoadBeforeExchange(); });
  mlir::registerPass([] { return createSplitDots(nullptr); });
  mlir::registerPass([] { return createSplitK(2); });
  mlir::registerPass([] { return createPersistPrograms(nullptr); });
  mlir::registerPass([] { return createVersionAlignment(); });
  mlir::registerPass([] { return createBulkStores(nullptr); });
  mlir::registerPass([] { return createAssignLayouts(nullptr); });
  mlir::registerPass([] { return createRemoveConversions(nullptr); });
  mlir::registerPass([] { return createShareBuffers(); });
  mlir::registerPass([] { return createBlockAccesses(nullptr); });
  mlir::registerPass([] { return createPipelineLoops(nullptr); });
  mlir::registerPass([] { return createPipelineRegisters(nullptr); });
  mlir::registerPass([] { return createPrefetchLoads(); });
  mlir::registerPass([] { return createOverlapDots(nullptr); });
  mlir::registerPass([] { return createSpecializeWarps(nullptr); });
  mlir::registerPass([] { return createStageBehindCopies(); });
  mlir::registerPass([] { return createMarkRegions(nullptr); });
  static mlir::PassPipelineRegistration<> whole(
      "simt-pipeline", "all steps of core/simt/SimtPipeline.def",
      [](mlir::OpPassManager &manager) {
        static const SimtTarget plain;
        Pipeline pipeline(plain, {true, true});
        pipeline.moveTo(manager.nest<tz::tile::KernelOp>());
      });
}
