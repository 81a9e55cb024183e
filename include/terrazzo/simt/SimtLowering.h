//===- SimtLowering.h - from a kernel with layouts to an LLVM function ----===//
//
// What   One thread's code for a kernel whose tiles have layouts.
// Why    Written in one pass with IRBuilder: no dialect conversion, so compile
//        time is that of LLVM itself.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_SIMTLOWERING_H
#define TERRAZZO_SIMT_SIMTLOWERING_H

#include "terrazzo/lowering/DebugInfo.h"
#include "terrazzo/lowering/Unsupported.h"
#include "terrazzo/simt/SimtHooks.h"

#include "llvm/IR/Module.h"

namespace tz::simt {

using lowering::TooLarge;
using lowering::Unsupported;

/// A vendor's Target or Hooks give an answer that no machine has.
struct BadTarget : std::logic_error {
  using std::logic_error::logic_error;
};

struct Lowered {
  /// void(arguments of the kernel..., descriptors by value..., programs on each
  /// axis of gridAxes as i32..., pointer to a counter of 32 bits that is 0 at
  /// each launch if countsPrograms, pointer to the log if usesLog)
  llvm::Function *function = nullptr;
  /// Descriptors that the host makes, in the order of the arguments.
  llvm::SmallVector<DescriptorOp> descriptors;
  /// Axes of which simt.logical_grid asks, in order. If there are any, blocks
  /// loop over the programs of these axes.
  llvm::SmallVector<uint32_t> gridAxes;
  /// Threads of a block.
  unsigned threads = 0;
  /// Blocks of a cluster.
  unsigned clusterBlocks = 1;
  /// Blocks of a program.
  unsigned splitBlocks = 1;
  uint64_t sharedBytes = 0;
  /// Of which the address of shared memory must be a multiple.
  uint64_t sharedAlignment = 1;
  /// Of a descriptor among the arguments, and its alignment.
  unsigned descriptorBytes = 0;
  /// Blocks take their programs from a counter (SimtHooks::startsInOrder).
  bool countsPrograms = false;
  bool usesLog = false;
  /// Prints and asserts, in the order of their numbers in the log.
  llvm::SmallVector<mlir::Operation *> logPoints;
};

/// Which lines of the source the code names: see DebugInfo.
struct SourceLines {
  unsigned level = 0;
  lowering::DebugInfo::Form form = lowering::DebugInfo::Form::Tables;
};

/// Throws Unsupported and BadTarget. Where lines are wanted, each instruction
/// has the place of its op.
Lowered lower(tile::KernelOp kernel, SimtHooks &hooks, llvm::Module &module,
              const SourceLines &lines = {});

} // namespace tz::simt

#endif // TERRAZZO_SIMT_SIMTLOWERING_H
