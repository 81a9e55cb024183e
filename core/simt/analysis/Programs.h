//===- Programs.h - how programs of one grid differ -------------*- C++ -*-===//
//
// What   Which integers are the same in every program, and what others are in
//        the program beside this one.
// Why    Blocks that run several programs, or beside others, must agree on how
//        many iterations their loops have, and on what they copy.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_PROGRAMS_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_PROGRAMS_H

#include "terrazzo/simt/Simt.h"

namespace tz::simt {

/// Computed from the kernel's arguments and the size of the grid alone?
bool isSameInPrograms(mlir::Value value);

/// Computed from these and the program's number alone? It is the same in all
/// blocks of a program.
bool isSameInBlocks(mlir::Value value);

/// Are these integers, which the kernel's body computes before the builder, the
/// same here and in the program whose number along the first axis differs in
/// the last bit? An i1; null: they are made of more than scalars, or elsewhere.
mlir::Value areSameBeside(mlir::OpBuilder &b, mlir::Location loc,
                          tile::KernelOp kernel,
                          llvm::ArrayRef<mlir::Value> values);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_PROGRAMS_H
