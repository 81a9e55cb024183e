//===- Combinations.cpp - random ops between elements ---------------------===//
//
// What   Expressions whose elements come from other places of their operands:
//        moves, reductions, scans, sorts, products.
// Why    See Expressions.cpp.
//===----------------------------------------------------------------------===//
#include "core/conformance/random/Generator.h"

namespace tz::conformance::random {

void Generator::addMoves(Choices &choices, const Type &type, bool isExact,
                         int depth) {
  const Shape &shape = type.shape;
  size_t rank = shape.size();
  if (rank == 0) {
    return;
  }
  auto dimsText = [](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      text += "#" + std::to_string(i) + ", ";
    }
    return "(" + text + ")";
  };
  auto from = [&](int weight, std::string pattern, Shape source,
                  std::vector<Dim> dims) {
    choices.add(weight, [=, this] {
      return make(type, pattern, {{type.elt, source}}, isExact, depth, dims);
    });
  };
  from(1,
       "tl.flip($0, " + std::to_string(random.between(0, int(rank) - 1)) + ")",
       shape, {});
  Shape backwards(shape.rbegin(), shape.rend());
  if (rank == 2) {
    from(2, random.oneIn(2) ? "tl.trans($0)" : "$0.T", backwards, {});
    from(1, "tl.reshape($0, " + dimsText(2) + ")", {shape[0] * shape[1]},
         shape);
    from(1, "tl.reshape($0, " + dimsText(2) + ")", backwards, shape);
    from(2, "tl.broadcast_to($0[:, None], " + dimsText(2) + ")", {shape[0]},
         shape);
    from(2, "tl.broadcast_to($0[None, :], " + dimsText(2) + ")", {shape[1]},
         shape);
    bool isNumber = type.elt != Elt::I1 && !isFp8(type.elt) &&
                    (!isExact || !isFloat(type.elt));
    if (isNumber) {
      static constexpr const char *operators[] = {"+", "-", "*"};
      std::string op = random.pick(operators);
      choices.add(3, [=, this] {
        return make(type, "($0[:, None] " + op + " $1[None, :])",
                    {{type.elt, {shape[0]}}, {type.elt, {shape[1]}}}, isExact,
                    depth);
      });
      choices.add(3, [=, this] {
        bool isRow = random.oneIn(2);
        return make(type,
                    "($0 " + op + (isRow ? " $1[None, :])" : " $1[:, None])"),
                    {type, {type.elt, {shape[isRow ? 1 : 0]}}}, isExact, depth);
      });
    }
  }
  if (rank == 3) {
    from(2, "tl.permute($0, (2, 0, 1))", {shape[1], shape[2], shape[0]}, {});
    from(1, "tl.permute($0, (1, 0, 2))", {shape[1], shape[0], shape[2]}, {});
    from(1, "tl.trans($0, (2, 1, 0))", backwards, {});
    from(2, "tl.reshape($0, " + dimsText(3) + ")",
         {shape[0] * shape[1], shape[2]}, shape);
    from(2, "tl.broadcast_to($0[:, None, :], " + dimsText(3) + ")",
         {shape[0], shape[2]}, shape);
  }
  if (rank == 1 && kernel.log2(shape[0]) >= 1) {
    from(1, "tl.reshape($0, " + dimsText(1) + ")",
         {scaled(shape[0], -1), scaled(Dim(), 1)}, shape);
    from(1, "tl.ravel($0)", {scaled(Dim(), 1), scaled(shape[0], -1)}, {});
  }
  Dim last = shape.back();
  Shape half = shape, twice = shape, pairs = shape;
  half.back() = scaled(last, -1);
  twice.back() = scaled(last, 1);
  pairs.push_back(scaled(Dim(), 1));
  if (kernel.log2(last) >= 1 && rank < 3) {
    auto two = [&](std::string pattern, std::vector<Dim> dims) {
      choices.add(1, [=, this] {
        return make(type, pattern, {{type.elt, half}, {type.elt, half}},
                    isExact, depth, dims);
      });
    };
    two("tl.interleave($0, $1)", {});
    two("tl.reshape(tl.join($0, $1), " + dimsText(rank) + ")", shape);
    if (rank == 1) {
      two("tl.cat($0, $1, can_reorder=True)", {});
    }
  }
  if (fits(twice) && rank < 3) {
    std::string part = random.oneIn(2) ? "[0]" : "[1]";
    from(1, "tl.split(tl.reshape($0, " + dimsText(rank + 1) + "))" + part,
         twice, pairs);
    if (!isFp8(type.elt) && fits(twice, 9) && type.elt != Elt::I1) {
      choices.add(1, [=, this] {
        return make(type, "tl.topk($0, #0)", {{type.elt, twice}}, true, depth,
                    {last});
      });
    }
  }
  size_t axis = size_t(random.between(0, int(rank) - 1));
  choices.add(2, [=, this] {
    Expr expr =
        make(type, "tl.gather($0, $1 & (#0 - 1), " + std::to_string(axis) + ")",
             {}, isExact, depth, {shape[axis]});
    expr.kids.push_back(expression(type, isExact, depth - 1));
    expr.kids.push_back(expression(withElt(type, Elt::I32), true, depth - 1));
    return expr;
  });
  if (!isFp8(type.elt) && type.elt != Elt::I1 && fits(shape, 9)) {
    choices.add(1, [=, this] {
      return make(type,
                  random.oneIn(2) ? "tl.sort($0)"
                                  : "tl.sort($0, descending=True)",
                  {type}, true, depth);
    });
  }
}

