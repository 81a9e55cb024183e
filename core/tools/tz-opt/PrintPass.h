//===- PrintPass.h - passes that print an analysis --------------*- C++ -*-===//
//
// What   A pass that writes to stdout what an analysis knows of each value, or
//        of each operation.
// Why    An analysis is tested by itself, and a reader sees why a pass that
//        asks it declined.
//
// A line per value or operation, in program order, with the names that the IR
// has when it is printed right after the pass: tz-opt k.mlir
// --tile-print-hints. With `-o /dev/null` the IR is left out. Kernels keep
// their order. An operation is called by its name, and its first result.
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
using DescribeValue = std::function<void(
    mlir::Value value, mlir::AsmState &names, llvm::raw_ostream &out)>;
/// The same of an operation, whose line stands before those of its results.
using DescribeOp = std::function<void(
    mlir::Operation *op, mlir::AsmState &names, llvm::raw_ostream &out)>;

/// What is written of a kernel. Each is null where there is nothing to say.
struct Describe {
  DescribeValue value;
  DescribeOp op = nullptr;
};
/// Runs the analysis over a kernel.
using Analyze = Describe (*)(tile::KernelOp kernel);

/// Makes the analysis a pass of the command line.
void registerPrintPass(llvm::StringRef flag, llvm::StringRef summary,
                       Analyze analyze);

Describe describeHints(tile::KernelOp kernel);
Describe describeLaneForms(tile::KernelOp kernel);
Describe describeExactIntegers(tile::KernelOp kernel);
Describe describeKnownMasks(tile::KernelOp kernel);
Describe describeMaskBounds(tile::KernelOp kernel);
Describe describeViewAccesses(tile::KernelOp kernel);
Describe describeFoldedLanes(tile::KernelOp kernel);
Describe describeLoopContents(tile::KernelOp kernel);
Describe describeArgumentUses(tile::KernelOp kernel);
Describe describeContiguity(tile::KernelOp kernel);
Describe describeLaneStrides(tile::KernelOp kernel);
Describe describeMemoryOrder(tile::KernelOp kernel);
Describe describePrograms(tile::KernelOp kernel);
Describe describeUniform(tile::KernelOp kernel);
Describe describeLaunchViews(tile::KernelOp kernel);
Describe describeLayouts(tile::KernelOp kernel);
Describe describeVectors(tile::KernelOp kernel);
Describe describeLoopIterations(tile::KernelOp kernel);
Describe describePipelinePlans(tile::KernelOp kernel);
Describe describeCheckedForms(tile::KernelOp kernel);
Describe describeDisjointAccesses(tile::KernelOp kernel);
Describe describeLoopNeeds(tile::KernelOp kernel);
Describe describeRegisterPlans(tile::KernelOp kernel);

/// Registers every pass that prints an analysis.
void registerPrintPasses();

} // namespace tz::opt

#endif // TERRAZZO_TOOLS_TZ_OPT_PRINTPASS_H
