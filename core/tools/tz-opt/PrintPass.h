//===- PrintPass.h - passes that print an analysis --------------*- C++ -*-===//
//
// What   A pass that writes to stdout what an analysis knows of each value.
// Why    An analysis is tested by itself, and a reader sees why a pass that
//        asks it declined.
//
// A line per value, in program order, with the names that the IR has when it
// is printed right after the pass: tz-opt k.mlir --tile-print-hints. With
// `-o /dev/null` the IR is left out. Kernels keep their order.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TOOLS_TZ_OPT_PRINTPASS_H
#define TERRAZZO_TOOLS_TZ_OPT_PRINTPASS_H

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/AsmState.h"

#include "llvm/Support/raw_ostream.h"

#include <functional>

namespace tz::opt {

/// Writes what is known of `value`, without its name and the end of the line;
/// nothing where there is nothing to say.
using Describe = std::function<void(mlir::Value value, mlir::AsmState &names,
                                    llvm::raw_ostream &out)>;
/// Runs the analysis over a kernel.
using Analyze = Describe (*)(tile::KernelOp kernel);

/// Makes the analysis a pass of the command line.
void registerPrintPass(llvm::StringRef flag, llvm::StringRef summary,
                       Analyze analyze);

Describe describeHints(tile::KernelOp kernel);
Describe describeLaneForms(tile::KernelOp kernel);
Describe describeContiguity(tile::KernelOp kernel);

/// Registers every pass that prints an analysis.
void registerPrintPasses();

} // namespace tz::opt

#endif // TERRAZZO_TOOLS_TZ_OPT_PRINTPASS_H
