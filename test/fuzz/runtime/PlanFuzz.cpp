//===- PlanFuzz.cpp - any bytes as a launch plan --------------------------===//
//
// What   The bytes are steps; they are evaluated, checked and printed.
// Why    The evaluator is total: what is not well-formed has no value.
//===----------------------------------------------------------------------===//
#include "runtime/launch/PlanEvaluator.h"

#include <cstdlib>

using namespace tz::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Expr expr(std::min<size_t>(size / sizeof(tz_expr_step), 100));
  if (!expr.empty()) {
    std::memcpy(static_cast<void *>(expr.data()), data,
                expr.size() * sizeof(tz_expr_step));
  }
  std::array<ArgValue, 4> args{{{TZ_TYPE_PTR, 0x1000},
                                {TZ_TYPE_I32, uint64_t(-7)},
                                {TZ_TYPE_F32, 0},
                                {TZ_TYPE_U64, UINT64_MAX}}};
  PlanInputs inputs;
  inputs.args = args;
  inputs.grid = {INT32_MAX, 1, -1};
  inputs.device[TZ_DEV_COMPUTE_UNITS] = 132;
  std::optional<int64_t> value = evaluate(expr, inputs);
  if (value && !isWellFormed(expr)) {
    std::abort();
  }
  Variant variant;
  variant.guard = expr;
  bool holds = guardHolds(variant, inputs);
  if (holds != (expr.empty() || (value && *value != 0))) {
    std::abort();
  }
  (void)asksOccupancy(variant);
  (void)printExpr(expr);
  return 0;
}
