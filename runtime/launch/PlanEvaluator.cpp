//===- PlanEvaluator.cpp - the launch plan's evaluator --------------------===//
//
// What   Steps push onto a stack of at most 64 values; every operation is
//        checked.
// Why    Overflow must make a guard false and not a number that looks right.
//===----------------------------------------------------------------------===//
#include "runtime/launch/PlanEvaluator.h"

#include <terrazzo/terrazzo.h>

#include <algorithm>

namespace tz::runtime {

uint32_t typeSize(uint32_t type) {
  if (type == TZ_TYPE_F8E4B15) {
    return 0; // of memory only: it has no values
  }
  switch (type) {
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least)       \
  case TZ_TYPE_##Id:                                                           \
    return (Bits + 7) / 8;
#include <terrazzo/ElementTypes.def>
  case TZ_TYPE_PTR:
    return 8;
  default:
    return 0;
  }
}

const char *typeName(uint32_t type) {
  switch (type) {
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction, Least)       \
  case TZ_TYPE_##Id:                                                           \
    return Name;
#include <terrazzo/ElementTypes.def>
  case TZ_TYPE_PTR:
    return "pointer";
  default:
    return "unknown";
  }
}

namespace {

/// How many values a step takes from the stack; all push one. -1: unknown.
int operands(uint32_t op) {
  if (op >= TZ_X_ARG && op <= TZ_X_OCCUPANCY) {
    return 0;
  }
  if (op >= TZ_X_ADD && op <= TZ_X_GE) {
    return 2;
  }
  return op == TZ_X_SELECT ? 3 : -1;
}

bool isInteger(uint32_t type) {
  return type == TZ_TYPE_PTR || (type >= TZ_TYPE_I1 && type <= TZ_TYPE_U64);
}

std::optional<int64_t> leaf(const tz_expr_step &step, const PlanInputs &in) {
  switch (step.op) {
  case TZ_X_CONST:
    return step.value;
  case TZ_X_ARG: {
    if (step.index >= in.args.size() || !isInteger(in.args[step.index].type)) {
      return std::nullopt;
    }
    const ArgValue &arg = in.args[step.index];
    // An unsigned 64-bit value that int64_t cannot hold is an overflow; an
    // address is bits, of which alignment is asked.
    if (arg.type == TZ_TYPE_U64 && arg.bits > uint64_t(INT64_MAX)) {
      return std::nullopt;
    }
    return int64_t(arg.bits);
  }
  case TZ_X_GRID:
    if (step.index < 3) {
      return in.grid[step.index];
    }
    return std::nullopt;
  case TZ_X_DEVICE:
    if (step.index < in.device.size() && in.device[step.index] >= 0) {
      return in.device[step.index];
    }
    return std::nullopt;
  case TZ_X_OCCUPANCY:
    if (in.occupancy >= 0) {
      return in.occupancy;
    }
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> binary(uint32_t op, int64_t a, int64_t b) {
  int64_t r = 0;
  switch (op) {
  case TZ_X_ADD:
    return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  case TZ_X_SUB:
    return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  case TZ_X_MUL:
    return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  case TZ_X_CEILDIV:
    if (b <= 0) {
      return std::nullopt;
    }
    return a / b + (a % b > 0);
  case TZ_X_REM:
    if (b <= 0) {
      return std::nullopt;
    }
    r = a % b;
    return r < 0 ? r + b : r;
  case TZ_X_MIN:
    return std::min(a, b);
  case TZ_X_MAX:
    return std::max(a, b);
  case TZ_X_AND:
    return a & b;
  case TZ_X_OR:
    return a | b;
  case TZ_X_EQ:
    return a == b;
  case TZ_X_NE:
    return a != b;
  case TZ_X_LT:
    return a < b;
  case TZ_X_LE:
    return a <= b;
  case TZ_X_GT:
    return a > b;
  case TZ_X_GE:
    return a >= b;
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<int64_t> evaluate(std::span<const tz_expr_step> expr,
                                const PlanInputs &inputs) {
  std::array<int64_t, TZ_EXPR_MAX_STEPS> stack;
  size_t depth = 0;
  if (expr.size() > TZ_EXPR_MAX_STEPS) {
    return std::nullopt;
  }
  for (const tz_expr_step &step : expr) {
    int taken = operands(step.op);
    if (taken < 0 || depth < size_t(taken)) {
      return std::nullopt;
    }
    std::optional<int64_t> value;
    if (taken == 0) {
      value = leaf(step, inputs);
    } else if (taken == 2) {
      value = binary(step.op, stack[depth - 2], stack[depth - 1]);
    } else {
      value = stack[depth - 3] ? stack[depth - 2] : stack[depth - 1];
    }
    if (!value) {
      return std::nullopt;
    }
    depth -= size_t(taken);
    stack[depth++] = *value;
  }
  return depth == 1 ? std::optional(stack[0]) : std::nullopt;
}

bool isWellFormed(const Expr &expr) {
  size_t depth = 0;
  if (expr.size() > TZ_EXPR_MAX_STEPS) {
    return false;
  }
  for (const tz_expr_step &step : expr) {
    int taken = operands(step.op);
    if (taken < 0 || depth < size_t(taken)) {
      return false;
    }
    depth += 1 - size_t(taken);
  }
  return depth == 1;
}

bool guardHolds(const Variant &variant, const PlanInputs &inputs) {
  if (variant.guard.empty()) {
    return true;
  }
  std::optional<int64_t> value = evaluate(variant.guard, inputs);
  return value && *value != 0;
}

static bool asks(const Expr &expr) {
  return std::any_of(expr.begin(), expr.end(), [](const tz_expr_step &s) {
    return s.op == TZ_X_OCCUPANCY;
  });
}

bool asksOccupancy(const Variant &v) {
  bool any = asks(v.guard) || asks(v.workspaceBytes);
  for (const Expr &e : v.grid) {
    any = any || asks(e);
  }
  for (const ArgInfo &arg : v.args) {
    any = any || asks(arg.view.byteOffset);
    for (const Expr &e : arg.view.dims) {
      any = any || asks(e);
    }
    for (const Expr &e : arg.view.strides) {
      any = any || asks(e);
    }
  }
  return any;
}

static std::string printLeaf(const tz_expr_step &step) {
  static const char *const device[] = {"?",
                                       "compute_units",
                                       "subgroup_size",
                                       "max_threads_per_block",
                                       "scratch_bytes",
                                       "l2_bytes",
                                       "total_memory"};
  switch (step.op) {
  case TZ_X_ARG:
    return "arg" + std::to_string(step.index);
  case TZ_X_CONST:
    return std::to_string(step.value);
  case TZ_X_GRID:
    return std::string("grid.") + (step.index < 3 ? "xyz"[step.index] : '?');
  case TZ_X_DEVICE:
    return std::string("device.") +
           device[step.index < std::size(device) ? step.index : 0];
  default:
    return "occupancy";
  }
}

std::string printExpr(const Expr &expr) {
  static const char *const signs[] = {
      "+", "-",  "*",  "ceildiv", "%",  "min", "max", "&",
      "|", "==", "!=", "<",       "<=", ">",   ">="};
  if (!isWellFormed(expr)) {
    return "<malformed>";
  }
  std::vector<std::string> stack;
  for (const tz_expr_step &step : expr) {
    int taken = operands(step.op);
    std::string text;
    size_t n = stack.size();
    if (taken == 0) {
      text = printLeaf(step);
    } else if (taken == 2) {
      text = "(" + stack[n - 2] + " " + signs[step.op - TZ_X_ADD] + " " +
             stack[n - 1] + ")";
    } else {
      text = "(" + stack[n - 3] + " ? " + stack[n - 2] + " : " + stack[n - 1] +
             ")";
    }
    stack.resize(n - size_t(taken));
    stack.push_back(std::move(text));
  }
  return stack.back();
}

} // namespace tz::runtime
