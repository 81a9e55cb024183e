//===- Expressions.cpp - random expressions of a given type ---------------===//
//
// What   For an element type and a shape, the ways the language has to make a
//        value of it; one is picked at random, its operands are made likewise.
// Why    Going from the type to the expression, every kernel is valid; where
//        the language would give another type (sums widen, maximum of bf16 is
//        fp32), a cast follows.
//
// Left out, because targets may rightly differ: bits of a computed NaN, the
// sign of a zero that decides about infinities, division by zero.
//===----------------------------------------------------------------------===//
#include "core/conformance/random/Generator.h"

namespace tz::conformance::random {

static constexpr Elt SignedElts[] = {Elt::I8, Elt::I16, Elt::I32, Elt::I64};
static constexpr Elt WholeElts[] = {Elt::I8,  Elt::I16, Elt::I32, Elt::I64,
                                    Elt::U8,  Elt::U16, Elt::U32, Elt::U64,
                                    Elt::I32, Elt::I32};
static constexpr Elt FloatElts[] = {Elt::F16, Elt::BF16, Elt::F32,
                                    Elt::F32, Elt::F32,  Elt::F64};

Expr Generator::Choices::pick(Random &random) const {
  int at = random.between(0, total - 1);
  for (const auto &[weight, make] : list) {
    at -= weight;
    if (at < 0) {
      return make();
    }
  }
  return list.back().second();
}

Elt Generator::element(bool withSmall) {
  int kind = random.between(0, withSmall ? 21 : 17);
  return kind < 9    ? random.pick(WholeElts)
         : kind < 18 ? random.pick(FloatElts)
         : kind < 20 ? Elt::I1
         : kind < 21 ? Elt::F8E4M3FN
                     : Elt::F8E5M2;
}

std::string Generator::literal(Elt elt) {
  if (elt == Elt::I1) {
    return random.oneIn(2) ? "True" : "False";
  }
  if (isFloat(elt)) {
    static constexpr const char *values[] = {"0.5", "1.0", "2.0",   "-1.5",
                                             "3.0", "0.0", "-0.25", "7.0"};
    return random.pick(values);
  }
  int value = random.between(0, 9);
  return std::to_string(factsOf(elt).isSigned && random.oneIn(3) ? -value
                                                                 : value);
}

Expr Generator::make(const Type &type, std::string pattern,
                     const std::vector<Type> &kids, bool isExact, int depth,
                     std::vector<Dim> dims) {
  Expr expr;
  expr.type = type;
  expr.isExact = isExact;
  expr.pattern = std::move(pattern);
  expr.dims = std::move(dims);
  for (const Type &kid : kids) {
    expr.kids.push_back(expression(kid, isExact, depth - 1));
  }
  return expr;
}

Expr Generator::constant(const Type &type) {
  std::string list;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    list += "#" + std::to_string(i) + ", ";
  }
  return make(type,
              "tl.full((" + list + "), " + literal(type.elt) + ", " +
                  tl(type.elt) + ")",
              {}, true, 0, type.shape);
}

