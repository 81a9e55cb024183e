//===- PrintLoopContents.cpp - tile-print-loop-contents -------------------===//
//
// What   Of each loop whether it has products, and makes their operands; of
//        each comparison in a loop who reads it, as LoopContents says.
//
//   scf.for %4: last with dots, computes operands
//   arith.cmpi %9: selects
//   arith.cmpi %12: predicate
//===----------------------------------------------------------------------===//
#include "core/optimizer/analysis/LoopContents.h"
#include "core/tools/tz-opt/PrintPass.h"

using namespace mlir;
using namespace tz;
using namespace tz::opt;
using namespace tz::analysis;

static void write(scf::ForOp loop, llvm::raw_ostream &out) {
  const bool isLast = lastDotLoop(*loop->getBlock()) == loop;
  out << (isLast          ? "last with dots"
          : hasDots(loop) ? "with dots"
                          : "no dots")
      << (computesOperands(loop) ? ", computes operands" : "")
      << (loopsAskFrom(loop->getNextNode(),
                       [](Operation *op) { return isa<tile::LoadOp>(op); })
              ? ", loops that load behind it"
              : "");
}

Describe tz::opt::describeLoopContents(tile::KernelOp) {
  return {nullptr, [](Operation *op, AsmState &, llvm::raw_ostream &out) {
            if (auto loop = dyn_cast<scf::ForOp>(op)) {
              write(loop, out);
            } else if (auto mask = dyn_cast<arith::CmpIOp>(op)) {
              auto loop = mask->getParentOfType<scf::ForOp>();
              if (loop) {
                out << (isPredicate(mask, loop)    ? "predicate"
                        : isSelectedBy(mask, loop) ? "selects"
                                                   : "neither");
              }
            }
          }};
}
