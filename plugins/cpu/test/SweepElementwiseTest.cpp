//===- SweepElementwiseTest.cpp - Every elementwise op on every type ------===//
//
// What   A table of ops with the types they take, each on scalars, rows, planes
//        and bricks, also of odd widths, against the interpreter.
// Why    Each pair of op and type is a path of its own in the emitters, and the
//        widths decide how vectors and what is left over are made.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"

#include "plugins/cpu/test/Sweep.h"

using namespace tz::cpu::test;

namespace {

/// Each op and type meets a scalar, a row, a plane and a brick (a scalar and
/// one of them if few); which ones turns with the row of the table.
std::vector<Shape> shapesFor(unsigned turn, bool few = false) {
  static const std::vector<Shape> rows = {{48},  {5},   {80}, {112}, {1},
                                          {176}, {192}, {64}, {256}};
  static const std::vector<Shape> planes = {{3, 48}, {5, 7},  {2, 176}, {4, 64},
                                            {48, 1}, {2, 80}, {1, 112}};
  static const std::vector<Shape> bricks = {
      {2, 3, 16}, {2, 2, 112}, {1, 3, 80}, {3, 1, 48}, {2, 192, 1}};
  if (few) {
    return {{},
            turn % 3 == 0   ? rows[turn / 3 % rows.size()]
            : turn % 3 == 1 ? planes[turn / 3 % planes.size()]
                            : bricks[turn / 3 % bricks.size()]};
  }
  return {{},
          rows[turn % rows.size()],
          planes[turn % planes.size()],
          bricks[turn % bricks.size()]};
}

/// `text` over %a, %b, %c with TA for the operands' type and TR for the
/// result's.
struct Op {
  std::string name, text;
  unsigned operands;
  Values values = Values::Any;
};

unsigned turn = 0;

void large(Tally &tally, const Op &op, const std::string &from,
           const std::string &to);

void sweep(Tally &tally, const Op &op, const std::string &from,
           const std::string &to, bool refused = false) {
  // Types of 8 bits share their paths with others up to the conversions.
  const bool few = from != to || from.starts_with("f8") || refused;
  if (!refused && turn % 4 == 0) {
    large(tally, op, from, to);
  }
  for (const Shape &shape : shapesFor(turn++, few)) {
    const auto n = size_t(countOf(shape));
    Case c(op.name + " " + tileType(shape, from) + " -> " +
           tileType(shape, to));
    const char *names[] = {"a", "b", "c"};
    std::vector<uint64_t> columns[3];
    for (unsigned k = 0; k < op.operands; ++k) {
      Values which = k ? op.values : Values::Any;
      if (op.values == Values::Usual) {
        which = k ? Values::NonZero : Values::Usual;
      }
      columns[k] = values(refused ? "i8" : from, n, turn + 17 * k, which);
      c.in(names[k], from, shape, columns[k]);
    }
    c.body("%r = " + replaced(replaced(op.text, "TA", tileType(shape, from)),
                              "TR", tileType(shape, to)));
    c.out("r", to, shape);
    if (refused) {
      tally.addRefused(std::move(c));
    } else {
      tally.add(std::move(c));
    }
  }
}

/// The same op on 2^20 elements, to be compiled (R15).
void large(Tally &tally, const Op &op, const std::string &from,
           const std::string &to) {
  const Shape shape = turn++ % 2 ? Shape{1 << 20} : Shape{1024, 1024};
  Case c(op.name + " " + tileType(shape, from) + " -> " + tileType(shape, to));
  const char *names[] = {"a", "b", "c"};
  for (unsigned k = 0; k < op.operands; ++k) {
    c.in(names[k], from, shape, {});
  }
  c.body("%r = " + replaced(replaced(op.text, "TA", tileType(shape, from)),
                            "TR", tileType(shape, to)));
  c.out("r", to, shape);
  tally.addLarge(std::move(c));
}

const std::vector<Op> IntOps = {
    {"addi", "arith.addi %a, %b : TA", 2},
    {"subi", "arith.subi %a, %b : TA", 2},
    {"muli", "arith.muli %a, %b : TA", 2},
    {"andi", "arith.andi %a, %b : TA", 2},
    {"ori", "arith.ori %a, %b : TA", 2},
    {"xori", "arith.xori %a, %b : TA", 2},
    {"divui", "tile.divui %a, %b : TA", 2, Values::NonZero},
    {"remui", "tile.remui %a, %b : TA", 2, Values::NonZero},
    {"shl", "tile.shl %a, %b : TA", 2},
    {"shrsi", "tile.shrsi %a, %b : TA", 2},
    {"shrui", "tile.shrui %a, %b : TA", 2},
    {"mulhisi", "tile.mulhisi %a, %b : TA", 2},
    {"mulhiui", "tile.mulhiui %a, %b : TA", 2},
    {"minsi", "tile.minsi %a, %b : TA", 2},
    {"minui", "tile.minui %a, %b : TA", 2},
    {"maxsi", "tile.maxsi %a, %b : TA", 2},
    {"maxui", "tile.maxui %a, %b : TA", 2},
    {"absi", "tile.absi %a : TA", 1},
    {"clz", "tile.clz %a : TA", 1},
};

const std::vector<Op> FloatOps = {
    {"addf", "arith.addf %a, %b : TA", 2},
    {"subf", "arith.subf %a, %b : TA", 2},
    {"mulf", "arith.mulf %a, %b : TA", 2},
    {"negf", "arith.negf %a : TA", 1},
    {"divf approx", "tile.divf approx %a, %b : TA", 2, Values::NonZero},
    {"divf rn", "tile.divf rn %a, %b : TA", 2},
    {"remf", "tile.remf %a, %b : TA", 2},
    {"minf", "tile.minf %a, %b : TA", 2},
    {"maxf", "tile.maxf %a, %b : TA", 2},
    {"minf nan", "tile.minf %a, %b propagate_nan : TA", 2},
    {"maxf nan", "tile.maxf %a, %b propagate_nan : TA", 2},
    {"fma", "tile.fma %a, %b, %c : TA", 3},
    {"pow", "tile.pow %a, %b : TA", 2, Values::Usual},
};

TEST(SweepElementwise, Integers) {
  Tally tally("integer ops");
  for (const std::string &type : IntegerTypes) {
    for (const Op &op : IntOps) {
      sweep(tally, op, type, type);
    }
    for (const char *op : {"divsi", "remsi"}) {
      // The one signed quotient that does not fit is left open (P7).
      sweep(tally,
            {op, std::string("tile.") + op + " %a, %b : TA", 2,
             type == "i1" ? Values::NonZero : Values::Usual},
            type, type);
    }
    for (const char *p :
         {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}) {
      sweep(tally,
            {std::string("cmpi ") + p,
             std::string("arith.cmpi ") + p + ", %a, %b : TA", 2},
            type, "i1");
    }
  }
}

TEST(SweepElementwise, Floats) {
  Tally tally("float ops");
  for (const std::string &type : FloatTypes) {
    for (const Op &op : FloatOps) {
      sweep(tally, op, type, type);
    }
    for (const char *p :
         {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq",
          "ugt", "uge", "ult", "ule", "une", "uno", "true"}) {
      sweep(tally,
            {std::string("cmpf ") + p,
             std::string("arith.cmpf ") + p + ", %a, %b : TA", 2},
            type, "i1");
    }
  }
}

TEST(SweepElementwise, Math) {
  Tally tally("math");
  for (const std::string &type : FloatTypes) {
    for (const char *fn : {"exp", "exp2", "log", "log2", "sin", "cos", "tan",
                           "sqrt", "sqrt_rn", "rsqrt", "erf", "tanh", "floor",
                           "ceil", "trunc", "rint", "abs", "log1p", "expm1"}) {
      sweep(tally,
            {std::string("math ") + fn,
             std::string("tile.math ") + fn + " %a : TA", 1},
            type, type);
    }
  }
}

TEST(SweepElementwise, Select) {
  Tally tally("select");
  for (const std::string &type : PlainTypes) {
    for (const Shape &shape : shapesFor(turn++)) {
      const auto n = size_t(countOf(shape));
      Case c("select " + tileType(shape, type));
      c.in("p", "i1", shape, values("i1", n, turn));
      c.in("a", type, shape, values(type, n, turn + 1));
      c.in("b", type, shape, values(type, n, turn + 2));
      c.body("%r = arith.select %p, %a, %b : " +
             (shape.empty() ? "" : tileType(shape, "i1") + ", ") +
             tileType(shape, type));
      c.out("r", type, shape);
      tally.add(c);
      if (shape.empty()) {
        continue;
      }
      Case whole("select of tiles by a scalar " + tileType(shape, type));
      whole.in("p", "i1", {}, {turn % 2});
      whole.in("a", type, shape, values(type, n, turn + 1));
      whole.in("b", type, shape, values(type, n, turn + 2));
      whole.body("%r = arith.select %p, %a, %b : " + tileType(shape, type));
      whole.out("r", type, shape);
      tally.add(whole);
    }
  }
}

TEST(SweepElementwise, Conversions) {
  Tally tally("conversions");
  auto one = [&](const std::string &op, const std::string &from,
                 const std::string &to) {
    sweep(tally, {op, op + " %a : TA to TR", 1}, from, to);
  };
  for (const std::string &from : IntegerTypes) {
    for (const std::string &to : IntegerTypes) {
      if (bitsOf(from) < bitsOf(to)) {
        one("arith.extsi", from, to);
        one("arith.extui", from, to);
      } else if (bitsOf(from) > bitsOf(to)) {
        one("arith.trunci", from, to);
      }
    }
    for (const std::string &to : FloatTypes) {
      one("tile.sitofp", from, to);
      one("tile.uitofp", from, to);
      one("tile.fptosi", to, from);
      one("tile.fptoui", to, from);
    }
  }
  for (const std::string &from : FloatTypes) {
    for (const std::string &to : FloatTypes) {
      if (bitsOf(from) < bitsOf(to)) {
        one("arith.extf", from, to);
      } else if (from != to) {
        for (const char *rounding : {"rtne", "rtz"}) {
          one(std::string("tile.truncf ") + rounding, from, to);
        }
      }
    }
  }
  for (const std::string &from : PlainTypes) {
    for (const std::string &to : PlainTypes) {
      if (bitsOf(from) == bitsOf(to)) {
        one("tile.bitcast", from, to);
      }
    }
  }
}

/// Pointers: arithmetic, as numbers, under another pointee, compared, chosen.
TEST(SweepElementwise, Pointers) {
  Tally tally("pointers");
  for (const std::string &type : PlainTypes) {
    for (const char *offset : {"i32", "i64"}) {
      for (const Shape &shape : shapesFor(turn++)) {
        const auto n = size_t(countOf(shape));
        std::string pointer = tileType(shape, "!tile.ptr<" + type + ">");
        std::string other = tileType(shape, "!tile.ptr<i8>");
        std::string number = tileType(shape, "i64");
        Case c("pointers " + pointer + " + " + offset);
        c.in("i", offset, shape, values(offset, n, turn, Values::Usual));
        // An address that both runs see: the first input's own.
        c.body(shape.empty() ? "%z = tile.ptr_to_int %in0 : !tile.ptr<" +
                                   std::string(offset) + "> to i64"
                             : "%y = tile.ptr_to_int %in0 : !tile.ptr<" +
                                   std::string(offset) +
                                   "> to i64\n  %z = tile.splat "
                                   "%y : i64 -> " +
                                   number);
        c.body("%p = tile.int_to_ptr %z : " + number + " to " + pointer);
        c.body("%q = tile.addptr %p, %i : " + pointer + ", " +
               tileType(shape, offset));
        c.body("%h = tile.hint %q : " + pointer);
        c.body("%s = tile.bitcast %h : " + pointer + " to " + other);
        c.body("%r = tile.ptr_to_int %s : " + other + " to " + number);
        c.out("r", "i64", shape);
        tally.add(c);
      }
    }
  }
}

/// There is no memory format of single 4-bit floats: each op that touches one
/// is refused where it stands.
TEST(SweepElementwise, FourBitFloatsAreRefused) {
  Tally tally("4-bit floats");
  for (const Op &op : FloatOps) {
    sweep(tally, op, "f4E2M1FN", "f4E2M1FN", true);
  }
  sweep(tally, {"truncf", "tile.truncf rtne %a : TA to TR", 1}, "f32",
        "f4E2M1FN", true);
  sweep(tally, {"extf", "arith.extf %a : TA to TR", 1}, "f4E2M1FN", "f32",
        true);
}

} // namespace
