//===- LaunchPlan.h - what the host computes before a launch ----*- C++ -*-===//
//
// What   The frames of descriptors as expressions of the launch plan (R1), the
//        slots that they fill, and the guard under which the copy engine can
//        read them.
// Why    Every vendor with a copy engine needs them, and a frame that does not
//        hold what was assumed must lead to another variant.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_LAUNCHPLAN_H
#define TERRAZZO_SIMT_LAUNCHPLAN_H

#include "terrazzo/plugin/Artifact.h"
#include "terrazzo/simt/Simt.h"

namespace tz::simt {

/// An integer that simt.descriptor takes; none if it is not computed from the
/// kernel's arguments by what a plan can do.
std::optional<terrazzo::plugin::Expr> launchExpr(mlir::Value value);

/// Limits of a copy engine.
struct FrameLimits {
  int64_t baseAlignment = 16;   // bytes
  int64_t strideAlignment = 16; // bytes
  int64_t strideEnd = int64_t{1} << 40;
};

/// Appends a slot per descriptor, and to the guard what must hold. False: an
/// expression is too long for a plan, nothing was appended.
bool appendDescriptors(terrazzo::plugin::Kernel &info,
                       llvm::ArrayRef<DescriptorOp> descriptors,
                       const FrameLimits &limits);

} // namespace tz::simt

#endif // TERRAZZO_SIMT_LAUNCHPLAN_H
