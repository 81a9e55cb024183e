//===- SweepMemoryTest.cpp - Accesses, atomics, control flow --------------===//
//
// What   Loads and stores through pointers and views in their forms, atomics of
//        each kind, and values of each type carried by loops and branches,
//        against the interpreter.
// Why    See SweepElementwiseTest.cpp.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"

#include "plugins/cpu/test/Sweep.h"

using namespace tz::cpu::test;

namespace {

unsigned turn = 0;

std::vector<uint64_t> some(const std::string &type, int64_t count,
                           Values which = Values::Any) {
  return values(type, size_t(count), ++turn, which);
}

/// %p: pointers of `shape` at base + %i, elements of `type`.
std::string pointersAt(const std::string &name, const std::string &base,
                       const std::string &type, const Shape &shape,
                       const std::string &index) {
  std::string pointers = tileType(shape, "!tile.ptr<" + type + ">");
  return "%s" + name + " = tile.splat %" + base + " : !tile.ptr<" + type +
         "> -> " + pointers + "\n  %" + name + " = tile.addptr %s" + name +
         ", %" + index + " : " + pointers + ", " + tileType(shape, "i32");
}

TEST(SweepMemory, PointersLoadAndStore) {
  Tally tally("loads and stores through pointers");
  for (const std::string &type : PlainTypes) {
    for (const Shape &shape :
         {Shape{48}, {5}, {3, 80}, {2, 3, 16}, {176}, {64, 1}}) {
      const int64_t n = countOf(shape);
      std::string tile = tileType(shape, type), mask = tileType(shape, "i1");
      std::string pointers = tileType(shape, "!tile.ptr<" + type + ">");
      for (unsigned form = 0; form < 4; ++form) {
        // A permutation of the elements: gathers, and scatters without
        // collisions; or the same element for all.
        std::vector<uint64_t> order;
        for (int64_t i = 0; i < n; ++i) {
          order.push_back(uint64_t(form == 3 ? 0 : (i * 7 + 3) % n));
        }
        const bool unique = n % 7 != 0;
        Case c("load and store, form " + std::to_string(form) + " " + tile);
        c.memory("x", type, some(type, n));
        c.memory("y", type, some(type, n));
        c.in("i", "i32", shape, order);
        c.in("m", "i1", shape, some("i1", n));
        c.in("o", type, shape, some(type, n));
        c.body(pointersAt("p", "x", type, shape, "i"));
        c.body(pointersAt("q", "y", type, shape, "i"));
        std::string with = form == 0   ? ""
                           : form == 1 ? " mask %m"
                                       : " mask %m other %o";
        std::string types = form == 0   ? ""
                            : form == 1 ? " mask " + mask
                                        : " mask " + mask + " other " + tile;
        c.body("%v = tile.load %p" + with + " : " + pointers + types + " -> " +
               tile);
        if (unique && form != 3) {
          c.body("tile.store %q, %v" + std::string(form ? " mask %m" : "") +
                 " : " + pointers + ", " + tile + (form ? ", " + mask : ""));
        }
        c.out("v", type, shape);
        tally.add(std::move(c));
      }
    }
    // Masks along rows with a bound, as kernels write them; in place.
    for (int64_t bound : {0, 1, 17, 48, 60}) {
      Case c("rows below a bound " + type);
      c.memory("x", type, some(type, 200));
      c.argument("n", "i32", uint64_t(bound));
      c.body("%r = tile.range 0 to 48 : tensor<48xi32>");
      c.body("%ns = tile.splat %n : i32 -> tensor<48xi32>");
      c.body("%m = arith.cmpi slt, %r, %ns : tensor<48xi32>");
      c.body(pointersAt("p", "x", type, {48}, "r"));
      c.body("%k = arith.constant dense<60> : tensor<48xi32>");
      c.body("%j = arith.addi %r, %k : tensor<48xi32>");
      c.body(pointersAt("q", "x", type, {48}, "j"));
      std::string pointers = "tensor<48x!tile.ptr<" + type + ">>";
      std::string tile = tileType({48}, type);
      c.body("%v = tile.load %p mask %m : " + pointers +
             " mask tensor<48xi1> -> " + tile);
      c.body("tile.store %q, %v mask %m : " + pointers + ", " + tile +
             ", tensor<48xi1>");
      tally.add(std::move(c));
    }
    for (unsigned form = 0; form < 4; ++form) {
      Case c("scalar load and store " + type);
      c.memory("x", type, some(type, 2));
      c.in("m", "i1", {}, {form & 1});
      c.in("o", type, {}, some(type, 1));
      std::string pointer = "!tile.ptr<" + type + ">";
      c.body("%one = arith.constant 1 : i64");
      c.body("%q = tile.addptr %x, %one : " + pointer + ", i64");
      c.body(form & 2 ? "%v = tile.load %x mask %m other %o {isVolatile} : " +
                            pointer + " mask i1 other " + type + " -> " + type
                      : "%v = tile.load %x : " + pointer + " -> " + type);
      c.body(form & 2 ? "tile.store %q, %v mask %m : " + pointer + ", " + type +
                            ", i1"
                      : "tile.store %q, %v : " + pointer + ", " + type);
      tally.add(std::move(c));
    }
  }
}

TEST(SweepMemory, Views) {
  Tally tally("views");
  struct Window {
    Shape block, tensor;
    std::vector<int64_t> strides, offset;
  };
  const std::vector<Window> windows = {
      {{48}, {100}, {1}, {3}},
      {{48}, {30}, {1}, {0}},
      {{48}, {100}, {2}, {-5}},
      {{3, 80}, {7, 85}, {85, 1}, {5, 10}},
      {{5, 48}, {4, 60}, {1, 4}, {-1, 20}},
      {{4, 64}, {9, 64}, {64, 1}, {7, 0}},
      {{2, 3, 16}, {3, 4, 20}, {80, 20, 1}, {1, -1, 8}},
      {{4, 16}, {4, 16}, {0, 1}, {0, 0}},
      {{16}, {16}, {-1}, {0}},
      {{1, 176}, {3, 200}, {200, 1}, {2, 100}},
      {{7}, {0}, {1}, {0}}};
  for (const std::string &type : PlainTypes) {
    for (const Window &w : windows) {
      const size_t rank = w.block.size();
      std::string view = "!tile.view<" + dimensions(w.block) + type + ">";
      std::string tile = tileType(w.block, type);
      Case c("view " + view);
      c.memory("base", type, some(type, 1200));
      c.memory("to", type, std::vector<uint64_t>(1200, 0));
      c.in("o", type, {}, some(type, 1));
      std::string sizes, strides, offsets, half, checks, zeros;
      c.body("%zero = arith.constant 0 : i64\n  %mid = arith.constant 300 : "
             "i64\n  %x = tile.addptr %base, %mid : !tile.ptr<" +
             type + ">, i64\n  %y = tile.addptr %to, %mid : !tile.ptr<" + type +
             ">, i64");
      for (size_t d = 0; d < rank; ++d) {
        std::string at = std::to_string(d), comma = d ? ", " : "";
        c.argument("n" + at, "i64", uint64_t(w.tensor[d]));
        c.argument("t" + at, "i64", uint64_t(w.strides[d]));
        c.argument("f" + at, "i64", uint64_t(w.offset[d]));
        sizes += comma + "%n" + at;
        strides += comma + "%t" + at;
        offsets += comma + "%f" + at;
        zeros += comma + "%zero";
        checks += comma + "true";
      }
      c.body("%vx = tile.make_view %x shape [" + sizes + "] strides [" +
             strides + "] : !tile.ptr<" + type + "> -> " + view);
      c.body("%vy = tile.make_view %y shape [" + sizes + "] strides [" +
             strides + "] : !tile.ptr<" + type + "> -> " + view);
      c.body("%vz = tile.advance_view %vx [" + offsets + "] : " + view);
      c.body("%a = tile.load_view %vz [" + zeros + "] other %o checked [" +
             checks + "] : " + view + ", " + type + " -> " + tile);
      c.body("%b = tile.load_view %vx [" + offsets + "] checked [" + checks +
             "] : " + view + " -> " + tile);
      if (w.strides[0] != 0) {
        c.body("tile.store_view %vy [" + offsets + "], %b checked [" + checks +
               "] : " + view + ", " + tile);
      }
      c.out("a", type, w.block).out("b", type, w.block);
      tally.add(std::move(c));
    }
  }
}

TEST(SweepMemory, Atomics) {
  Tally tally("atomics");
  struct Kindly {
    const char *name;
    bool ints, floats;
  };
  for (const Kindly &kind : {Kindly{"add", true, false},
                             {"max", true, false},
                             {"min", true, false},
                             {"umax", true, false},
                             {"umin", true, false},
                             {"and", true, false},
                             {"or", true, false},
                             {"xor", true, false},
                             {"xchg", true, true},
                             {"fadd", false, true},
                             {"fmax", false, true},
                             {"fmin", false, true}}) {
    for (const std::string &type : PlainTypes) {
      const bool isFloat = type[0] != 'i';
      if (isFloat ? !kind.floats : !kind.ints) {
        continue;
      }
      for (const Shape &shape : {Shape{}, {48}, {3, 5}}) {
        const int64_t n = countOf(shape);
        std::string tile = tileType(shape, type), mask = tileType(shape, "i1");
        std::string pointers = tileType(shape, "!tile.ptr<" + type + ">");
        for (bool masked : {false, true}) {
          Case c(std::string("atomic ") + kind.name + " " + tile);
          c.memory("x", type, some(type, n, Values::Usual));
          c.in("v", type, shape, some(type, n, Values::Usual));
          c.in("m", "i1", shape, some("i1", n));
          if (shape.empty()) {
            c.body("%p = tile.hint %x : " + pointers);
          } else {
            std::vector<uint64_t> order;
            for (int64_t i = 0; i < n; ++i) {
              order.push_back(uint64_t(i * 7 % n));
            }
            c.in("i", "i32", shape, order);
            c.body(pointersAt("p", "x", type, shape, "i"));
          }
          c.body("%r = tile.atomic_rmw " + std::string(kind.name) +
                 " acq_rel device %p, %v" + (masked ? " mask %m" : "") + " : " +
                 pointers + (masked ? ", " + mask : "") + " -> " + tile + ", " +
                 tile);
          c.out("r", type, shape);
          tally.add(std::move(c));
        }
      }
    }
  }
  for (const std::string &type : PlainTypes) {
    for (const Shape &shape : {Shape{}, {48}}) {
      const int64_t n = countOf(shape);
      std::string tile = tileType(shape, type);
      std::string pointers = tileType(shape, "!tile.ptr<" + type + ">");
      Case c("compare and swap " + tile);
      std::vector<uint64_t> before = some(type, n, Values::Usual), compare;
      for (size_t i = 0; i < before.size(); ++i) {
        compare.push_back(i % 2 ? before[i] : before[i] ^ 1);
      }
      c.memory("x", type, before);
      c.in("c", type, shape, compare);
      c.in("v", type, shape, some(type, n, Values::Usual));
      if (shape.empty()) {
        c.body("%p = tile.hint %x : " + pointers);
      } else {
        c.body("%i = tile.range 0 to 48 : tensor<48xi32>");
        c.body(pointersAt("p", "x", type, shape, "i"));
      }
      c.body("%r = tile.atomic_cas acq_rel device %p, %c, %v : " + pointers +
             " -> " + tile + ", " + tile + ", " + tile);
      c.out("r", type, shape);
      tally.add(std::move(c));
    }
  }
}

TEST(SweepMemory, ControlFlow) {
  Tally tally("control flow");
  for (const std::string &type : PlainTypes) {
    for (const Shape &shape : {Shape{}, {48}, {5}, {3, 80}, {2, 3, 16}}) {
      const int64_t n = countOf(shape);
      std::string tile = tileType(shape, type);
      auto begin = [&](const std::string &what) {
        Case c(what + " " + tile);
        c.in("a", type, shape, some(type, n));
        c.in("b", type, shape, some(type, n));
        c.argument("n", "i32", turn % 5);
        c.argument("flag", "i1", turn % 2);
        c.body("%c0 = arith.constant 0 : i32\n  %c1 = arith.constant 1 : i32");
        return c;
      };
      // Both values change places in each iteration.
      std::string pair = "(" + tile + ", " + tile + ")";
      Case loop = begin("for swaps");
      loop.body("%r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y "
                "= %b) -> " +
                pair + " : i32 {\n    scf.yield %y, %x : " + tile + ", " +
                tile + "\n  }");
      loop.body("%u = tile.hint %r#0 : " + tile +
                "\n  %v = tile.hint %r#1 : " + tile);
      loop.out("u", type, shape).out("v", type, shape);
      tally.add(std::move(loop));

      Case branch = begin("if");
      branch.body("%r:2 = scf.if %flag -> " + pair +
                  " {\n    scf.yield %a, %b "
                  ": " +
                  tile + ", " + tile +
                  "\n  } else {\n    scf.yield %b, "
                  "%b : " +
                  tile + ", " + tile + "\n  }");
      branch.body("%u = tile.hint %r#0 : " + tile +
                  "\n  %v = tile.hint %r#1 : " + tile);
      branch.out("u", type, shape).out("v", type, shape);
      tally.add(std::move(branch));

      Case whiles = begin("while swaps");
      whiles.body("%r:3 = scf.while (%k = %c0, %x = %a, %y = %b) : (i32, " +
                  tile + ", " + tile + ") -> (i32, " + tile + ", " + tile +
                  ") {\n    %go = arith.cmpi slt, %k, %n : i32\n    "
                  "scf.condition(%go) %k, %y, %x : i32, " +
                  tile + ", " + tile +
                  "\n  } do {\n  ^bb0(%k: i32, %x: " + tile + ", %y: " + tile +
                  "):\n    %k1 = arith.addi %k, %c1 : i32\n    scf.yield %k1, "
                  "%x, %y : i32, " +
                  tile + ", " + tile + "\n  }");
      whiles.body("%u = tile.hint %r#1 : " + tile +
                  "\n  %v = tile.hint %r#2 : " + tile);
      whiles.out("u", type, shape).out("v", type, shape);
      tally.add(std::move(whiles));
    }
    // A view and pointers carried by both kinds of loops.
    std::string view = "!tile.view<16x" + type + ">",
                tile = tileType({16}, type);
    std::string pointers = "tensor<16x!tile.ptr<" + type + ">>";
    for (bool whiles : {false, true}) {
      Case c(std::string(whiles ? "while" : "for") + " over views " + type);
      c.memory("x", type, some(type, 100));
      c.memory("y", type, some(type, 100));
      c.body("%c0 = arith.constant 0 : i64\n  %c1 = arith.constant 1 : i64\n  "
             "%c16 = arith.constant 16 : i64\n  %c5 = arith.constant 5 : i64\n "
             " %c100 = arith.constant 100 : i64\n  %step = arith.constant "
             "dense<16> : tensor<16xi32>\n  %r = tile.range 0 to 16 : "
             "tensor<16xi32>");
      c.body(
          "%v0 = tile.make_view %x shape [%c100] strides [%c1] : !tile.ptr<" +
          type + "> -> " + view);
      c.body(pointersAt("p0", "y", type, {16}, "r"));
      std::string turnBody =
          "    %t = tile.load_view %v [%c0] checked [true] : " + view + " -> " +
          tile + "\n    tile.store %p, %t : " + pointers + ", " + tile +
          "\n    %vn = tile.advance_view %v [%c16] : " + view +
          "\n    %pn = tile.addptr %p, %step : " + pointers +
          ", tensor<16xi32>\n";
      if (whiles) {
        c.body("%l:3 = scf.while (%k = %c0, %v = %v0, %p = %p0) : (i64, " +
               view + ", " + pointers + ") -> (i64, " + view + ", " + pointers +
               ") {\n    %go = arith.cmpi slt, %k, %c5 : i64\n    "
               "scf.condition(%go) %k, %v, %p : i64, " +
               view + ", " + pointers + "\n  } do {\n  ^bb0(%k: i64, %v: " +
               view + ", %p: " + pointers + "):\n" + turnBody +
               "    %kn = arith.addi %k, %c1 : i64\n    "
               "scf.yield %kn, %vn, %pn : i64, " +
               view + ", " + pointers + "\n  }");
        c.body("%last = tile.load_view %l#1 [%c0] checked [true] : " + view +
               " -> " + tile);
      } else {
        c.body("%l:2 = scf.for %k = %c0 to %c5 step %c1 iter_args(%v = %v0, %p "
               "= %p0) -> (" +
               view + ", " + pointers + ") : i64 {\n" + turnBody +
               "    scf.yield %vn, %pn : " + view + ", " + pointers + "\n  }");
        c.body("%last = tile.load_view %l#0 [%c0] checked [true] : " + view +
               " -> " + tile);
      }
      c.out("last", type, {16});
      tally.add(std::move(c));
    }
  }
}

TEST(SweepMemory, ProgramsAndLog) {
  Tally tally("programs, hints, log");
  for (const std::string &type : PlainTypes) {
    for (const Shape &shape : {Shape{}, {7}, {3, 48}}) {
      const int64_t n = countOf(shape);
      std::string tile = tileType(shape, type), bools = tileType(shape, "i1");
      Case c("print and assert " + tile);
      c.in("a", type, shape, some(type, n));
      c.in("ok", "i1", shape, std::vector<uint64_t>(size_t(n), 1));
      c.in("m", "i1", shape, some("i1", n));
      c.body("tile.print \"a\"(%a : " + tile +
             ") {isSigned = array<i1: true>}");
      c.body("tile.assert %ok mask %m, \"holds\" : " + bools + ", " + bools);
      c.body("%t = arith.constant true\n  tile.assume %t\n  tile.barrier");
      c.out("a", type, shape);
      tally.add(std::move(c));
    }
  }
  Case c("ids");
  c.memory("o", "i32", std::vector<uint64_t>(12, 0));
  c.body("%x = tile.program_id 0\n  %y = tile.program_id 1\n  %n = "
         "tile.num_programs 0\n  %z = tile.num_programs 2\n  %s = arith.addi "
         "%y, %n : i32\n  %u = arith.muli %s, %z : i32\n  %v = arith.addi %u, "
         "%x : i32\n  %p = tile.addptr %o, %x : !tile.ptr<i32>, i32\n  "
         "tile.store %p, %v : !tile.ptr<i32>, i32");
  c.grid(12);
  tally.add(std::move(c));
}

} // namespace
