//===- CheckedForm.h - branches that differ in their checks -----*- C++ -*-===//
//
// What   Whether one block does what another does, with more checks of bounds.
// Why    PeelMasks leaves full blocks of a tile without checks, and beside them
//        what is right for every block: that one may stand for both.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_CHECKEDFORM_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_CHECKEDFORM_H

#include "terrazzo/simt/Simt.h"

namespace tz::simt {

/// Whether `checked` is `full` with more checks, each of an access that
/// `mayCheck`. Prints are numbered in all variants of a kernel alike: with them
/// no block is like another.
bool isCheckedForm(mlir::Block &checked, mlir::Block &full,
                   llvm::function_ref<bool(mlir::Operation *)> mayCheck);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_CHECKEDFORM_H
