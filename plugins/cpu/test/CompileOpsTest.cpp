//===- CompileOpsTest.cpp - Op families, compiled and run -----------------===//
//
// What   Reductions, scans, rearranging ops, control flow, atomics, dots of the
//        narrow types; each result compared with a closed form.
// Why    CompileTest shows the main paths; here are the others.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"

#include "plugins/cpu/test/Program.h"

#include <cmath>
#include <numeric>

using namespace tz::cpu::test;

namespace {

/// Text of a kernel that stores `values` (name and shape of an i32 tile whose
/// element type is `type`) through `%o`.
std::string storeAll(const std::string &value, int64_t n,
                     const std::string &type, const std::string &shape) {
  std::string N = std::to_string(n);
  return "  %fl = tile.reshape " + value + " : tensor<" + shape + "x" + type +
         "> -> tensor<" + N + "x" + type + ">\n  %rr = tile.range 0 to " + N +
         " : tensor<" + N + "xi32>\n  %oo = tile.splat %o : !tile.ptr<" + type +
         "> -> tensor<" + N + "x!tile.ptr<" + type +
         ">>\n  %pp = tile.addptr %oo, %rr : tensor<" + N + "x!tile.ptr<" +
         type + ">>, tensor<" + N + "xi32>\n  tile.store %pp, %fl : tensor<" +
         N + "x!tile.ptr<" + type + ">>, tensor<" + N + "x" + type +
         ">\n  tile.return\n}\n";
}

/// A 2-D i32 tile %t of rows x columns: 100 i + j, computed, not loaded.
std::string grid2d(const std::string &rows, const std::string &columns) {
  std::string S = rows + "x" + columns;
  return "  %ri = tile.range 0 to " + rows + " : tensor<" + rows +
         "xi32>\n  %rj = tile.range 0 to " + columns + " : tensor<" + columns +
         "xi32>\n  %ci = tile.reshape %ri : tensor<" + rows +
         "xi32> -> tensor<" + rows +
         "x1xi32>\n  %cj = tile.reshape %rj : tensor<" + columns +
         "xi32> -> tensor<1x" + columns +
         "xi32>\n  %bi = tile.broadcast %ci : tensor<" + rows +
         "x1xi32> -> tensor<" + S +
         "xi32>\n  %bj = tile.broadcast %cj : " + "tensor<1x" + columns +
         "xi32> -> tensor<" + S +
         "xi32>\n  %h = arith.constant dense<100> : tensor<" + S +
         "xi32>\n  %hi = arith.muli %bi, %h : tensor<" + S +
         "xi32>\n  %t = arith.addi %hi, %bj : tensor<" + S + "xi32>\n";
}

const std::string Head = "tile.kernel @k(%o: !tile.ptr<i32>) {\n";
const std::string Sum = " {\n  ^bb0(%a: i32, %b: i32):\n    %s = arith.addi "
                        "%a, %b : i32\n    tile.yield %s : i32\n  }\n";

std::vector<int32_t> runInt(const std::string &text, size_t n) {
  std::vector<int32_t> out(n, -1);
  Program program(text.c_str());
  program.arg(out.data()).run(1);
  return out;
}

TEST(CompileOps, ReduceBothAxes) {
  for (auto [rows, columns] : {std::pair{8, 64}, {5, 48}, {3, 1}, {1, 7}}) {
    std::string R = std::to_string(rows), C = std::to_string(columns);
    std::string type = "(tensor<" + R + "x" + C + "xi32>) -> tensor<";
    auto a = runInt(Head + grid2d(R, C) +
                        "  %r = tile.reduce (%t) axis 1 : " + type + R +
                        "xi32>" + Sum + storeAll("%r", rows, "i32", R),
                    size_t(rows));
    for (int i = 0; i < rows; ++i) {
      EXPECT_EQ(a[size_t(i)], 100 * i * columns + columns * (columns - 1) / 2);
    }
    auto b = runInt(Head + grid2d(R, C) +
                        "  %r = tile.reduce (%t) axis 0 : " + type + C +
                        "xi32>" + Sum + storeAll("%r", columns, "i32", C),
                    size_t(columns));
    for (int j = 0; j < columns; ++j) {
      EXPECT_EQ(b[size_t(j)], 100 * rows * (rows - 1) / 2 + rows * j);
    }
  }
}

TEST(CompileOps, MapWorksOnVectorsAndInLoops) {
  // The smaller of j and 40 - j, and how often it can be halved.
  auto out = runInt(Head + R"(
  %j = tile.range 0 to 64 : tensor<64xi32>
  %f = arith.constant dense<40> : tensor<64xi32>
  %k = arith.subi %f, %j : tensor<64xi32>
  %low:2 = tile.map (%j, %k) : (tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi1>) {
  ^bb0(%a: i32, %b: i32):
    %less = arith.cmpi slt, %a, %b : i32
    %x = scf.if %less -> (i32) {
      scf.yield %a : i32
    } else {
      scf.yield %b : i32
    }
    tile.yield %x, %less : i32, i1
  }
  %n = tile.map (%low#0) : (tensor<64xi32>) -> tensor<64xi32> {
  ^bb0(%a: i32):
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.while (%v = %a, %count = %c0) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi sgt, %v, %c0 : i32
      scf.condition(%more) %v, %count : i32, i32
    } do {
    ^bb0(%v: i32, %count: i32):
      %half = tile.shrsi %v, %c1 : i32
      %next = arith.addi %count, %c1 : i32
      scf.yield %half, %next : i32, i32
    }
    tile.yield %r#1 : i32
  }
  %h = arith.constant dense<100> : tensor<64xi32>
  %s = arith.muli %n, %h : tensor<64xi32>
  %t = arith.addi %s, %low#0 : tensor<64xi32>
  %z = arith.constant dense<10000> : tensor<64xi32>
  %u = arith.addi %t, %z : tensor<64xi32>
  %v = arith.select %low#1, %u, %t : tensor<64xi1>, tensor<64xi32>
)" + storeAll("%v", 64, "i32", "64"),
                    64);
  for (int j = 0; j < 64; ++j) {
    int low = std::min(j, 40 - j), halvings = 0;
    for (int v = low; v > 0; v >>= 1) {
      ++halvings;
    }
    EXPECT_EQ(out[size_t(j)], 100 * halvings + low + (j < 20 ? 10000 : 0)) << j;
  }
}

