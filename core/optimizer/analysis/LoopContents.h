//===- LoopContents.h - loops, and who reads their masks --------*- C++ -*-===//
//
// What   Questions about code that a pass may copy: dots, loops, what a mask
//        decides, what differs between programs.
// Why    Whether a copy without checks pays depends on what they cost where
//        they are (PeelMasks).
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_ANALYSIS_LOOPCONTENTS_H
#define TERRAZZO_OPTIMIZER_ANALYSIS_LOOPCONTENTS_H

#include "core/optimizer/analysis/LaneForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tz::analysis {

bool hasDots(mlir::Operation *op);
/// Does a loop in `first`, or behind it in its block, hold one of these
/// accesses, or read a mask from before it?
bool loopsAskFrom(mlir::Operation *first,
                  llvm::function_ref<bool(mlir::Operation *)> isChecked);
/// The last loop of the block that has dots.
mlir::Operation *lastDotLoop(mlir::Block &block);
/// Whether a select in `loop` is by `mask`, alone or with others.
bool isSelectedBy(mlir::arith::CmpIOp mask, mlir::scf::ForOp loop);
/// Whether accesses of `loop` alone read `mask`, each of which is off where it
/// says no: a predicate, or less to copy.
bool isPredicate(mlir::Value mask, mlir::scf::ForOp loop);
/// Whether each iteration makes an operand of a dot out of what it loads.
/// Predicates of loads are little beside that; beside copies only they are not.
bool computesOperands(mlir::scf::ForOp loop);
/// Whether programs differ in what `p` is: the host cannot ask.
bool dependsOnProgram(const Polynomial &p, const ScalarTable &scalars);

} // namespace tz::analysis

#endif // TERRAZZO_OPTIMIZER_ANALYSIS_LOOPCONTENTS_H
