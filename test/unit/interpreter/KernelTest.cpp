//===- KernelTest.cpp - whole kernels in the interpreter ------------------===//
//
// What   Vector add, softmax, matrix product, loops: small programs with known
//        answers.
// Why    The shortest proof that the parts work together.
//
//===----------------------------------------------------------------------===//
#include "RunKernel.h"

#include "core/interpreter/Compare.h"

#include <cmath>
#include <numeric>

using namespace tz::interpreter;
using Kernel = RunKernel;

TEST_F(Kernel, AddsVectorsWithATail) {
  std::vector<float> x(10), y(10), z(12, -1.0f);
  std::iota(x.begin(), x.end(), 1.0f);
  std::iota(y.begin(), y.end(), 100.0f);
  give(x, "x");
  give(y, "y");
  give(z, "z");
  launch.args.push_back(ArgValue::integer(10));
  launch.grid = {3, 1, 1};
  EXPECT_EQ(run(R"(
    tile.kernel @add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>,
                     %z: !tile.ptr<f32>, %n: i32) {
      %c4 = arith.constant 4 : i32
      %pid = tile.program_id 0
      %start = arith.muli %pid, %c4 : i32
      %lanes = tile.range 0 to 4 : tensor<4xi32>
      %base = tile.splat %start : i32 -> tensor<4xi32>
      %offs = arith.addi %base, %lanes : tensor<4xi32>
      %limit = tile.splat %n : i32 -> tensor<4xi32>
      %mask = arith.cmpi slt, %offs, %limit : tensor<4xi32>
      %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
      %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
      %zs = tile.splat %z : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
      %xp = tile.addptr %xs, %offs : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
      %yp = tile.addptr %ys, %offs : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
      %zp = tile.addptr %zs, %offs : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
      %a = tile.load %xp mask %mask : tensor<4x!tile.ptr<f32>>
             mask tensor<4xi1> -> tensor<4xf32>
      %b = tile.load %yp mask %mask : tensor<4x!tile.ptr<f32>>
             mask tensor<4xi1> -> tensor<4xf32>
      %sum = arith.addf %a, %b : tensor<4xf32>
      tile.store %zp, %sum mask %mask
        : tensor<4x!tile.ptr<f32>>, tensor<4xf32>, tensor<4xi1>
      tile.return
    })"),
            "");
  EXPECT_THAT(z, testing::ElementsAre(101, 103, 105, 107, 109, 111, 113, 115,
                                      117, 119, -1, -1));
  EXPECT_EQ(report.programs, 3u);
}

TEST_F(Kernel, ComputesSoftmaxOfARow) {
  std::vector<float> x = {1, 2, 3, -1}, y(4);
  give(x, "x");
  give(y, "y");
  EXPECT_EQ(run(R"(
    tile.kernel @softmax(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
      %offs = tile.range 0 to 4 : tensor<4xi32>
      %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
      %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
      %xp = tile.addptr %xs, %offs : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
      %yp = tile.addptr %ys, %offs : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
      %a = tile.load %xp : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
      %max = tile.reduce(%a) axis 0 : (tensor<4xf32>) -> f32 {
      ^bb0(%p: f32, %q: f32):
        %r = tile.maxf %p, %q : f32
        tile.yield %r : f32
      }
      %maxs = tile.splat %max : f32 -> tensor<4xf32>
      %d = arith.subf %a, %maxs : tensor<4xf32>
      %e = tile.math exp %d : tensor<4xf32>
      %sum = tile.reduce(%e) axis 0 : (tensor<4xf32>) -> f32 {
      ^bb0(%p: f32, %q: f32):
        %r = arith.addf %p, %q : f32
        tile.yield %r : f32
      }
      %sums = tile.splat %sum : f32 -> tensor<4xf32>
      %out = tile.divf approx %e, %sums : tensor<4xf32>
      tile.store %yp, %out : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
      tile.return
    })"),
            "");
  double sum = 0;
  for (float v : x) {
    sum += std::exp(v - 3.0);
  }
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(y[i], std::exp(x[i] - 3.0) / sum, 1e-7);
  }
}

