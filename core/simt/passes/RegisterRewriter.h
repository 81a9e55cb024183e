//===- RegisterRewriter.h - a loop whose loads are held ---------*- C++ -*-===//
//
// What   Rewrites a loop as its plan says: loads of the first iterations before
//        the loop, of a later iteration in each iteration, what was loaded
//        carried in registers.
// Why    What goes ahead is decided before anything changes
//        (analysis/RegisterPlan.h).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_PASSES_REGISTERREWRITER_H
#define TERRAZZO_CORE_SIMT_PASSES_REGISTERREWRITER_H

#include "core/simt/analysis/RegisterPlan.h"

namespace tz::simt {

/// Replaces the loop.
void holdLoads(mlir::scf::ForOp loop, const RegisterPlan &plan);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_PASSES_REGISTERREWRITER_H