Expr Generator::load(const Type &type) {
  Expr expr;
  expr.kind = Expr::Load;
  expr.type = type;
  Access &access = expr.access;
  size_t rank = type.shape.size();
  // Outputs that this program has written or not: program order (P10).
  std::vector<unsigned> outputs;
  for (unsigned i = 0; i < kernel.buffers.size(); ++i) {
    if (kernel.buffers[i].role == Buffer::Output &&
        kernel.buffers[i].elt == type.elt) {
      outputs.push_back(i);
    }
  }
  int form = random.between(0, 13);
  if (form == 0 && !outputs.empty()) {
    access.buffer = random.pick(outputs);
    static constexpr Access::Form forms[] = {Access::Linear, Access::Reversed,
                                             Access::Xored};
    access.form = rank ? random.pick(forms) : Access::Linear;
    expr.isExact = !isFloat(type.elt); // sums may have been written there
    return expr;
  }
  access.buffer = buffer(Buffer::Input, type.elt, false);
  access.followsPid = !random.oneIn(6);
  if (!counters.empty() && random.oneIn(2)) {
    access.loop = int(random.pick(counters));
  }
  access.hasTail = random.oneIn(3);
  access.flavour = uint8_t(random.oneIn(3) ? random.between(0, 3) : 0);
  bool canView = (rank == 1 || rank == 2) && type.elt != Elt::I1;
  if (form <= 2 && canView) {
    access.form = Access::BlockPointer;
    access.isTransposed = random.oneIn(3);
    return expr;
  }
  if (form == 3 && canView && kernel.log2(type.shape.back()) >= 4) {
    access.form = Access::Descriptor;
    return expr;
  }
  if (form == 4 && rank > 0) {
    access.form = Access::Indexed;
    access.followsPid = access.hasTail = false;
    expr.kids.push_back(expression(withElt(type, Elt::I32), true, 2));
  } else if (form == 5) {
    access.form = Access::Reversed;
  } else if (form <= 7 && rank == 2) {
    access.form = Access::Strided;
  } else if (form == 8 && rank > 0 && kernel.log2(type.shape) <= 8) {
    access.form = Access::Wrapped;
    access.hasTail = false;
  } else if (form <= 10 && rank == 2) {
    access.form = Access::Bounded;
    access.hasTail = true;
  }
  if (random.oneIn(5)) {
    access.hasMask = true;
    expr.kids.push_back(expression(withElt(type, Elt::I1), true, 2));
    // A condition may be a comparison of sums: cut their chain (P26).
    Expr &mask = expr.kids.back();
    Expr cut;
    cut.type = mask.type;
    cut.pattern = "($0).to(tl.int32) * 3 % 2 == 1";
    cut.kids.push_back(std::move(mask));
    mask = std::move(cut);
  }
  if ((access.hasMask || access.hasTail) && random.oneIn(2)) {
    access.hasOther = true;
    if (random.oneIn(2)) {
      expr.kids.push_back(constant(type));
    } else {
      Expr other;
      other.type = {type.elt, {}};
      other.pattern = literal(type.elt);
      expr.kids.push_back(std::move(other));
    }
  }
  return expr;
}

Expr Generator::leaf(const Type &type, bool isExact) {
  Choices choices;
  std::vector<unsigned> fitting;
  for (unsigned one : scope) {
    const Variable &variable = kernel.variables[one];
    if (variable.type == type && (variable.isExact || !isExact) &&
        !variable.isCounter) {
      fitting.push_back(one);
    }
  }
  auto named = [&, fitting] {
    Expr expr;
    expr.kind = Expr::Variable;
    expr.type = type;
    expr.variable = random.pick(fitting);
    expr.isExact = kernel.variables[expr.variable].isExact;
    return expr;
  };
  if (!fitting.empty()) {
    choices.add(isInFunction ? 20 : 8, named);
  }
  choices.add(2, [&] { return constant(type); });
  size_t rank = type.shape.size();
  if (!isInFunction) {
    choices.add(6, [&] {
      Expr expr = load(type);
      return expr.isExact || !isExact ? expr : constant(type);
    });
    if (rank == 0 && type.elt == Elt::I32) {
      choices.add(4, [&] {
        static constexpr const char *names[] = {"pid", "number", "(pid + 3)"};
        return make(type, random.pick(names), {}, true, 0);
      });
      if (!counters.empty()) {
        choices.add(4, [&] {
          // A counter may be a constexpr: the sum is none.
          Expr counter;
          counter.kind = Expr::Variable;
          counter.type = type;
          counter.variable = random.pick(counters);
          Expr sum = make(type, "(pid + $0)", {}, true, 0);
          sum.kids.push_back(std::move(counter));
          return sum;
        });
      }
    }
  }
  bool canCount = type.elt != Elt::I1 && !isFp8(type.elt);
  if (rank == 1 && canCount) {
    choices.add(2, [&] {
      return make(type,
                  "(tl.arange(0, #0) * " +
                      std::to_string(random.between(1, 5)) + " - " +
                      std::to_string(random.between(0, 9)) + ").to(" +
                      tl(type.elt) + ")",
                  {}, true, 0, type.shape);
    });
  }
  if (rank == 2 && canCount) {
    choices.add(2, [&] {
      return make(type,
                  "(tl.arange(0, #0)[:, None] * " +
                      std::to_string(random.between(1, 5)) +
                      " - tl.arange(0, #1)[None, :]).to(" + tl(type.elt) + ")",
                  {}, true, 0, type.shape);
    });
  }
  return choices.pick(random);
}