TEST(CompileOps, ArgMaxIsAGeneralRegion) {
  // The value is (37 j) mod 101; ties cannot occur below 101.
  auto out = runInt(Head + R"(
  %r = tile.range 0 to 64 : tensor<64xi32>
  %f = arith.constant dense<37> : tensor<64xi32>
  %p = arith.muli %r, %f : tensor<64xi32>
  %m = arith.constant dense<101> : tensor<64xi32>
  %v = tile.remsi %p, %m : tensor<64xi32>
  %best:2 = tile.reduce (%v, %r) axis 0 : (tensor<64xi32>, tensor<64xi32>) -> (i32, i32) {
  ^bb0(%a: i32, %i: i32, %b: i32, %j: i32):
    %gt = arith.cmpi sgt, %a, %b : i32
    %x = arith.select %gt, %a, %b : i32
    %y = arith.select %gt, %i, %j : i32
    tile.yield %x, %y : i32, i32
  }
  %j = tile.join %best#0, %best#1 : i32 -> tensor<2xi32>
)" + storeAll("%j", 2, "i32", "2"),
                    2);
  int best = 0;
  for (int i = 0; i < 64; ++i) {
    best = 37 * i % 101 > 37 * best % 101 ? i : best;
  }
  EXPECT_EQ(out[0], 37 * best % 101);
  EXPECT_EQ(out[1], best);
}

TEST(CompileOps, ScanForwardAndReverse) {
  for (bool reverse : {false, true}) {
    for (int axis : {0, 1}) {
      auto out =
          runInt(Head + grid2d("5", "48") + "  %r = tile.scan (%t) axis " +
                     std::to_string(axis) + (reverse ? " reverse" : "") +
                     " : (tensor<5x48xi32>) -> tensor<5x48xi32>" + Sum +
                     storeAll("%r", 240, "i32", "5x48"),
                 240);
      for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 48; ++j) {
          int want = 0;
          for (int k = 0; k < (axis ? 48 : 5); ++k) {
            int at = axis ? j : i;
            if (reverse ? k >= at : k <= at) {
              want += axis ? 100 * i + k : 100 * k + j;
            }
          }
          EXPECT_EQ(out[size_t(i * 48 + j)], want) << i << " " << j;
        }
      }
    }
  }
}

