//===- LoopNeeds.h - what a loop with dots takes of a block -----*- C++ -*-===//
//
// What   Registers and shared memory that are in use while a loop runs, which
//        loads its dots read, and how a slot of a ring holds them.
// Why    How far ahead loads can be begun depends on what is left.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_ANALYSIS_LOOPNEEDS_H
#define TERRAZZO_CORE_SIMT_ANALYSIS_LOOPNEEDS_H

#include "terrazzo/simt/SimtTarget.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tz::simt {

/// Does the value reach a dot of this loop?
bool feedsDot(mlir::scf::ForOp loop, mlir::Value value);

/// How a slot may hold what is loaded row by row: as the target has it where
/// lanes will read along columns.
BufferType rowsBuffer(mlir::Operation *load, const Contiguity &runs,
                      const SimtTarget &target);

/// Registers of 32 bits that a thread keeps over a part of an iteration: what
/// the loop carries, sums, and operands that are computed. Operands that
/// `isFetched` brings are not counted.
int64_t wordsOfIteration(mlir::scf::ForOp loop, const Contiguity &runs,
                         llvm::function_ref<bool(mlir::Operation *)> isFetched);

/// Bytes of shared memory that are in use while the loop runs. Loops beside
/// each other use the same memory; those around this one and what is staged in
/// it do not.
uint64_t takenBeside(mlir::scf::ForOp loop, const SimtTarget &target);

/// Is the staged tile read in the loop?
bool isUsedIn(StageOp stage, mlir::scf::ForOp loop);

/// Warps of the kernel in which this stands.
unsigned warpsOf(mlir::Operation *op);

/// Stages of a kernel or a loop, if it says so.
unsigned stagesOf(mlir::Operation *op, unsigned otherwise);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_ANALYSIS_LOOPNEEDS_H
