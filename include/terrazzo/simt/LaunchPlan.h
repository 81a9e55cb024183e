//===- LaunchPlan.h - what the host computes before a launch ----*- C++ -*-===//
//
// What   The frames of descriptors as expressions of the launch plan (R1), the
//        slots that they fill, and the guard under which the bulk copy unit can
//        read them; the grid of blocks that run several programs each.
// Why    Every vendor with a bulk copy unit needs them, and a frame that does
//        not hold what was assumed must lead to another variant.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_LAUNCHPLAN_H
#define TERRAZZO_SIMT_LAUNCHPLAN_H

#include "terrazzo/analysis/Hints.h"
#include "terrazzo/plugin/Artifact.h"
#include "terrazzo/simt/Simt.h"

namespace tz::simt {

/// An integer that simt.descriptor takes; none if it is not computed from the
/// kernel's arguments by what a plan can do.
std::optional<tz::plugin::Expr> launchExpr(mlir::Value value);

/// An i1 that the host computes as the kernel does: comparisons of such
/// integers, none of which wraps around. With `everywhere` they may be of the
/// program, too; then it says whether it holds in all of them.
std::optional<tz::plugin::Expr> launchCondition(mlir::Value condition,
                                                const analysis::Hints &hints,
                                                bool everywhere);

/// Limits of a bulk copy unit, or of blocks that are loaded into registers.
struct FrameLimits {
  int64_t baseAlignment = 16;   // bytes
  int64_t strideAlignment = 16; // bytes
  int64_t strideEnd = int64_t{1} << 40;
  int64_t leastRow = 0;     // bytes of a row
  int64_t rowAlignment = 1; // ... a multiple of so many
  /// Bytes from a row to the next one are fewer, beside strideEnd, which is of
  /// all dimensions.
  int64_t pitchEnd = int64_t{1} << 40;
  int64_t extentEnd = INT32_MAX; // of a dimension, elements
  bool rowsApart = false;        // a row ends before the next one begins
  /// Rows that do not begin at multiples of so many bytes make copies uneven:
  /// then each block runs one program, and the device says which runs where.
  int64_t evenBytes = 128;
};

/// Appends a slot of so many bytes per descriptor, and to the guard that there
/// is what must hold. False: an expression is too long for a plan, nothing was
/// appended.
bool appendDescriptors(tz::plugin::KernelDescription &info,
                       llvm::ArrayRef<DescriptorOp> descriptors,
                       unsigned descriptorBytes, const FrameLimits &limits);

/// The axes of which simt.logical_grid asks, in order.
llvm::SmallVector<uint32_t> gridAxes(tile::KernelOp kernel);

/// For a kernel whose blocks loop over the programs of these axes, if there are
/// any: appends the slots of their numbers, lets the host launch as many blocks
/// as fit on the device at once, and adds to the guard what must hold. To be
/// called after appendDescriptors. False: an expression is too long for a plan.
bool appendGrid(tz::plugin::KernelDescription &info,
                llvm::ArrayRef<uint32_t> axes, const FrameLimits &limits);

/// For a kernel so many of whose blocks form clusters, if it is more than one:
/// launches them so, and adds to the guard that the grid is made of them, fills
/// the device, and that copies are uneven. (The lines of even rows that
/// neighbours read are fetched once anyway.) To be called after
/// appendDescriptors. False: an expression is too long for a plan.
bool appendCluster(tz::plugin::KernelDescription &info, unsigned blocks,
                   const FrameLimits &limits);

/// For a kernel so many of whose blocks share each program, if it is more than
/// one: launches as many for each.
void appendProgramBlocks(tz::plugin::KernelDescription &info, unsigned blocks);

} // namespace tz::simt

#endif // TERRAZZO_SIMT_LAUNCHPLAN_H