void Generator::addCombines(Choices &choices, const Type &type, bool isExact,
                            int depth) {
  if (isFp8(type.elt) || type.elt == Elt::I1) {
    return;
  }
  const Shape &shape = type.shape;
  size_t rank = shape.size();
  std::string back = ".to(" + tl(type.elt) + ")";
  bool isWhole = !isFloat(type.elt);
  // Reductions: one dimension more.
  if (rank < 3) {
    size_t axis = size_t(random.between(0, int(rank)));
    Shape source = shape;
    source.insert(source.begin() + ptrdiff_t(axis),
                  sizeDim(unsigned(random.between(0, SizeCount - 1))));
    std::string at = ", axis=" + std::to_string(axis) + ")";
    if (fits(source, 12)) {
      Type of{type.elt, source};
      auto reduce = [&](int weight, std::string pattern, bool exactly) {
        choices.add(weight, [=, this] {
          return make(type, pattern, {of}, exactly, depth);
        });
      };
      reduce(3, "tl.max($0" + at + back, isExact);
      reduce(3, "tl.min($0" + at + back, isExact);
      // combine_larger is no order of NaNs; maximum of bf16 is fp32.
      if (type.elt != Elt::BF16) {
        reduce(1,
               "tl.reduce($0, " + std::to_string(axis) +
                   (isWhole ? ", combine_larger)" : ", combine_maximum)"),
               isExact);
      }
      if (isWhole || !isExact) {
        reduce(5, "tl.sum($0" + at + back, isExact);
        reduce(2, "tl.reduce($0, " + std::to_string(axis) + ", combine_add)",
               isExact);
      }
      if (isWhole) {
        reduce(2, "tl.xor_sum($0" + at, isExact);
        Elt keys = random.oneIn(2) ? Elt::F32 : Elt::I16;
        auto arg = [&](std::string name) {
          choices.add(1, [=, this] {
            return make(type, "tl." + name + "($0" + at + back,
                        {{keys, source}}, true, depth);
          });
        };
        arg("argmax");
        arg("argmin");
        if (type.elt == Elt::I32) {
          std::string ends =
              at.substr(0, at.size() - 1) + ", return_indices=True)[1]";
          choices.add(1, [=, this] {
            return make(type,
                        (random.oneIn(2) ? "tl.max($0" : "tl.min($0") + ends,
                        {{keys, source}}, true, depth);
          });
        }
        reduce(1, "tl.reduce_or($0" + at, isExact);
        choices.add(1, [=, this] {
          return make(type,
                      "tl.reduce(($0, $1), " + std::to_string(axis) +
                          ", combine_best)[1]",
                      {{Elt::I32, source}, of}, true, depth);
        });
      }
    }
  }
  // Over everything, and with the dimension kept.
  if (rank == 0) {
    Type of{type.elt, {sizeDim(0), sizeDim(unsigned(random.between(1, 3)))}};
    if (fits(of.shape)) {
      static constexpr const char *names[] = {"max", "min", "sum", "xor_sum"};
      std::string name = names[random.between(0, isWhole   ? 3
                                                 : isExact ? 1
                                                           : 2)];
      choices.add(3, [=, this] {
        return make(type, "tl." + name + "($0)" + back, {of}, isExact, depth);
      });
    }
  } else if (isWhole || !isExact) {
    std::string axis = std::to_string(random.between(0, int(rank) - 1));
    std::string name = random.oneIn(2) ? "max" : "sum";
    choices.add(2, [=, this] {
      return make(type,
                  "($0 - tl." + name + "($1, axis=" + axis +
                      ", keep_dims=True))" + back,
                  {type, type}, isExact, depth);
    });
  }
  if (rank == 1 && isWhole) {
    bool isMasked = random.oneIn(2);
    std::vector<Type> kids{{Elt::I32, {sizeDim(0)}}};
    if (isMasked) {
      kids.push_back({Elt::I1, {sizeDim(0)}});
    }
    choices.add(1, [=, this] {
      return make(type,
                  std::string("tl.histogram($0, #0") +
                      (isMasked ? ", mask=$1)" : ")") + back,
                  kids, true, depth, {shape[0]});
    });
  }
  // Scans: the same shape.
  if (rank > 0) {
    size_t axis = size_t(random.between(0, int(rank) - 1));
    std::string at = ", " + std::to_string(axis);
    std::string way = random.oneIn(3) ? ", reverse=True)" : ")";
    auto scan = [&](int weight, std::string pattern, size_t kids) {
      choices.add(weight, [=, this] {
        return make(type, pattern, std::vector<Type>(kids, type), isExact,
                    depth);
      });
    };
    if (isWhole || !isExact) {
      scan(3, "tl.cumsum($0" + at + way + back, 1);
      scan(1, "tl.cumprod($0" + at + way + back, 1);
    }
    if (isWhole) {
      scan(1, "tl.associative_scan($0" + at + ", combine_larger" + way, 1);
    }
    scan(1, "tl.associative_scan($0" + at + ", combine_right" + way, 1);
    if (isWhole && factsOf(type.elt).bits >= 32) {
      scan(1,
           "tl.associative_scan(($0, $1)" + at + ", combine_affine" + way +
               "[1]",
           2);
    }
  }
}