TEST(CompileOps, TransposeCatJoinSplit) {
  auto t = runInt(Head + grid2d("8", "32") +
                      "  %r = tile.transpose %t [1, 0] : tensor<8x32xi32> -> "
                      "tensor<32x8xi32>\n" +
                      storeAll("%r", 256, "i32", "32x8"),
                  256);
  auto c = runInt(Head + grid2d("8", "32") +
                      "  %u = tile.shl %t, %h : tensor<8x32xi32>\n"
                      "  %r = tile.cat %t, %u dim 1 : tensor<8x32xi32>, "
                      "tensor<8x32xi32> -> tensor<8x64xi32>\n" +
                      storeAll("%r", 512, "i32", "8x64"),
                  512);
  auto j = runInt(
      Head + grid2d("8", "32") +
          "  %u = arith.addi %t, %h : tensor<8x32xi32>\n"
          "  %r = tile.join %t, %u : tensor<8x32xi32> -> tensor<8x32x2xi32>\n"
          "  %x, %y = tile.split %r : tensor<8x32x2xi32> -> tensor<8x32xi32>\n"
          "  %d = arith.subi %y, %x : tensor<8x32xi32>\n"
          "  %e = arith.addi %d, %x : tensor<8x32xi32>\n" +
          storeAll("%e", 256, "i32", "8x32"),
      256);
  for (int i = 0; i < 8; ++i) {
    for (int k = 0; k < 32; ++k) {
      EXPECT_EQ(t[size_t(k * 8 + i)], 100 * i + k);
      EXPECT_EQ(c[size_t(i * 64 + k)], 100 * i + k);
      EXPECT_EQ(c[size_t(i * 64 + 32 + k)], 0); // shifted by 100
      EXPECT_EQ(j[size_t(i * 32 + k)], 100 * i + k + 100);
    }
  }
}

TEST(CompileOps, GatherAndHistogram) {
  auto g = runInt(Head + grid2d("4", "32") + R"(
  %k = arith.constant dense<3> : tensor<4x32xi32>
  %idx = arith.muli %bj, %k : tensor<4x32xi32>
  %r = tile.gather %t[%idx] axis 1 : tensor<4x32xi32>, tensor<4x32xi32> -> tensor<4x32xi32>
)" + storeAll("%r", 128, "i32", "4x32"),
                  128);
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 32; ++k) {
      EXPECT_EQ(g[size_t(i * 32 + k)], 3 * k < 32 ? 100 * i + 3 * k : 0);
    }
  }
  auto h = runInt(Head + R"(
  %r = tile.range 0 to 100 : tensor<100xi32>
  %m = arith.constant dense<7> : tensor<100xi32>
  %v = tile.remsi %r, %m : tensor<100xi32>
  %c = tile.histogram %v : tensor<100xi32> -> tensor<5xi32>
)" + storeAll("%c", 5, "i32", "5"),
                  5);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(h[size_t(i)], i < 2 ? 15 : 14);
  }
}