Expr Generator::cast(const Type &type, bool isExact, int depth) {
  Elt from = element(true);
  if (from == type.elt) {
    from = isFloat(type.elt) ? Elt::I32 : Elt::F32;
  }
  if (type.elt == Elt::I1) {
    return make(type, "($0 != 0)",
                {withElt(type, isFp8(from) ? Elt::F16 : from)}, isExact, depth);
  }
  // What is discrete hangs on its operand.
  bool isDiscrete = !isFloat(type.elt) && isFloat(from);
  std::string more;
  if (isFloat(type.elt) && isFloat(from) && !isFp8(from) && !isFp8(type.elt) &&
      factsOf(from).bits > factsOf(type.elt).bits && from != Elt::F64 &&
      random.oneIn(4)) {
    more = ", fp_downcast_rounding=\"rtz\"";
  }
  return make(type, "$0.to(" + tl(type.elt) + more + ")", {withElt(type, from)},
              isExact || isDiscrete, depth);
}

void Generator::addInteger(Choices &choices, const Type &type, bool isExact,
                           int depth) {
  auto binary = [&, isExact, depth](int weight, std::string pattern) {
    choices.add(weight, [=, this] {
      return make(type, pattern, {type, type}, isExact, depth);
    });
  };
  static constexpr const char *operators[] = {"+", "-", "*", "&", "|", "^"};
  binary(10, std::string("($0 ") + random.pick(operators) + " $1)");
  binary(2, "tl.maximum($0, $1)");
  binary(2, "tl.minimum($0, $1)");
  binary(2, "($0 << ($1 & " + std::string(random.oneIn(2) ? "7" : "67") + "))");
  binary(2, "($0 >> ($1 & " + std::string(random.oneIn(2) ? "7" : "67") + "))");
  binary(2, "($0 // (($1 & 15) + 1))");
  binary(2, "($0 % (($1 & 31) + 3))");
  // Beyond the width (P6).
  binary(1, random.oneIn(2) ? "($0 << $1)" : "($0 >> $1)");
  if (!type.shape.empty()) {
    binary(1, "tl.map_elementwise(map_pick, $0, $1)");
  }
  choices.add(4, [=, this] {
    static constexpr const char *forms[] = {"($0 + ", "($0 * ", "($0 - ",
                                            "($0 ^ ", "($0 & "};
    return make(type, random.pick(forms) + literal(type.elt) + ")", {type},
                isExact, depth);
  });
  if (factsOf(type.elt).isSigned) {
    choices.add(1, [=, this] {
      return make(type, random.oneIn(2) ? "(-$0)" : "tl.abs($0)", {type},
                  isExact, depth);
    });
    binary(1, "($0 // (($1 & 7) - 9))");
  }
  choices.add(
      1, [=, this] { return make(type, "(~$0)", {type}, isExact, depth); });
  if (type.elt == Elt::U32 || type.elt == Elt::U64) {
    binary(2, "tl.umulhi($0, $1)");
  }
  if (type.elt == Elt::I32) {
    binary(1, "tl.cdiv($0, ($1 & 7) + 1)");
    choices.add(1, [=, this] {
      static constexpr const char *counts[] = {"libdevice.popc",
                                               "libdevice.clz"};
      return make(type, random.pick(counts) + std::string("($0)"), {type},
                  isExact, depth);
    });
    choices.add(1, [=, this] {
      return make(type,
                  "tl.randint(" + std::to_string(random.between(0, 99)) +
                      ", $0).to(tl.int32)",
                  {type}, true, depth);
    });
  }
  choices.add(2, [=, this] {
    Elt other = random.pick(SignedElts);
    if (!factsOf(type.elt).isSigned) {
      other = Elt::U16;
    }
    static constexpr const char *forms[] = {"+", "*", "-", "&"};
    return make(type,
                "($0 " + std::string(random.pick(forms)) + " $1).to(" +
                    tl(type.elt) + ")",
                {withElt(type, other), type}, isExact, depth);
  });
}

void Generator::addBool(Choices &choices, const Type &type, bool isExact,
                        int depth) {
  choices.add(10, [=, this] {
    static constexpr const char *forms[] = {"<", "<=", ">", ">=", "==", "!="};
    Type of = withElt(type, element(false));
    return make(type, "($0 " + std::string(random.pick(forms)) + " $1)",
                {of, of}, isExact, depth);
  });
  choices.add(3, [=, this] {
    static constexpr const char *forms[] = {"&", "|", "^"};
    return make(type, "($0 " + std::string(random.pick(forms)) + " $1)",
                {type, type}, isExact, depth);
  });
  choices.add(
      1, [=, this] { return make(type, "(~$0)", {type}, isExact, depth); });
}