void Generator::addDot(Choices &choices, const Type &type, int depth) {
  const Shape &shape = type.shape;
  size_t rank = shape.size();
  if (rank < 2 || isFp8(type.elt) || type.elt == Elt::I1) {
    return;
  }
  if (type.elt == Elt::F32 && rank == 2 &&
      std::max(kernel.log2(shape[0]), kernel.log2(shape[1])) <= 5) {
    choices.add(9, [=, this] { return scaledDot(type, depth); });
  }
  Shape left = shape, right = shape;
  Dim inner = sizeDim(unsigned(random.between(1, SizeCount - 1)));
  left.back() = right[rank - 2] = inner;
  if (!fits(left) || !fits(right) ||
      kernel.log2(shape) + kernel.log2(inner) > 16) {
    return;
  }
  Elt operand = Elt::I8;
  std::string more = ", out_dtype=tl.int32";
  if (isFloat(type.elt)) {
    static constexpr Elt operands[] = {Elt::F16, Elt::BF16, Elt::F32,
                                       Elt::F32, Elt::F64,  Elt::F8E5M2};
    operand = random.pick(operands);
    static constexpr const char *precisions[] = {
        "", ", input_precision=\"ieee\"", ", input_precision=\"tf32x3\""};
    more = operand == Elt::F64   ? ", out_dtype=tl.float64"
           : operand == Elt::F32 ? random.pick(precisions)
                                 : "";
  }
  Elt result = operand == Elt::I8    ? Elt::I32
               : operand == Elt::F64 ? Elt::F64
                                     : Elt::F32;
  bool hasAcc = random.oneIn(3);
  choices.add(rank == 2 ? 6 : 2, [=, this] {
    bool isExact = !isFloat(type.elt);
    Expr expr =
        make(type, "", {{operand, left}, {operand, right}}, isExact, depth);
    expr.pattern = "tl.dot($0, $1";
    if (hasAcc) {
      expr.pattern += ", acc=$2";
      expr.kids.push_back(
          expression(withElt(type, result), isExact, depth - 1));
    }
    expr.pattern += more + ").to(" + tl(type.elt) + ")";
    return expr;
  });
}

/// A block-scaled product; a scale for each 32 elements, or none.
Expr Generator::scaledDot(const Type &type, int depth) {
  static constexpr std::pair<Elt, const char *> formats[] = {
      {Elt::F8E4M3FN, "e4m3"}, {Elt::F8E5M2, "e5m2"}, {Elt::BF16, "bf16"}};
  const auto &[left, leftName] = random.pick(formats);
  const auto &[right, rightName] = random.pick(formats);
  Dim inner = scaled(Dim(), random.between(5, 6)), scales = scaled(inner, -5);
  const Dim &rows = type.shape[0], &columns = type.shape[1];
  static constexpr const char *scale = "(($# & 3) + 126).to(tl.uint8)";
  auto scaleOf = [&](char kid) {
    std::string text = random.oneIn(4) ? "None" : scale;
    if (size_t at = text.find('#'); at != std::string::npos) {
      text[at] = kid;
    }
    return text;
  };
  return make(type,
              "tl.dot_scaled($0, " + scaleOf('1') + ", \"" + leftName +
                  "\", $2, " + scaleOf('3') + ", \"" + rightName + "\")",
              {{left, {rows, inner}},
               {Elt::U8, {rows, scales}},
               {right, {inner, columns}},
               {Elt::U8, {columns, scales}}},
              false, depth);
}

} // namespace tz::conformance::random