TEST(CompileOps, ControlFlow) {
  // A loop that carries a tile, a pointer tile and a scalar; a branch with a
  // tile result; a while loop.
  auto out = runInt(R"(
tile.kernel @k(%o: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %r = tile.range 0 to 32 : tensor<32xi32>
  %os = tile.splat %o : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %op = tile.addptr %os, %r : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  %row = arith.constant dense<32> : tensor<32xi32>
  %z = arith.constant dense<0> : tensor<32xi32>
  %l:4 = scf.for %i = %c0 to %c5 step %c1 iter_args(%t = %z, %p = %op, %s = %c0, %w = %r) -> (tensor<32xi32>, tensor<32x!tile.ptr<i32>>, i32, tensor<32xi32>) : i32 {
    %even = arith.andi %i, %c1 : i32
    %odd = arith.cmpi eq, %even, %c1 : i32
    %u = scf.if %odd -> (tensor<32xi32>) {
      %a = arith.addi %t, %r : tensor<32xi32>
      scf.yield %a : tensor<32xi32>
    } else {
      %b = arith.subi %t, %w : tensor<32xi32>
      scf.yield %b : tensor<32xi32>
    }
    tile.store %p, %u : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
    %pn = tile.addptr %p, %row : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
    %sn = arith.addi %s, %i : i32
    scf.yield %w, %pn, %sn, %u : tensor<32xi32>, tensor<32x!tile.ptr<i32>>, i32, tensor<32xi32>
  }
  %n = scf.while (%x = %l#2) : (i32) -> i32 {
    %go = arith.cmpi sgt, %x, %c1 : i32
    scf.condition(%go) %x : i32
  } do {
  ^bb0(%x: i32):
    %y = tile.shrui %x, %c1 : i32
    scf.yield %y : i32
  }
  %ns = tile.splat %n : i32 -> tensor<32xi32>
  tile.store %l#1, %ns : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  tile.return
}
)",
                    192);
  std::vector<int> t(32, 0), w(32);
  std::iota(w.begin(), w.end(), 0);
  for (int i = 0; i < 5; ++i) {
    std::vector<int> u(32);
    for (int k = 0; k < 32; ++k) {
      u[size_t(k)] = i % 2 ? t[size_t(k)] + k : t[size_t(k)] - w[size_t(k)];
      EXPECT_EQ(out[size_t(i * 32 + k)], u[size_t(k)]) << i << " " << k;
    }
    t = w;
    w = u;
  }
  for (int k = 0; k < 32; ++k) {
    EXPECT_EQ(out[size_t(160 + k)], 1);
  }
}

TEST(CompileOps, Atomics) {
  Program program(R"(
tile.kernel @k(%o: !tile.ptr<f32>, %c: !tile.ptr<i32>, %old: !tile.ptr<i32>) {
  %r = tile.range 0 to 10 : tensor<10xi32>
  %four = arith.constant dense<4> : tensor<10xi32>
  %at = tile.remsi %r, %four : tensor<10xi32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<10x!tile.ptr<f32>>
  %op = tile.addptr %os, %at : tensor<10x!tile.ptr<f32>>, tensor<10xi32>
  %v = tile.sitofp %r : tensor<10xi32> to tensor<10xf32>
  %nine = arith.constant dense<9> : tensor<10xi32>
  %m = arith.cmpi slt, %r, %nine : tensor<10xi32>
  %a = tile.atomic_rmw fadd acq_rel device %op, %v mask %m : tensor<10x!tile.ptr<f32>>, tensor<10xi1> -> tensor<10xf32>, tensor<10xf32>
  %one = arith.constant 1 : i32
  %b = tile.atomic_rmw add relaxed device %c, %one : !tile.ptr<i32> -> i32, i32
  %w = tile.addptr %old, %b : !tile.ptr<i32>, i32
  %seen = tile.atomic_cas acq_rel device %w, %b, %one : !tile.ptr<i32> -> i32, i32, i32
  tile.return
}
)");
  float sums[4] = {};
  int32_t count = 0, marks[4] = {0, 0, 2, 7};
  program.arg(&sums[0]).arg(&count).arg(&marks[0]).run(4);
  for (int k = 0; k < 4; ++k) {
    float want = 0;
    for (int i = k; i < 9; i += 4) {
      want += float(4 * i);
    }
    EXPECT_EQ(sums[k], want);
  }
  EXPECT_EQ(count, 4);
  EXPECT_EQ(marks[0], 1); // 0 was 0
  EXPECT_EQ(marks[1], 0); // 1 was not 1
  EXPECT_EQ(marks[2], 1); // 2 was 2
  EXPECT_EQ(marks[3], 7);
}

