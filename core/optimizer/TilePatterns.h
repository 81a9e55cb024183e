//===- TilePatterns.h - rewrites of tile ops to simpler ones ----*- C++ -*-===//
//
// What   The pattern families that tile-simplify runs, one .cpp each.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_TILEPATTERNS_H
#define TERRAZZO_OPTIMIZER_TILEPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace tz::optimizer {

// Each pattern is labelled with the statistic of tile-simplify that counts it.

/// splat, broadcast, reshape; work that is equal in all lanes becomes scalar.
void addShapePatterns(mlir::RewritePatternSet &patterns);
/// Constant operands of the dialect's integer ops; minima and maxima that are
/// written as a comparison and a choice.
void addIntegerPatterns(mlir::RewritePatternSet &patterns);
/// Masks that are constant, offsets of zero, values carried for nothing or that
/// count beside a loop's counter.
void addMemoryPatterns(mlir::RewritePatternSet &patterns);
/// What both sides of a branch widen.
void addBranchPatterns(mlir::RewritePatternSet &patterns);

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_TILEPATTERNS_H
