//===- SplitLoop.h - a loop that several blocks can divide ------*- C++ -*-===//
//
// What   The loop of a kernel whose sums several blocks can compute in parts,
//        and what the host must find before it launches so many.
// Why    A product of few tiles with a long sum leaves most of a device idle:
//        each program has one block.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_SPLITLOOP_H
#define TERRAZZO_CORE_SIMT_SPLITLOOP_H

#include "terrazzo/plugin/Artifact.h"
#include "terrazzo/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tz::simt {

/// The only loop with dots, if it stands in no other one, all that it carries
/// are sums that begin at zero, and the kernel writes nothing before its end.
/// Null: there is none; `why` says what is in the way.
mlir::scf::ForOp splitLoop(tile::KernelOp kernel, llvm::StringRef &why);

/// True in a launch whose programs, with so many blocks each, all run at once,
/// and whose blocks have enough iterations. None: the host cannot compute how
/// many there are.
std::optional<tz::plugin::Expr> splitCondition(mlir::scf::ForOp loop,
                                               unsigned blocks);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_SPLITLOOP_H
