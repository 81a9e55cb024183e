//===- Variants.h - a kernel with and without bulk copies -------*- C++ -*-===//
//
// What   Runs the passes of the library over a kernel, over a copy of it that
//        may use descriptors, over one whose blocks form clusters, over one
//        whose steps from row to row are short, and over one that has one
//        branch of two that the host can choose from.
// Why    A bulk copy unit cannot read every array (strides that are no multiple
//        of 16 bytes ...): beside the variant that uses it stands one that does
//        not, and the launch plan decides. Where rows begin inside of lines,
//        blocks that share copies are quicker than blocks that persist. Offsets
//        of 32 bits (SimtMachine::nearBytes) reach over short steps only. A loop
//        that stands in both branches, without checks and with them, is two
//        kernels that compile at the same time.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_VARIANTS_H
#define TERRAZZO_SIMT_VARIANTS_H

#include "terrazzo/simt/LaunchPlan.h"
#include "terrazzo/simt/SimtLowering.h"
#include "terrazzo/simt/SimtTarget.h"

namespace tz::simt {

struct Variant {
  tile::KernelOp kernel;
  /// Beside what descriptors and grid need; empty: nothing.
  tz::plugin::Expr guard{};
  Lowered lowered{}; // when it was lowered
  /// Only what a bulk copy unit cannot read leads here: a tensor without
  /// elements, a stride of 0, below it, or beyond FrameLimits. What alignment
  /// is unknown leads to is not rare. Or steps that are not near. Or so few
  /// programs with so long loops that blocks share each.
  bool isRare = false;
};

/// The variants in the order of the launch plan, beside each other in the
/// kernel's module; the last one is `kernel` itself. `inBulk` (null: there is
/// no bulk copy unit) and `plain` are the target with and without it. Throws
/// Unsupported if a pass fails, and BadTarget.
std::vector<Variant> makeVariants(tile::KernelOp kernel,
                                  const SimtTarget *inBulk,
                                  const SimtTarget &plain,
                                  const FrameLimits &limits);

/// The kernel as the stage simt shows it, ending in a newline. From debug level
/// 1 on each op names its place in the source.
std::string textOf(tile::KernelOp kernel, unsigned debugLevel);

/// Appends what the host must know of a lowered variant: its arguments with the
/// descriptors and the log, the grid, shared memory and threads.
tz::plugin::KernelDescription &appendVariant(tz::plugin::Artifact &artifact,
                                             const Variant &variant,
                                             const FrameLimits &limits);

} // namespace tz::simt

#endif // TERRAZZO_SIMT_VARIANTS_H
