//===- PipelineRewriter.h - a loop whose loads are begun ahead --*- C++ -*-===//
//
// What   Rewrites a loop as its plan says: rings of buffers, copies of the
//        first iterations before the loop, of a later iteration in each
//        iteration.
// Why    What can be fetched is decided before anything changes
//        (analysis/PipelinePlan.h).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_PASSES_PIPELINEREWRITER_H
#define TERRAZZO_CORE_SIMT_PASSES_PIPELINEREWRITER_H

#include "core/simt/analysis/PipelinePlan.h"

namespace tz::simt {

/// Replaces the loop.
void pipelineLoop(mlir::scf::ForOp loop, const PipelinePlan &plan,
                  LaunchViews &launch);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_PASSES_PIPELINEREWRITER_H
