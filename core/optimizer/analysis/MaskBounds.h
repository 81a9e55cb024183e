//===- MaskBounds.h - masks as bounds on lane indices -----------*- C++ -*-===//
//
// What   Reads a mask as a conjunction: index[d] < upper, index[d] >= lower,
//        and conditions that are the same in all lanes.
// Why    A view can check a coordinate against a shape and nothing else.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_ANALYSIS_MASKBOUNDS_H
#define TERRAZZO_OPTIMIZER_ANALYSIS_MASKBOUNDS_H

#include "core/optimizer/analysis/LaneForms.h"

namespace tz::analysis {

/// A comparison of two scalars that decides for the whole tile: value < 0, or
/// value == 0.
struct UniformCondition {
  Polynomial value;
  bool isEquality = false;
  mlir::Value flag; // an i1 scalar instead, if set
};

struct MaskBounds {
  llvm::SmallVector<llvm::SmallVector<Polynomial, 1>, 2> upper, lower;
  llvm::SmallVector<UniformCondition, 1> uniform;
};

/// The bounds of `mask`; if there are none of this kind, null and in `why` what
/// stands in the way.
std::optional<MaskBounds> readMask(mlir::Value mask, LaneForms &forms,
                                   const Hints &hints, std::string &why);

} // namespace tz::analysis

#endif // TERRAZZO_OPTIMIZER_ANALYSIS_MASKBOUNDS_H