void Generator::addFloat(Choices &choices, const Type &type, bool isExact,
                         int depth) {
  std::string back = ".to(" + tl(type.elt) + ")";
  if (isFp8(type.elt)) {
    return;
  }
  auto add = [&, depth](int weight, std::string pattern, size_t kids,
                        bool exactly) {
    choices.add(weight, [=, this] {
      return make(type, pattern, std::vector<Type>(kids, type), exactly, depth);
    });
  };
  add(2, "tl.abs($0)", 1, isExact);
  add(2, "(-$0)", 1, isExact);
  add(2, "tl.maximum($0, $1)" + back, 2, isExact);
  add(2, "tl.minimum($0, $1)" + back, 2, isExact);
  add(1, "tl.maximum($0, $1, propagate_nan=tl.PropagateNan.ALL)" + back, 2,
      isExact);
  bool isWide = type.elt == Elt::F32 || type.elt == Elt::F64;
  if (isExact) {
    if (isWide) {
      add(3, "tl.fma($0, $1, $2)", 3, true);
      add(2, "tl.floor($0)", 1, true);
      add(1, "tl.ceil($0)", 1, true);
    }
    return;
  }
  static constexpr const char *operators[] = {"+", "-", "*"};
  add(12, std::string("($0 ") + random.pick(operators) + " $1)", 2, false);
  add(4,
      std::string("($0 ") + random.pick(operators) + " " + literal(type.elt) +
          ")",
      1, false);
  add(2, "($0 / (tl.abs($1) + 1.0))" + back, 2, false);
  if (!isWide) {
    return;
  }
  add(2, "tl.fma($0, $1, $2)", 3, false);
  add(2, "tl.clamp($0, -2.0, 3.0)", 1, false);
  add(1, "tl.clamp($0, tl.minimum($1, $2), tl.maximum($1, $2))", 3, false);
  static constexpr const char *functions[] = {"tl.exp(tl.minimum($0, 4.0))",
                                              "tl.exp2(tl.minimum($0, 6.0))",
                                              "tl.log(tl.abs($0) + 0.125)",
                                              "tl.log2(tl.abs($0) + 0.5)",
                                              "tl.sin($0)",
                                              "tl.cos($0)",
                                              "tl.sqrt(tl.abs($0))",
                                              "tl.sqrt_rn(tl.abs($0))",
                                              "tl.rsqrt(tl.abs($0) + 1.0)",
                                              "tl.erf($0)",
                                              "tl.sigmoid($0)",
                                              "tl.math.tanh($0)",
                                              "libdevice.log1p(tl.abs($0))",
                                              "libdevice.atan($0)",
                                              "libdevice.cbrt($0)"};
  add(4, random.pick(functions) + (type.elt == Elt::F64 ? back : ""), 1, false);
  if (type.elt == Elt::F32) {
    add(1, "tl.div_rn($0, tl.abs($1) + 2.0)", 2, false);
    choices.add(1, [=, this] {
      return make(type,
                  "tl.rand(" + std::to_string(random.between(0, 99)) + ", $0)",
                  {withElt(type, Elt::I32)}, true, depth);
    });
    if (!type.shape.empty() && type.shape.size() < 3) {
      add(1, "tl.softmax($0)", 1, false);
    }
    choices.add(1, [=, this] {
      return make(type,
                  "tl.randn(" + std::to_string(random.between(0, 99)) + ", $0)",
                  {withElt(type, Elt::I32)}, false, depth);
    });
  }
}

