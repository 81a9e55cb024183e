//===- PlanEvaluator.h - the launch plan's evaluator ----------------------===//
//
// What   A postfix machine over int64_t for guards, grids, workspace sizes and
//        views.
// Why    One file decides what a plan means. It is total: any bytes give a
//        value or nothing, never a fault, so that plans may come from files.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LAUNCH_PLANEVALUATOR_H
#define TERRAZZO_RUNTIME_LAUNCH_PLANEVALUATOR_H

#include "runtime/launch/RuntimeArtifact.h"

#include <span>

namespace tz::runtime {

inline constexpr uint32_t MaxArgBytes = 64 * 1024;

/// Width of a TZ_TYPE_* in bytes, 0 if unknown.
uint32_t typeSize(uint32_t type);
/// "i32", "fp16", "pointer" ...
const char *typeName(uint32_t type);

/// A user argument as the evaluator and the packer see it: the value's bits,
/// sign- or zero-extended to 64 for integers.
struct ArgValue {
  uint32_t type; // TZ_TYPE_*; no initialisers: launches keep arrays of these
  uint64_t bits;
};

struct PlanInputs {
  std::span<const ArgValue> args;
  std::array<int64_t, 3> grid{};
  /// Indexed by TZ_DEV_*; element 0 is unused. Negative = unknown.
  std::array<int64_t, 7> device{-1, -1, -1, -1, -1, -1, -1};
  int64_t occupancy = -1; // negative = unknown
};

/// Nothing on overflow, bad divisor, unknown index or malformed text.
std::optional<int64_t> evaluate(std::span<const tz_expr_step> expr,
                                const PlanInputs &inputs);
/// Absent guard = true; failing guard = false.
bool guardHolds(const Variant &variant, const PlanInputs &inputs);
/// Does any expression of the variant ask for the occupancy?
bool asksOccupancy(const Variant &variant);
/// Readable form for `tz explain`: "arg0 % 16 == 0".
std::string printExpr(const Expr &expr);

} // namespace tz::runtime

#endif
