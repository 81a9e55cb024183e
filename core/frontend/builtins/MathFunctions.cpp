//===- MathFunctions.cpp - elementwise functions of tl, tl.math, libdevice ===//
//
// What   Names of elementwise functions and the operations that they mean.
// Why    Three modules share most of them: one list, bound three times.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/builtins/TileCall.h"

using namespace llvm;

namespace tz::frontend {

using tile::MathFn;

static Value logical(TileCall &c, bool isAnd) {
  Operand a = c.operand(0), b = c.operand(1);
  return c.valid ? c.result(c.emit.logical(isAnd, a, b, c.loc())) : Value();
}

static Value extremum(TileCall &c, bool isMax) {
  Operand a = c.operand(0), b = c.operand(1);
  bool propagate = c.boolean(2);
  return c.valid ? c.result(c.emit.extremum(isMax, a, b, propagate, c.loc()))
                 : Value();
}

template <BinaryFn fn>
static Value arithmetic(TileCall &c) {
  Operand a = c.operand(0), b = c.operand(1);
  bool checks = c.boolean(2), before = c.emit.sanitizeOverflow;
  c.emit.sanitizeOverflow = before && checks;
  Value result = c.valid ? c.result(c.emit.binary(fn, a, b, c.loc())) : Value();
  c.emit.sanitizeOverflow = before;
  return result;
}

template <bool rn>
static Value divide(TileCall &c) {
  Operand a = c.operand(0), b = c.operand(1);
  bool exact = rn || (c.call.values.size() > 2 && c.boolean(2));
  return c.valid ? c.result(c.emit.fdiv(a, b, exact, c.loc())) : Value();
}

static Value power(TileCall &c) {
  Operand a = c.operand(0), b = c.operand(1);
  return c.valid ? c.result(c.emit.pow(a, b, c.loc())) : Value();
}

/// A named function of one float, as tl.NAME, tl.math.NAME and libdevice.NAME.
static void bindUnary(Registry &r, StringRef name, MathFn fn, bool inLanguage,
                      bool asMethod) {
  auto run = [fn](BuiltinCall &call) {
    TileCall c(call);
    Operand x = c.operand(0);
    return c.valid ? c.result(c.emit.math(fn, x, call.builtin.name, call.loc))
                   : Value();
  };
  if (inLanguage) {
    r.add("triton.language", name, "x", run);
  }
  r.add("triton.language.math", name, "x", run);
  r.add("triton.language.extra.libdevice", name, "x", run);
  if (asMethod) {
    r.addMethod(ValueKind::Tile, name, "", run);
  }
}

static void bindUnaryFunctions(Registry &r) {
  struct Row {
    const char *name;
    MathFn fn;
    bool inLanguage, asMethod;
  };
  const Row rows[] = {
      {"exp", MathFn::exp, true, true},
      {"exp2", MathFn::exp2, true, true},
      {"log", MathFn::log, true, true},
      {"log2", MathFn::log2, true, true},
      {"sin", MathFn::sin, true, true},
      {"cos", MathFn::cos, true, true},
      {"sqrt", MathFn::sqrt, true, true},
      {"sqrt_rn", MathFn::sqrt_rn, true, true},
      {"rsqrt", MathFn::rsqrt, true, true},
      {"erf", MathFn::erf, true, true},
      {"floor", MathFn::floor, true, true},
      {"ceil", MathFn::ceil, true, true},
      {"tan", MathFn::tan, false, false},
      {"tanh", MathFn::tanh, false, false},
      {"trunc", MathFn::trunc, false, false},
      {"rint", MathFn::rint, false, false},
      {"nearbyint", MathFn::rint, false, false},
      {"log1p", MathFn::log1p, false, false},
      {"expm1", MathFn::expm1, false, false},
      {"fast_expf", MathFn::exp, false, false},
      {"fast_logf", MathFn::log, false, false},
      {"fast_log2f", MathFn::log2, false, false},
      {"fast_tanf", MathFn::tan, false, false},
      {"fast_sinf", MathFn::sin, false, false},
      {"fast_cosf", MathFn::cos, false, false},
      {"fast_tanhf", MathFn::tanh, false, false},
  };
  for (const Row &row : rows) {
    bindUnary(r, row.name, row.fn, row.inLanguage, row.asMethod);
  }
}

/// isnan, isinf, finitef: comparisons, no functions of their own.
static void bindTests(Registry &r) {
  auto add = [&](StringRef name, BuiltinFn run) {
    r.add("triton.language.extra.libdevice", name, "x", std::move(run));
  };
  // Where it was before Triton 3, too.
  auto addOlder = [&](StringRef name, const BuiltinFn &run) {
    r.add("triton.language.math", name, "x", run);
    add(name, run);
  };
  auto isNan = [](BuiltinCall &call) {
    TileCall c(call);
    TileValue x = c.tile(0);
    return c.valid ? c.result(c.emit.compare(CompareFn::Ne, x, x, c.loc()))
                   : Value();
  };
  addOlder("isnan", isNan);
  auto magnitude = [](BuiltinCall &call, CompareFn fn) {
    TileCall c(call);
    Operand x = c.operand(0);
    OptionalTile size = c.valid ? c.emit.abs(x, c.loc()) : OptionalTile();
    return size ? c.result(c.emit.compare(
                      fn, *size,
                      Operand(Literal(std::numeric_limits<double>::infinity())),
                      c.loc()))
                : Value();
  };
  addOlder("isinf", [magnitude](BuiltinCall &call) {
    return magnitude(call, CompareFn::Eq);
  });
  for (const char *name : {"finitef", "isfinited"}) {
    addOlder(name, [magnitude](BuiltinCall &call) {
      return magnitude(call, CompareFn::Lt);
    });
  }
}

void bindMathFunctions(Registry &r) {
  TileBinder t{r};
  bindUnaryFunctions(r);
  bindTests(r);
  bindLibdevice(r);
  t.function(
      "abs", "x",
      [](TileCall &c) {
        Operand x = c.operand(0);
        return c.valid ? c.result(c.emit.abs(x, c.loc())) : Value();
      },
      true);
  t.function("where", "condition, x, y", [](TileCall &c) {
    Operand condition = c.operand(0), x = c.operand(1), y = c.operand(2);
    return c.valid ? c.result(c.emit.where(condition, x, y, c.loc())) : Value();
  });
  const char *nan = "x, y, propagate_nan=0";
  t.function("maximum", nan, [](TileCall &c) { return extremum(c, true); });
  t.function("minimum", nan, [](TileCall &c) { return extremum(c, false); });
  t.function("clamp", "x, min, max, propagate_nan=0", [](TileCall &c) {
    Operand x = c.operand(0), low = c.operand(1), high = c.operand(2);
    bool propagate = c.boolean(3);
    return c.valid ? c.result(c.emit.clamp(x, low, high, propagate, c.loc()))
                   : Value();
  });
  t.function("fma", "x, y, z", [](TileCall &c) {
    Operand x = c.operand(0), y = c.operand(1), z = c.operand(2);
    return c.valid ? c.result(c.emit.fma(x, y, z, c.loc())) : Value();
  });
  t.function("umulhi", "x, y", [](TileCall &c) {
    Operand x = c.operand(0), y = c.operand(1);
    return c.valid ? c.result(c.emit.umulhi(x, y, c.loc())) : Value();
  });
  t.function("fdiv", "x, y, ieee_rounding=False", divide<false>);
  t.function("div_rn", "x, y", divide<true>);
  const char *checked = "x, y, sanitize_overflow=True";
  t.function("add", checked, arithmetic<BinaryFn::Add>);
  t.function("sub", checked, arithmetic<BinaryFn::Sub>);
  t.function("mul", checked, arithmetic<BinaryFn::Mul>);
  t.method("logical_and", "other",
           [](TileCall &c) { return logical(c, true); });
  t.method("logical_or", "other",
           [](TileCall &c) { return logical(c, false); });
  auto copy = [&](StringRef name) {
    Binding binding = r.makeModule("triton.language")->members[name];
    r.set("triton.language.math", name, binding.value);
    r.set("triton.language.extra.libdevice", name, binding.value);
  };
  for (const char *name : {"umulhi", "fdiv", "div_rn", "clamp"}) {
    r.set("triton.language.math", name,
          r.makeModule("triton.language")->members[name].value);
  }
  r.add("triton.language.extra.libdevice", "clz", "arg0",
        [](BuiltinCall &call) {
          TileCall c(call);
          Operand x = c.operand(0);
          return c.valid ? c.result(c.emit.leadingZeros(x, c.loc())) : Value();
        });
  copy("abs");
  copy("fma");
  auto pow = [](BuiltinCall &call) {
    TileCall c(call);
    return power(c);
  };
  for (const char *module :
       {"triton.language.math", "triton.language.extra.libdevice"}) {
    r.add(module, "pow", "x, y", pow);
    auto quotient = [](BuiltinCall &call) {
      TileCall c(call);
      return divide<false>(c);
    };
    r.add(module, "fast_dividef", "x, y", quotient);
    r.add(module, "fast_powf", "x, y", pow);
  }
}

} // namespace tz::frontend
