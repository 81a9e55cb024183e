//===- PipelinePlan.h - what of a loop can be begun ahead -------*- C++ -*-===//
//
// What   The loads of a loop that become copies into rings of buffers, what
//        must be computed ahead to know their addresses, how many iterations
//        ahead they go, and the dots that stay in flight over the back edge.
// Why    simt-pipeline-loops decides here and rewrites elsewhere
//        (PipelineRewriter.h): nothing of the kernel changes.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_PIPELINEPLAN_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_PIPELINEPLAN_H

#include "core/simt/analysis/DelayedDot.h"
#include "core/simt/analysis/LaunchViews.h"
#include "core/simt/analysis/LoopIterations.h"
#include "core/simt/analysis/LoopNeeds.h"

#include "terrazzo/simt/SimtTarget.h"

namespace tz::simt {

/// A load that can be a copy.
struct Fetch {
  mlir::Operation *load;
  LayoutAttr layout;
  BufferType buffer; // a slot of its ring
  /// By the bulk copy unit, if the frame is known at launch.
  std::optional<BulkFrame> frame;

  mlir::Value result() const { return load->getResult(0); }
  /// Is this the staged tile that the ring's slot takes the place of?
  bool isReplaced(StageOp stage) const {
    return stage.getSource() == result() &&
           stage.getResult().getType() == buffer;
  }
};

/// How threads bring a tile from rows of dimension `rows` to those that the
/// stage wants: where they are others, and no copy writes elements one by one.
std::optional<Transposition> transpositionOf(StageOp stage, unsigned rows);

struct PipelinePlan {
  llvm::SmallVector<Fetch, 0> fetches;
  llvm::SmallVector<DotOp> asyncDots;
  /// A dot that runs one iteration later: its slot is read as long.
  std::optional<DelayedDot> delayed;
  Slice ahead;
  unsigned distance = 0; // iterations ahead
  unsigned slots = 0;    // of each ring
  /// A slot is filled again at the end of an iteration, when this one has read
  /// it, or the one before if dots stay in flight. Else it is filled at the
  /// begin of the next one, which takes a slot more.
  bool fillsLate = false;
  /// The loop has as many iterations as slots: no slot is filled again.
  bool beginsAll = false;
  /// Warps say when they have read a slot, so that who begins copies waits
  /// alone.
  bool hasReleases = false;
  /// Blocks of a cluster, which may share copies (then hasReleases).
  unsigned clusterBlocks = 1;
  /// If not null, the loop in whose body this one stands: the ring buffers live
  /// as long as it does, and when this loop ends the first iterations of the
  /// next time round are begun.
  mlir::scf::ForOp around;

  const Fetch *fetchOf(mlir::Operation *load) const {
    auto found = llvm::find_if(
        fetches, [&](const Fetch &one) { return one.load == load; });
    return found == fetches.end() ? nullptr : found;
  }
  size_t numBulk() const {
    return llvm::count_if(fetches,
                          [](const Fetch &one) { return bool(one.frame); });
  }
};

/// What is asked of a plan.
struct PipelineRequest {
  const SimtTarget &target;
  const Contiguity &runs;
  LaunchViews &launch;
  unsigned stages;
  uint64_t room; // bytes of shared memory that nobody else has taken
};

/// None: there is nothing to fetch, or `why` says what is in the way.
std::optional<PipelinePlan> planPipeline(mlir::scf::ForOp loop,
                                         const PipelineRequest &request,
                                         llvm::StringRef &why);

/// The loop in whose body this one stands, if the first iterations of the next
/// time round can be begun when this time's have ended; else null.
mlir::scf::ForOp loopAround(mlir::scf::ForOp loop, const PipelinePlan &plan,
                            LaunchViews &launch);

/// What of the loop around it the first iterations of a loop, and `more`, are
/// computed from. None: more than an iteration of that loop can compute early.
std::optional<Slice> sliceAround(mlir::scf::ForOp around, mlir::scf::ForOp loop,
                                 const PipelinePlan &plan,
                                 mlir::ValueRange more);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_PIPELINEPLAN_H
