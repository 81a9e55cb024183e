//===- RingCopies.h - the copies of a pipelined loop ------------*- C++ -*-===//
//
// What   For what a loop fetches: rings of buffers, descriptors, the barriers
// of
//        the slots; begins the copies of an iteration, and gives an iteration's
//        tiles from their slot.
// Why    How a tile comes into its slot is another question than when
//        (PipelineRewriter.h).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_PASSES_RINGCOPIES_H
#define TERRAZZO_CORE_SIMT_PASSES_RINGCOPIES_H

#include "core/simt/analysis/PipelinePlan.h"

#include "mlir/IR/IRMapping.h"

namespace tz::simt {

class RingCopies {
public:
  /// Descriptors are made before the loop; ring buffers only by makeRings.
  RingCopies(mlir::scf::ForOp loop, const PipelinePlan &plan,
             LaunchViews &launch);

  void makeRings(mlir::OpBuilder &b);
  /// Where the frames of copies in bulk begin.
  llvm::SmallVector<mlir::Value> positions() const;
  /// The copies of one iteration, to which `map` leads, into this slot, if
  /// `when`: those of the threads as a group, those in bulk at the slot's
  /// barrier.
  void issue(mlir::OpBuilder &b, const mlir::IRMapping &map, mlir::Value slot,
             mlir::Value when);
  /// Maps what computes with the fetched tile to what the slot holds.
  void read(mlir::OpBuilder &in, const Fetch &fetch, mlir::Value slotIndex,
            mlir::IRMapping &near);
  void endBarriers(mlir::OpBuilder &b);

  const bool inBulk, inGroups; // some copies are
  mlir::Value full, empty;     // barriers of the slots, if copies are in bulk

private:
  struct Copy {
    const Fetch *fetch;
    mlir::Value ring, descriptor;
    llvm::SmallVector<mlir::Value> position; // in the frame
    mlir::Value shared; // i1, or null: is it that of the block beside this one?
  };

  void describeFrames();
  mlir::Value isShared(mlir::OpBuilder &b, const Copy &copy);
  void issueInBulk(mlir::OpBuilder &b, const Copy &copy,
                   const mlir::IRMapping &map, mlir::Value to, mlir::Value slot,
                   mlir::Value when);
  void issueByThreads(mlir::OpBuilder &b, const Copy &copy,
                      const mlir::IRMapping &map, mlir::Value to,
                      mlir::Value when);

  mlir::scf::ForOp loop;
  const mlir::Location loc;
  const PipelinePlan &plan;
  LaunchViews &launch;
  llvm::SmallVector<Copy, 0> copies;
};

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_PASSES_RINGCOPIES_H
