//===- SplitLoop.h - loops that several blocks can divide -------*- C++ -*-===//
//
// What   The loops of a kernel whose sums several blocks can compute in parts,
//        where the first block must go on alone, and what the host must find
//        before it launches so many.
// Why    A product of few tiles with a long sum leaves most of a device idle:
//        each program has one block.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_SPLITLOOP_H
#define TERRAZZO_CORE_SIMT_SPLITLOOP_H

#include "terrazzo/plugin/Artifact.h"
#include "terrazzo/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tz::simt {

/// All blocks of a program take the same way up to where one is alone.
struct SplitPlan {
  /// All that they carry are sums that begin at zero. Each stands in branches
  /// alone, with nothing written before; the first block is alone behind it.
  llvm::SmallVector<mlir::scf::ForOp> loops;
  /// From these on the first block is alone: they write, or have dots that are
  /// no such loop.
  llvm::SmallVector<mlir::Operation *> aloneFrom;
  /// Behind these branches it is, whichever way it came.
  llvm::SmallVector<mlir::scf::IfOp> aloneBehind;
};

/// Without loops there is nothing to divide; `why` says what is in the way.
SplitPlan planSplit(tile::KernelOp kernel, llvm::StringRef &why);

/// True in a launch whose programs, with so many blocks each, all run at once,
/// and whose blocks have enough iterations. None: the host cannot compute how
/// many there are.
std::optional<tz::plugin::Expr> splitCondition(const SplitPlan &plan,
                                               unsigned blocks);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_SPLITLOOP_H
