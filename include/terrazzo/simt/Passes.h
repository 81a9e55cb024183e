//===- Passes.h - the passes of the SIMT library --------------------------===//
//
// What   Constructors of the passes; each is documented in core/simt/passes and
//        docs/reference/passes.md.
// Why    A vendor puts its own passes between them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_PASSES_H
#define TERRAZZO_SIMT_PASSES_H

#include "terrazzo/simt/SimtTarget.h"

#include "mlir/Pass/Pass.h"

namespace tz::simt {

std::unique_ptr<mlir::Pass> createMarkLastReads();
std::unique_ptr<mlir::Pass> createReduceCarried();
std::unique_ptr<mlir::Pass> createLoadBeforeStore();
std::unique_ptr<mlir::Pass> createLoadBeforeExchange();
std::unique_ptr<mlir::Pass> createSplitDots(const SimtTarget *target);
/// So many blocks share a program: a power of two.
std::unique_ptr<mlir::Pass> createSplitK(unsigned blocks);
/// `target` must live as long as the pass; null: one that wants it always.
std::unique_ptr<mlir::Pass> createPersistPrograms(const SimtTarget *target);
std::unique_ptr<mlir::Pass> createVersionAlignment();
/// `target` must live as long as the pass; null: one that stores every frame.
std::unique_ptr<mlir::Pass> createBulkStores(const SimtTarget *target);
/// `target` must live as long as the pass; null: a target without matrix unit.
std::unique_ptr<mlir::Pass> createAssignLayouts(const SimtTarget *target);
/// As createAssignLayouts; null: one whose widest access has 16 bytes.
std::unique_ptr<mlir::Pass> createRemoveConversions(const SimtTarget *target);
std::unique_ptr<mlir::Pass> createShareBuffers();
/// As createAssignLayouts; without a target that has blocks nothing changes.
std::unique_ptr<mlir::Pass> createBlockAccesses(const SimtTarget *target);
/// As createAssignLayouts; without a target that copies asynchronously nothing
/// changes.
std::unique_ptr<mlir::Pass> createPipelineLoops(const SimtTarget *target);
/// As createAssignLayouts; with a target that copies asynchronously, or whose
/// registers are not known, nothing changes.
std::unique_ptr<mlir::Pass> createPipelineRegisters(const SimtTarget *target);
std::unique_ptr<mlir::Pass> createPrefetchLoads();
/// ... without one whose dots may stay in flight.
std::unique_ptr<mlir::Pass> createOverlapDots(const SimtTarget *target);

/// As createPipelineLoops; without a target that gives copies warps of their
/// own nothing changes.
std::unique_ptr<mlir::Pass> createSpecializeWarps(const SimtTarget *target);

std::unique_ptr<mlir::Pass> createStageBehindCopies();

/// As createAssignLayouts; without a target that wants regions nothing changes.
std::unique_ptr<mlir::Pass> createMarkRegions(const SimtTarget *target);

/// Makes each pass known to the command line of a tool, for a target without
/// matrix unit.
void registerPasses();

} // namespace tz::simt

#endif // TERRAZZO_SIMT_PASSES_H
