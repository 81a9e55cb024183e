//===- Passes.td - the shared optimizer's table of contents -*- tablegen -*-===//
//
// In pipeline order. Each record agrees with a .cpp of its name, a lit test of
// its flag, a line in Pipeline.cpp and the example in the .cpp's header.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_PASSES_TD
#define TERRAZZO_OPTIMIZER_PASSES_TD

include "mlir/Pass/PassBase.td"

/// `readsTarget`: the pass asks the target's description, so it belongs to the
/// prepared stage; without it, to the neutral one (R2).
class KernelPass<string flag, bit reads = 0> : Pass<flag, "::tz::tile::KernelOp"> {
  bit readsTarget = reads;
  let dependentDialects = ["::tz::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def Simplify : KernelPass<"tile-simplify"> {
  let summary = "rewrite ops to fewer or simpler ones with the same value";
  let description = [{
    Folds constants, moves elementwise integer work below splat, broadcast and
    reshape, removes values that a loop carries for nothing. Later passes look
    for one form of each idea; this makes it. Runs several times.
  }];
}

def HoistInvariants : KernelPass<"tile-hoist-invariants"> {
  let summary = "move what does not change in a loop to before it";
  let description = [{
    Pure ops move when their operands are from outside. A load moves as well if
    no access in the loop may write its bytes (R6) and it is either checked in
    every dimension or in a loop that runs at least once.
  }];
  let statistics = [
    Statistic<"hoistedOps", "hoisted-ops", "pure ops moved out of a loop">,
    Statistic<"hoistedLoads", "hoisted-loads", "loads moved out of a loop">
  ];
}

#endif // TERRAZZO_OPTIMIZER_PASSES_TD