/// softmax(q k^T) v over 4 blocks of keys, as attention does it.
TEST(CompileOps, Attention) {
  Program program(R"(
tile.kernel @attn(%q: !tile.ptr<f32>, %k: !tile.ptr<f32>, %v: !tile.ptr<f32>, %o: !tile.ptr<f32>) {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %D = arith.constant 32 : i64
  %S = arith.constant 128 : i64
  %B = arith.constant 32 : i64
  %pid = tile.program_id 0
  %p64 = arith.extsi %pid : i32 to i64
  %m = arith.muli %p64, %B : i64
  %vq = tile.make_view %q shape [%S, %D] strides [%D, %one] : !tile.ptr<f32> -> !tile.view<32x32xf32>
  %vk = tile.make_view %k shape [%S, %D] strides [%D, %one] : !tile.ptr<f32> -> !tile.view<32x32xf32>
  %vv = tile.make_view %v shape [%S, %D] strides [%D, %one] : !tile.ptr<f32> -> !tile.view<32x32xf32>
  %vo = tile.make_view %o shape [%S, %D] strides [%D, %one] : !tile.ptr<f32> -> !tile.view<32x32xf32>
  %qt = tile.load_view %vq [%m, %z] checked [false, false] {group = 1 : i64} : !tile.view<32x32xf32> -> tensor<32x32xf32>
  %inf = arith.constant dense<0xFF800000> : tensor<32xf32>
  %l0 = arith.constant dense<0.0> : tensor<32xf32>
  %a0 = arith.constant dense<0.0> : tensor<32x32xf32>
  %r:4 = scf.for %n = %z to %S step %B iter_args(%mi = %inf, %li = %l0, %acc = %a0, %kv = %vk) -> (tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, !tile.view<32x32xf32>) : i64 {
    %kt = tile.load_view %kv [%z, %z] checked [false, false] {group = 2 : i64} : !tile.view<32x32xf32> -> tensor<32x32xf32>
    %kT = tile.transpose %kt [1, 0] : tensor<32x32xf32> -> tensor<32x32xf32>
    %s = tile.dot %qt, %kT, %a0 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %mx = tile.reduce (%s) axis 1 : (tensor<32x32xf32>) -> tensor<32xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = tile.maxf %a, %b : f32
      tile.yield %c : f32
    }
    %mn = tile.maxf %mi, %mx : tensor<32xf32>
    %mc = tile.reshape %mn : tensor<32xf32> -> tensor<32x1xf32>
    %mb = tile.broadcast %mc : tensor<32x1xf32> -> tensor<32x32xf32>
    %d = arith.subf %s, %mb : tensor<32x32xf32>
    %p = tile.math exp %d : tensor<32x32xf32>
    %ls = tile.reduce (%p) axis 1 : (tensor<32x32xf32>) -> tensor<32xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    %dm = arith.subf %mi, %mn : tensor<32xf32>
    %al = tile.math exp %dm : tensor<32xf32>
    %la = arith.mulf %li, %al : tensor<32xf32>
    %ln = arith.addf %la, %ls : tensor<32xf32>
    %ac = tile.reshape %al : tensor<32xf32> -> tensor<32x1xf32>
    %ab = tile.broadcast %ac : tensor<32x1xf32> -> tensor<32x32xf32>
    %as = arith.mulf %acc, %ab : tensor<32x32xf32>
    %vt = tile.load_view %vv [%n, %z] checked [false, false] {group = 3 : i64} : !tile.view<32x32xf32> -> tensor<32x32xf32>
    %an = tile.dot %p, %vt, %as : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %kn = tile.advance_view %kv [%B, %z] : !tile.view<32x32xf32>
    scf.yield %mn, %ln, %an, %kn : tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, !tile.view<32x32xf32>
  }
  %lc = tile.reshape %r#1 : tensor<32xf32> -> tensor<32x1xf32>
  %lb = tile.broadcast %lc : tensor<32x1xf32> -> tensor<32x32xf32>
  %out = tile.divf approx %r#2, %lb : tensor<32x32xf32>
  tile.store_view %vo [%m, %z], %out checked [false, false] {group = 4 : i64} : !tile.view<32x32xf32>, tensor<32x32xf32>
  tile.return
}
)");
  const size_t S = 128, D = 32;
  auto q = noise(S * D, 1), k = noise(S * D, 2), v = noise(S * D, 3);
  std::vector<float> o(S * D, -5);
  program.arg(q.data()).arg(k.data()).arg(v.data()).arg(o.data()).run(4);
  for (size_t i = 0; i < S; ++i) {
    std::vector<double> p(S), want(D);
    double sum = 0;
    for (size_t j = 0; j < S; ++j) {
      double dot = 0;
      for (size_t d = 0; d < D; ++d) {
        dot += double(q[i * D + d]) * double(k[j * D + d]);
      }
      sum += p[j] = std::exp(dot);
    }
    for (size_t d = 0; d < D; ++d) {
      for (size_t j = 0; j < S; ++j) {
        want[d] += p[j] / sum * double(v[j * D + d]);
      }
      ASSERT_NEAR(o[i * D + d], want[d], 2e-5) << i << " " << d;
    }
  }
}