TEST_F(Kernel, MultipliesMatricesThroughViewsAndALoop) {
  // C (5 x 6) = A (5 x 7) x B (7 x 6) in blocks of 4 x 4 x 4.
  const int64_t m = 5, n = 6, k = 7;
  std::vector<float> a(m * k), b(k * n), c(m * n, -1.0f);
  std::iota(a.begin(), a.end(), -10.0f);
  std::iota(b.begin(), b.end(), -20.0f);
  give(a, "a");
  give(b, "b");
  give(c, "c");
  launch.grid = {2, 2, 1};
  EXPECT_EQ(run(R"(
    tile.kernel @matmul(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>,
                        %c: !tile.ptr<f32>) {
      %c0 = arith.constant 0 : i64
      %c1 = arith.constant 1 : i64
      %c4 = arith.constant 4 : i64
      %m = arith.constant 5 : i64
      %n = arith.constant 6 : i64
      %k = arith.constant 7 : i64
      %x = tile.program_id 0
      %y = tile.program_id 1
      %x64 = arith.extsi %x : i32 to i64
      %y64 = arith.extsi %y : i32 to i64
      %row = arith.muli %x64, %c4 : i64
      %col = arith.muli %y64, %c4 : i64
      %va = tile.make_view %a shape [%m, %k] strides [%k, %c1]
              : !tile.ptr<f32> -> !tile.view<4x4xf32>
      %vb = tile.make_view %b shape [%k, %n] strides [%n, %c1]
              : !tile.ptr<f32> -> !tile.view<4x4xf32>
      %vc = tile.make_view %c shape [%m, %n] strides [%n, %c1]
              : !tile.ptr<f32> -> !tile.view<4x4xf32>
      %a0 = tile.advance_view %va [%row, %c0] : !tile.view<4x4xf32>
      %zero = arith.constant dense<0.0> : tensor<4x4xf32>
      %sum, %last = scf.for %i = %c0 to %k step %c4
          iter_args(%acc = %zero, %pa = %a0)
          -> (tensor<4x4xf32>, !tile.view<4x4xf32>) : i64 {
        %ta = tile.load_view %pa [%c0, %c0] checked [true, true]
                : !tile.view<4x4xf32> -> tensor<4x4xf32>
        %tb = tile.load_view %vb [%i, %col] checked [true, true]
                : !tile.view<4x4xf32> -> tensor<4x4xf32>
        %d = tile.dot %ta, %tb, %acc
               : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
        %next = tile.advance_view %pa [%c0, %c4] : !tile.view<4x4xf32>
        scf.yield %d, %next : tensor<4x4xf32>, !tile.view<4x4xf32>
      }
      tile.store_view %vc [%row, %col], %sum checked [true, true]
        : !tile.view<4x4xf32>, tensor<4x4xf32>
      tile.return
    })"),
            "");
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float expected = 0;
      for (int64_t l = 0; l < k; ++l) {
        expected += a[i * k + l] * b[l * n + j];
      }
      EXPECT_EQ(c[i * n + j], expected) << i << ", " << j;
    }
  }
}

TEST_F(Kernel, FollowsControlFlow) {
  // Collatz steps of 27 (scf.while), and the parity of the result (scf.if).
  std::vector<int32_t> out(2);
  give(out, "out");
  launch.args.push_back(ArgValue::integer(27));
  EXPECT_EQ(run(R"(
    tile.kernel @collatz(%out: !tile.ptr<i32>, %start: i32) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %end, %steps = scf.while (%n = %start, %s = %c0)
          : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi ne, %n, %c1 : i32
        scf.condition(%more) %n, %s : i32, i32
      } do {
      ^bb0(%n: i32, %s: i32):
        %bit = arith.andi %n, %c1 : i32
        %odd = arith.cmpi eq, %bit, %c1 : i32
        %next = scf.if %odd -> (i32) {
          %t = arith.muli %n, %c3 : i32
          %u = arith.addi %t, %c1 : i32
          scf.yield %u : i32
        } else {
          %h = tile.divsi %n, %c2 : i32
          scf.yield %h : i32
        }
        %more = arith.addi %s, %c1 : i32
        scf.yield %next, %more : i32, i32
      }
      tile.store %out, %steps : !tile.ptr<i32>, i32
      %p = tile.addptr %out, %c1 : !tile.ptr<i32>, i32
      tile.store %p, %end : !tile.ptr<i32>, i32
      tile.return
    })"),
            "");
  EXPECT_THAT(out, testing::ElementsAre(111, 1));
}

