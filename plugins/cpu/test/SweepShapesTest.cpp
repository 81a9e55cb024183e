//===- SweepShapesTest.cpp - Ops that make, move and combine tiles --------===//
//
// What   Constants, broadcasts, reshapes, transposes, joins, gathers,
//        reductions, scans, histograms and dots on every type they take,
//        against the interpreter.
// Why    See SweepElementwiseTest.cpp.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"

#include "core/interpreter/Compare.h"
#include "plugins/cpu/test/Sweep.h"

using namespace tz::cpu::test;

namespace {

unsigned turn = 0;

std::vector<uint64_t> some(const std::string &type, const Shape &shape,
                           Values which = Values::Any) {
  return values(type, size_t(countOf(shape)), ++turn, which);
}

/// One input %a of `from`, one op, one output %r of `to`.
Case one(const std::string &name, const std::string &type, const Shape &from,
         const Shape &to, const std::string &op) {
  Case c(name + " " + tileType(from, type) + " -> " + tileType(to, type));
  c.in("a", type, from, some(type, from));
  c.body("%r = " + op + " : " + tileType(from, type) + " -> " +
         tileType(to, type));
  c.out("r", type, to);
  return c;
}

std::string list(const std::vector<size_t> &values) {
  std::string text;
  for (size_t value : values) {
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  }
  return text;
}

TEST(SweepShapes, Rearranging) {
  Tally tally("rearranging");
  for (const std::string &type : PlainTypes) {
    for (auto [from, to] : {std::pair<Shape, Shape>{{1, 48}, {5, 48}},
                            {{5, 1}, {5, 48}},
                            {{1, 1}, {3, 80}},
                            {{2, 1, 16}, {2, 3, 16}},
                            {{1, 3, 1}, {2, 3, 112}},
                            {{1}, {176}},
                            {{7}, {7}}}) {
      tally.add(one("broadcast", type, from, to, "tile.broadcast %a"));
    }
    for (auto [from, to] : {std::pair<Shape, Shape>{{48}, {1, 48}},
                            {{48}, {48, 1}},
                            {{6, 16}, {2, 3, 16}},
                            {{3, 80}, {240}},
                            {{5, 7}, {7, 5}},
                            {{2, 1, 112}, {2, 112}},
                            {{1}, {1, 1, 1}}}) {
      tally.add(one("reshape", type, from, to, "tile.reshape %a"));
    }
    for (const auto &[from, order] :
         {std::pair<Shape, std::vector<size_t>>{{5, 48}, {1, 0}},
          {{80, 3}, {1, 0}},
          {{64, 128}, {1, 0}},
          {{2, 3, 16}, {2, 0, 1}},
          {{2, 3, 16}, {0, 2, 1}},
          {{1, 176}, {1, 0}},
          {{4, 4, 5}, {2, 1, 0}}}) {
      Shape to;
      for (size_t d : order) {
        to.push_back(from[d]);
      }
      tally.add(one("transpose", type, from, to,
                    "tile.transpose %a [" + list(order) + "]"));
    }
    for (const Shape &shape : {Shape{}, {48}, {3, 7}, {2, 2, 112}, {256}}) {
      Shape pair = shape;
      pair.push_back(2);
      Case c("join and split " + tileType(shape, type));
      c.in("a", type, shape, some(type, shape));
      c.in("b", type, shape, some(type, shape));
      c.body("%j = tile.join %a, %b : " + tileType(shape, type) + " -> " +
             tileType(pair, type));
      c.body("%x, %y = tile.split %j : " + tileType(pair, type) + " -> " +
             tileType(shape, type));
      c.out("j", type, pair).out("y", type, shape).out("x", type, shape);
      tally.add(std::move(c));
      if (!shape.empty()) {
        Case s("splat " + tileType(shape, type));
        s.in("a", type, {}, some(type, {}));
        s.body("%r = tile.splat %a : " + type + " -> " + tileType(shape, type));
        s.out("r", type, shape);
        tally.add(std::move(s));
      }
    }
    for (auto [shape, dim] : {std::pair<Shape, size_t>{{5}, 0},
                              {{3, 48}, 0},
                              {{3, 48}, 1},
                              {{2, 3, 16}, 1}}) {
      Shape other = shape, both = shape;
      other[dim] = shape[dim] + 1;
      both[dim] += other[dim];
      Case c("cat along " + std::to_string(dim) + " " + tileType(shape, type));
      c.in("a", type, shape, some(type, shape));
      c.in("b", type, other, some(type, other));
      c.body("%r = tile.cat %a, %b dim " + std::to_string(dim) + " : " +
             tileType(shape, type) + ", " + tileType(other, type) + " -> " +
             tileType(both, type));
      c.out("r", type, both);
      tally.add(std::move(c));
    }
    unsigned which = 0;
    for (auto [shape, axis] : {std::pair<Shape, size_t>{{48}, 0},
                               {{5, 80}, 0},
                               {{5, 80}, 1},
                               {{2, 3, 16}, 1}}) {
      const std::string index = IntegerTypes[1 + which++];
      Shape picked = shape;
      picked[axis] = 7;
      Case c("gather along " + std::to_string(axis) + " of " +
             tileType(shape, type) + " by " + index);
      c.in("a", type, shape, some(type, shape));
      c.in("i", index, picked, some(index, picked, Values::Usual));
      c.body("%r = tile.gather %a[%i] axis " + std::to_string(axis) + " : " +
             tileType(shape, type) + ", " + tileType(picked, index) + " -> " +
             tileType(picked, type));
      c.out("r", type, picked);
      tally.add(std::move(c));
    }
  }
}

std::string literal(const std::string &type, int value) {
  if (type == "i1") {
    return value % 2 ? "true" : "false";
  }
  return std::to_string(value) +
         (IntegerTypes.size() && type[0] == 'i' ? "" : ".0");
}

TEST(SweepShapes, Constants) {
  Tally tally("constants");
  for (const std::string &type : PlainTypes) {
    Case scalar("constant " + type);
    scalar.body("%r = arith.constant " + literal(type, 3) +
                (type == "i1" ? "" : " : " + type));
    scalar.out("r", type, {});
    tally.add(std::move(scalar));
    for (const Shape &shape : {Shape{5}, {3, 16}, {2, 1, 7}}) {
      Case same("constant of one value " + tileType(shape, type));
      same.body("%r = arith.constant dense<" + literal(type, 1) +
                "> : " + tileType(shape, type));
      same.out("r", type, shape);
      tally.add(std::move(same));
      std::string elements;
      for (int64_t i = 0; i < countOf(shape); ++i) {
        elements += (i ? ", " : "") + literal(type, int(i % 8));
      }
      std::string flat = tileType({countOf(shape)}, type);
      Case many("constant of several values " + tileType(shape, type));
      many.body("%c = arith.constant dense<[" + elements + "]> : " + flat);
      many.body("%r = tile.reshape %c : " + flat + " -> " +
                tileType(shape, type));
      many.out("r", type, shape);
      tally.add(std::move(many));
    }
  }
  for (int start : {0, 5, -3}) {
    for (int count : {1, 7, 48, 176, 256}) {
      Case c("range");
      c.body("%r = tile.range " + std::to_string(start) + " to " +
             std::to_string(start + count) + " : " + tileType({count}, "i32"));
      c.out("r", "i32", {count});
      tally.add(std::move(c));
    }
  }
}

//===--- Combining --------------------------------------------------------===//

struct Combine {
  std::string name, text; ///< over %x and %y of type T
  bool floats, ints;
};

const std::vector<Combine> Combines = {
    {"addi", "arith.addi %x, %y : T", false, true},
    {"muli", "arith.muli %x, %y : T", false, true},
    {"andi", "arith.andi %x, %y : T", false, true},
    {"ori", "arith.ori %x, %y : T", false, true},
    {"xori", "arith.xori %x, %y : T", false, true},
    {"minsi", "tile.minsi %x, %y : T", false, true},
    {"maxui", "tile.maxui %x, %y : T", false, true},
    {"addf", "arith.addf %x, %y : T", true, false},
    {"mulf", "arith.mulf %x, %y : T", true, false},
    {"maxf", "tile.maxf %x, %y : T", true, false},
    {"minf nan", "tile.minf %x, %y propagate_nan : T", true, false},
};

std::string region(const Combine &combine, const std::string &type) {
  return " {\n  ^bb0(%x: T, %y: T):\n    %z = " + combine.text +
         "\n    tile.yield %z : T\n  }";
}

/// Values whose sums and products in any order stay well inside the type.
std::vector<uint64_t> tame(const std::string &type, const Shape &shape,
                           const std::string &combine) {
  if (IntegerTypes.size() && type[0] == 'i') {
    return some(type, shape);
  }
  std::vector<uint64_t> bits = some(type, shape, Values::Usual);
  const Kind kind = kindOf(type);
  for (uint64_t &value : bits) {
    double real = tz::interpreter::decodeFloat(kind, value);
    real = combine == "mulf" ? 1 + real / 64 : real / 4;
    value = tz::interpreter::encodeFloat(kind, real);
  }
  return bits;
}

TEST(SweepShapes, ReductionsAndScans) {
  Tally tally("reductions and scans");
  const std::vector<std::pair<Shape, size_t>> shapes = {
      {{48}, 0},     {{5}, 0},        {{3, 80}, 1},     {{3, 80}, 0},
      {{176}, 0},    {{2, 3, 16}, 1}, {{2, 2, 112}, 2}, {{1}, 0},
      {{4, 64}, 1},  {{256}, 0},      {{3, 2, 48}, 0},  {{5, 1}, 1},
      {{192, 3}, 0}, {{7, 33}, 1},    {{1024}, 0}};
  for (const std::string &type : PlainTypes) {
    const bool isFloat = type[0] != 'i';
    for (const Combine &combine : Combines) {
      if (isFloat ? !combine.floats : !combine.ints) {
        continue;
      }
      for (unsigned k = 0; k < 5; ++k) {
        auto [shape, axis] = shapes[turn++ % shapes.size()];
        Shape rest = shape;
        rest.erase(rest.begin() + static_cast<ptrdiff_t>(axis));
        std::string from = tileType(shape, type);
        std::string body = replaced(region(combine, type), "T", type);
        std::string along = " axis " + std::to_string(axis);
        // Where n roundings may add up to the sum itself there is no bound.
        const bool bounded =
            !isFloat ||
            double(shape[axis]) * tz::interpreter::ulpOf(kindOf(type), 1) < 1;
        if (k != 1 && bounded) {
          Case r("reduce " + combine.name + along + " " + from);
          r.in("a", type, shape, tame(type, shape, combine.name));
          r.body("%r = tile.reduce (%a)" + along + " : (" + from + ") -> " +
                 tileType(rest, type) + body);
          r.out("r", type, rest);
          tally.add(std::move(r));
        }
        if (k > 1 && bounded) {
          std::string order = k == 3 ? " reverse" : "";
          Case s("scan " + combine.name + along + order + " " + from);
          s.in("a", type, shape, tame(type, shape, combine.name));
          s.body("%r = tile.scan (%a)" + along + order + " : (" + from +
                 ") -> " + from + body);
          s.out("r", type, shape);
          tally.add(std::move(s));
        }
      }
    }
    // The place of the greatest, and a running pair.
    for (auto [shape, axis] : {std::pair<Shape, size_t>{{176}, 0},
                               {{5, 48}, 1},
                               {{5, 48}, 0},
                               {{7}, 0},
                               {{2, 3, 80}, 2}}) {
      if (type == "i1") {
        continue;
      }
      Shape rest = shape;
      rest.erase(rest.begin() + static_cast<ptrdiff_t>(axis));
      std::string values = tileType(shape, type),
                  places = tileType(shape, "i32");
      std::string greater = isFloat ? "arith.cmpf ogt" : "arith.cmpi sgt";
      std::string equal = isFloat ? "arith.cmpf oeq" : "arith.cmpi eq";
      std::string body =
          " {\n  ^bb0(%x: T, %i: i32, %y: T, %j: i32):\n    %gt = " + greater +
          ", %x, %y : T\n    %eq = " + equal +
          ", %x, %y : T\n    %lt = arith.cmpi slt, %i, %j : i32\n    %tie = "
          "arith.andi %eq, %lt : i1\n    %c = arith.ori %gt, %tie : i1\n    %v "
          "= arith.select %c, %x, %y : T\n    %p = arith.select %c, %i, %j : "
          "i32\n    tile.yield %v, %p : T, i32\n  }";
      body = replaced(body, "T", type);
      for (const char *op : {"reduce", "scan"}) {
        const bool scans = std::string(op) == "scan";
        const Shape &to = scans ? shape : rest;
        Case c(std::string("argmax by ") + op + " " + values);
        c.in("a", type, shape, some(type, shape, Values::Usual));
        c.in("b", "i32", shape, [&] {
          std::vector<uint64_t> places;
          for (int64_t i = 0; i < countOf(shape); ++i) {
            places.push_back(uint64_t(i));
          }
          return places;
        }());
        c.body("%r:2 = tile." + std::string(op) + " (%a, %b) axis " +
               std::to_string(axis) + " : (" + values + ", " + places +
               ") -> (" + tileType(to, type) + ", " + tileType(to, "i32") +
               ")" + body);
        c.body(scans || !to.empty()
                   ? "%v = tile.hint %r#0 : " + tileType(to, type) +
                         "\n  %w = tile.hint %r#1 : " + tileType(to, "i32")
                   : "%v = tile.hint %r#0 : " + type +
                         "\n  %w = tile.hint %r#1 : i32");
        c.out("v", type, to).out("w", "i32", to);
        tally.add(std::move(c));
      }
    }
    for (const char *op : {"reduce", "scan"}) {
      for (size_t axis : {0u, 1u}) {
        Combine combine = Combines[isFloat ? 7 : 0];
        Shape rest{1024};
        std::string from = tileType({1024, 1024}, type);
        Case c(std::string("large ") + op + " " + from);
        c.in("a", type, {1024, 1024}, {});
        const bool scans = std::string(op) == "scan";
        c.body("%r = tile." + std::string(op) + " (%a) axis " +
               std::to_string(axis) + " : (" + from + ") -> " +
               (scans ? from : tileType(rest, type)) +
               replaced(region(combine, type), "T", type));
        c.out("r", type, scans ? Shape{1024, 1024} : rest);
        tally.addLarge(std::move(c));
      }
    }
  }
}

TEST(SweepShapes, Histograms) {
  Tally tally("histograms");
  for (const std::string &type : {"i8", "i16", "i32", "i64"}) {
    for (int64_t count : {1, 7, 48, 256, 1000}) {
      for (bool masked : {false, true}) {
        Case c("histogram " + tileType({count}, type));
        c.in("a", type, {count}, some(type, {count}, Values::Usual));
        if (masked) {
          c.in("m", "i1", {count}, some("i1", {count}));
        }
        c.body("%r = tile.histogram %a" +
               std::string(masked ? " mask %m" : "") + " : " +
               tileType({count}, type) +
               (masked ? ", " + tileType({count}, "i1") : "") + " -> " +
               tileType({9}, "i32"));
        c.out("r", "i32", {9});
        tally.add(std::move(c));
      }
    }
  }
}

TEST(SweepShapes, Dots) {
  Tally tally("dots");
  struct Types {
    std::string a, b, acc;
  };
  std::vector<Types> types = {{"i8", "i8", "i32"},   {"f16", "f16", "f32"},
                              {"f16", "f16", "f16"}, {"bf16", "bf16", "f32"},
                              {"f32", "f32", "f32"}, {"f64", "f64", "f64"}};
  for (const std::string &a : FloatTypes) {
    for (const std::string &b : FloatTypes) {
      if (a.starts_with("f8") && b.starts_with("f8")) {
        types.push_back({a, b, "f32"});
        types.push_back({a, b, "f16"});
      }
    }
  }
  const std::vector<std::array<int64_t, 4>> sizes = {
      {0, 16, 16, 16}, {0, 48, 80, 112}, {0, 1, 1, 1},    {0, 5, 7, 3},
      {2, 16, 48, 32}, {3, 3, 5, 7},     {0, 64, 176, 8}, {0, 17, 33, 65},
      {0, 1, 64, 48},  {0, 64, 1, 48}};
  for (const Types &t : types) {
    const bool narrow = t.a.starts_with("f8");
    for (unsigned k = 0; k < (narrow ? 3 : sizes.size()); ++k) {
      auto [batch, m, n, depth] = sizes[turn++ % sizes.size()];
      auto shape = [&, batch = batch](int64_t rows, int64_t columns) {
        return batch ? Shape{batch, rows, columns} : Shape{rows, columns};
      };
      std::vector<std::string> precisions = {""};
      if (t.a == "f32") {
        precisions = {"", "tf32", "tf32x3", "bf16x3", "bf16x6"};
      }
      for (const std::string &precision : precisions) {
        Case c("dot " + precision + " " + tileType(shape(m, depth), t.a) +
               " x " + tileType(shape(depth, n), t.b) + " -> " + t.acc);
        c.in("a", t.a, shape(m, depth),
             some(t.a, shape(m, depth), Values::Usual));
        c.in("b", t.b, shape(depth, n),
             some(t.b, shape(depth, n), Values::Usual));
        c.in("c", t.acc, shape(m, n), some(t.acc, shape(m, n), Values::Usual));
        c.body("%r = tile.dot %a, %b, %c" +
               (precision.empty()
                    ? std::string()
                    : " {precision = #tile<precision " + precision + ">}") +
               " : " + tileType(shape(m, depth), t.a) + ", " +
               tileType(shape(depth, n), t.b) + " -> " +
               tileType(shape(m, n), t.acc));
        c.out("r", t.acc, shape(m, n));
        tally.add(std::move(c));
      }
    }
  }
}

} // namespace