/// A load may be fused into a store of the same elements, but not if they move.
TEST(CompileOps, TransposeInPlace) {
  std::vector<int32_t> out(32 * 32);
  std::iota(out.begin(), out.end(), 0);
  Program program((Head + grid2d("32", "32") + R"(
  %w = arith.constant dense<32> : tensor<32x32xi32>
  %row = arith.muli %bi, %w : tensor<32x32xi32>
  %at = arith.addi %row, %bj : tensor<32x32xi32>
  %os = tile.splat %o : !tile.ptr<i32> -> tensor<32x32x!tile.ptr<i32>>
  %p = tile.addptr %os, %at : tensor<32x32x!tile.ptr<i32>>, tensor<32x32xi32>
  %x = tile.load %p {group = 1 : i64} : tensor<32x32x!tile.ptr<i32>> -> tensor<32x32xi32>
  %y = tile.transpose %x [1, 0] : tensor<32x32xi32> -> tensor<32x32xi32>
  tile.store %p, %y {group = 1 : i64} : tensor<32x32x!tile.ptr<i32>>, tensor<32x32xi32>
  tile.return
}
)")
                      .c_str());
  program.arg(out.data()).run(1);
  for (int i = 0; i < 32; ++i) {
    for (int j = 0; j < 32; ++j) {
      EXPECT_EQ(out[size_t(i * 32 + j)], j * 32 + i);
    }
  }
}

/// R15: code and compile time do not grow with the tile.
TEST(CompileOps, LargeTilesCompileQuickly) {
  const std::string big = "1024x1024";
  for (const char *op :
       {"  %r = tile.reduce (%t) axis 0 : (tensor<1024x1024xi32>) -> "
        "tensor<1024xi32>",
        "  %r = tile.reduce (%t) axis 1 : (tensor<1024x1024xi32>) -> "
        "tensor<1024xi32>"}) {
    Program program((Head + grid2d("1024", "1024") + op + Sum +
                     storeAll("%r", 1024, "i32", "1024"))
                        .c_str());
    EXPECT_LT(program.compileSeconds, 1);
  }
  Program scan((Head + grid2d("1024", "1024") +
                "  %r = tile.scan (%t) axis 1 : (tensor<1024x1024xi32>) -> "
                "tensor<1024x1024xi32>" +
                Sum + storeAll("%r", 1 << 20, "i32", big))
                   .c_str());
  EXPECT_LT(scan.compileSeconds, 1);
  std::vector<int32_t> out(1 << 20);
  scan.arg(out.data()).run(1);
  EXPECT_EQ(out[1023], 1023 * 1024 / 2);
}

TEST(CompileOps, ConstantOfSeveralValues) {
  auto out = runInt(Head + R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %z = arith.constant dense<0> : tensor<5xi32>
  // A loop whose next value is the constant itself, and one that adds it.
  %l:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %z, %y = %z) -> (tensor<5xi32>, tensor<5xi32>) : i32 {
    %k = arith.constant dense<[3, 1, -4, 1, 5]> : tensor<5xi32>
    %s = arith.addi %y, %k : tensor<5xi32>
    scf.yield %k, %s : tensor<5xi32>, tensor<5xi32>
  }
  %r = arith.muli %l#0, %l#1 : tensor<5xi32>
)" + storeAll("%r", 5, "i32", "5"),
                    5);
  EXPECT_EQ(out, (std::vector<int32_t>{27, 3, 48, 3, 75}));
}

} // namespace