void Generator::addAny(Choices &choices, const Type &type, bool isExact,
                       int depth) {
  choices.add(4, [=, this] {
    bool isScalar = random.oneIn(5);
    Expr expr = make(type, "tl.where($0, $1, $2)", {}, isExact, depth);
    expr.kids.push_back(expression({Elt::I1, isScalar ? Shape() : type.shape},
                                   isExact || !random.oneIn(4), depth - 1));
    expr.kids.push_back(expression(type, isExact, depth - 1));
    expr.kids.push_back(expression(type, isExact, depth - 1));
    return expr;
  });
  choices.add(type.elt == Elt::I1 ? 2
              : isFp8(type.elt)   ? 10
                                  : 6,
              [=, this] { return cast(type, isExact, depth); });
  if (!isInFunction && kernel.functions.size() < 3) {
    choices.add(3, [=, this] { return call(type, isExact, depth); });
  }
  choices.add(1, [=, this] {
    int which = random.between(0, 1);
    return make(type, "($0, $1)[" + std::to_string(which) + "]", {type, type},
                isExact, depth);
  });
  if (type.shape.empty()) {
    choices.add(4, [=, this] {
      Expr expr = make(type, "($1 if $0 else $2)", {}, isExact, depth);
      expr.kids.push_back(condition(depth - 1));
      expr.kids.push_back(expression(type, isExact, depth - 1));
      expr.kids.push_back(expression(type, isExact, depth - 1));
      return expr;
    });
  }
  if (!isInFunction && type.elt != Elt::I1) {
    static constexpr Elt same8[] = {Elt::I8, Elt::U8, Elt::F8E4M3FN,
                                    Elt::F8E5M2};
    static constexpr Elt same16[] = {Elt::I16, Elt::U16, Elt::F16, Elt::BF16};
    static constexpr Elt same32[] = {Elt::I32, Elt::U32, Elt::F32, Elt::F32};
    static constexpr Elt same64[] = {Elt::I64, Elt::U64, Elt::F64, Elt::F64};
    unsigned width = factsOf(type.elt).bits;
    const auto &list = width == 8    ? same8
                       : width == 16 ? same16
                       : width == 32 ? same32
                                     : same64;
    Elt from = random.pick(list);
    choices.add(2, [=, this] {
      Expr expr = make(type, "$0.to(" + tl(type.elt) + ", bitcast=True)", {},
                       true, depth);
      Expr kid = load(withElt(type, from));
      if (!kid.isExact) { // the bits of a computed NaN are anybody's
        kid = constant(kid.type);
      }
      expr.kids.push_back(std::move(kid));
      return expr;
    });
  }
}

Expr Generator::call(const Type &type, bool isExact, int depth) {
  size_t index = kernel.functions.size();
  kernel.functions.emplace_back();
  std::vector<Type> types{type};
  if (random.oneIn(2)) {
    types.push_back(withElt(type, element(false)));
  }
  size_t resultCount = random.oneIn(3) ? 2 : 1;
  size_t wanted = size_t(random.between(0, int(resultCount) - 1));
  std::string list;
  for (size_t i = 0; i < types.size(); ++i) {
    list += (i ? ", $" : "$") + std::to_string(i);
  }
  Expr expr =
      make(type,
           "function" + std::to_string(index) + "(" + list + ")" +
               (resultCount > 1 ? "[" + std::to_string(wanted) + "]" : ""),
           types, isExact, depth);
  Function function;
  std::vector<unsigned> outside = std::move(scope);
  scope.clear();
  isInFunction = true;
  for (const Type &one : types) {
    unsigned parameter = variable(one, isExact);
    function.parameters.push_back(parameter);
    scope.push_back(parameter);
  }
  for (size_t i = 0; i < resultCount; ++i) {
    function.results.push_back(
        expression(i == wanted ? type : withElt(type, Elt::I32), isExact, 3));
  }
  isInFunction = false;
  scope = std::move(outside);
  kernel.functions[index] = std::move(function);
  return expr;
}

Expr Generator::condition(int depth) {
  if (!isInFunction && random.oneIn(5)) {
    return make({Elt::I1, {}}, "(pid % 2 == 0)", {}, true, depth);
  }
  return make({Elt::I1, {}}, random.oneIn(2) ? "($0 > $1)" : "($0 != $1)",
              {{Elt::I32, {}}, {Elt::I32, {}}}, true, depth);
}

Expr Generator::expression(const Type &type, bool isExact, int depth) {
  isExact |= isInt(type.elt); // K4
  --budget;
  if (depth <= 0 || budget <= 0 || random.oneIn(9)) {
    return leaf(type, isExact);
  }
  Choices choices;
  choices.add(2, [=, this] { return leaf(type, isExact); });
  if (type.elt == Elt::I1) {
    addBool(choices, type, isExact, depth);
  } else if (isFloat(type.elt)) {
    addFloat(choices, type, isExact, depth);
  } else {
    addInteger(choices, type, isExact, depth);
  }
  addAny(choices, type, isExact, depth);
  addMoves(choices, type, isExact, depth);
  addCombines(choices, type, isExact, depth);
  if (!isExact || !isFloat(type.elt)) {
    addDot(choices, type, depth);
  }
  return choices.pick(random);
}

} // namespace tz::conformance::random