TEST_F(Kernel, MultipliesLargeMatricesInSeconds) {
  // 517 x 333 x 1031, blocks of 64 x 64 x 32, with bounds and checks. The time
  // is in the test's report; the bound must hold for a plain f32 sum.
  const int64_t m = 517, n = 1031, k = 333;
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(i * 7919 % 2003) / 1000.0f - 1.0f;
  }
  for (size_t i = 0; i < b.size(); ++i) {
    b[i] = static_cast<float>(i * 104729 % 1999) / 1000.0f - 1.0f;
  }
  give(a, "a");
  give(b, "b");
  give(c, "c", /*initialized=*/false);
  launch.grid = {9, 17, 1};
  options.checked = true;
  options.trackErrors = true;
  EXPECT_EQ(run(R"(
    tile.kernel @matmul(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>,
                        %c: !tile.ptr<f32>) {
      %c0 = arith.constant 0 : i64
      %c1 = arith.constant 1 : i64
      %c32 = arith.constant 32 : i64
      %c64 = arith.constant 64 : i64
      %m = arith.constant 517 : i64
      %n = arith.constant 1031 : i64
      %k = arith.constant 333 : i64
      %x = tile.program_id 0
      %y = tile.program_id 1
      %x64 = arith.extsi %x : i32 to i64
      %y64 = arith.extsi %y : i32 to i64
      %row = arith.muli %x64, %c64 : i64
      %col = arith.muli %y64, %c64 : i64
      %va = tile.make_view %a shape [%m, %k] strides [%k, %c1]
              : !tile.ptr<f32> -> !tile.view<64x32xf32>
      %vb = tile.make_view %b shape [%k, %n] strides [%n, %c1]
              : !tile.ptr<f32> -> !tile.view<32x64xf32>
      %vc = tile.make_view %c shape [%m, %n] strides [%n, %c1]
              : !tile.ptr<f32> -> !tile.view<64x64xf32>
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero)
          -> (tensor<64x64xf32>) : i64 {
        %ta = tile.load_view %va [%row, %i] checked [true, true]
                : !tile.view<64x32xf32> -> tensor<64x32xf32>
        %tb = tile.load_view %vb [%i, %col] checked [true, true]
                : !tile.view<32x64xf32> -> tensor<32x64xf32>
        %d = tile.dot %ta, %tb, %acc
               : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      tile.store_view %vc [%row, %col], %sum checked [true, true]
        : !tile.view<64x64xf32>, tensor<64x64xf32>
      tile.return
    })"),
            "");
  EXPECT_THAT(report.findings, testing::IsEmpty());
  std::vector<float> plain(m * n);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t l = 0; l < k; ++l) {
      for (int64_t j = 0; j < n; ++j) {
        plain[i * n + j] += a[i * k + l] * b[l * n + j];
      }
    }
  }
  Tolerance tolerance = toleranceFrom(report, options.memory[2].base, c.size());
  Comparison comparison =
      compare(Kind::F32, c.data(), plain.data(), c.size(), tolerance);
  EXPECT_TRUE(comparison.matches()) << comparison.summary(tolerance);
  // One product left out is seen.
  plain[5] -= a[3] * b[3 * n + 5];
  comparison = compare(Kind::F32, c.data(), plain.data(), c.size(), tolerance);
  EXPECT_EQ(comparison.mismatches, 1u);
  EXPECT_EQ(comparison.worst, 5u);
}
