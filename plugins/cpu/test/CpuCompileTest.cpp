//===- CpuCompileTest.cpp - Kernels compiled, loaded and run --------------===//
//
// What   Tile IR as text through the whole compiler half and the device half's
//        loader, compared with what the kernel means in closed form.
// Why    Wrong code shows only when it runs.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"

#include "plugins/cpu/test/Program.h"

#include <cmath>

using namespace tz::cpu::test;

namespace {

const char *const AddKernel = R"(
tile.kernel @add(%x: !tile.ptr<f32> {tile.group = 1 : i64}, %y: !tile.ptr<f32> {tile.group = 2 : i64},
                 %o: !tile.ptr<f32> {tile.group = 3 : i64}, %n: i32) {
  %c = arith.constant 256 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %c : i32
  %r = tile.range 0 to 256 : tensor<256xi32>
  %s = tile.splat %start : i32 -> tensor<256xi32>
  %offs = arith.addi %s, %r : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %offs, %ns : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %a = tile.load %xp mask %m {group = 1 : i64} : tensor<256x!tile.ptr<f32>> mask tensor<256xi1> -> tensor<256xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %b = tile.load %yp mask %m {group = 2 : i64} : tensor<256x!tile.ptr<f32>> mask tensor<256xi1> -> tensor<256xf32>
  %sum = arith.addf %a, %b : tensor<256xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %op = tile.addptr %os, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %op, %sum mask %m {group = 3 : i64} : tensor<256x!tile.ptr<f32>>, tensor<256xf32>, tensor<256xi1>
  tile.return
}
)";

TEST(Compile, AddThroughPointers) {
  for (const std::string &target : targetsThatRun()) {
    SCOPED_TRACE(target);
    Program add(AddKernel, target.c_str());
    for (int n : {1, 255, 256, 1000}) {
      auto x = noise(1024, 1), y = noise(1024, 2);
      std::vector<float> o(1024, -5);
      add.arg(x.data()).arg(y.data()).arg(o.data()).arg(n).run(
          static_cast<uint32_t>(n + 255) / 256);
      for (int i = 0; i < 1024; ++i) {
        size_t k = static_cast<size_t>(i);
        ASSERT_EQ(o[k], i < n ? x[k] + y[k] : -5) << i << " of " << n;
      }
    }
  }
}

const char *const SoftmaxKernel = R"(
tile.kernel @softmax(%o: !tile.ptr<f32>, %x: !tile.ptr<f32>, %stride: i64, %n: i64) {
  %pid = tile.program_id 0
  %row = arith.extsi %pid : i32 to i64
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %off = arith.muli %row, %stride : i64
  %xr = tile.addptr %x, %off : !tile.ptr<f32>, i64
  %or = tile.addptr %o, %off : !tile.ptr<f32>, i64
  %inf = arith.constant 0xFF800000 : f32
  %v = tile.make_view %xr shape [%n] strides [%one] : !tile.ptr<f32> -> !tile.view<512xf32>
  %r = tile.load_view %v [%zero] other %inf checked [true] {group = 1 : i64} : !tile.view<512xf32>, f32 -> tensor<512xf32>
  %max = tile.reduce (%r) axis 0 : (tensor<512xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %m = tile.maxf %a, %b : f32
    tile.yield %m : f32
  }
  %ms = tile.splat %max : f32 -> tensor<512xf32>
  %d = arith.subf %r, %ms : tensor<512xf32>
  %e = tile.math exp %d : tensor<512xf32>
  %sum = tile.reduce (%e) axis 0 : (tensor<512xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  }
  %ss = tile.splat %sum : f32 -> tensor<512xf32>
  %q = tile.divf approx %e, %ss : tensor<512xf32>
  %ov = tile.make_view %or shape [%n] strides [%one] : !tile.ptr<f32> -> !tile.view<512xf32>
  tile.store_view %ov [%zero], %q checked [true] {group = 2 : i64} : !tile.view<512xf32>, tensor<512xf32>
  tile.return
}
)";

TEST(Compile, Softmax) {
  Program softmax(SoftmaxKernel);
  for (int64_t n : {1, 77, 512}) {
    const size_t rows = 3, stride = 520;
    auto x = noise(rows * stride, 3);
    std::vector<float> o(x.size(), -5);
    softmax.arg(o.data()).arg(x.data()).arg(int64_t{stride}).arg(n).run(rows);
    for (size_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (size_t i = 0; i < size_t(n); ++i) {
        sum += std::exp(double(x[r * stride + i]));
      }
      for (size_t i = 0; i < stride; ++i) {
        float want = i < size_t(n)
                         ? float(std::exp(double(x[r * stride + i])) / sum)
                         : -5;
        ASSERT_NEAR(o[r * stride + i], want, 1e-6) << r << " " << i;
      }
    }
  }
}

const char *const MatmulKernel = R"(
tile.kernel @matmul(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %M: i64, %N: i64, %K: i64) attributes {tile.contract = true} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %bm = arith.constant 64 : i64
  %bk = arith.constant 32 : i64
  %px = tile.program_id 0
  %py = tile.program_id 1
  %x64 = arith.extsi %px : i32 to i64
  %y64 = arith.extsi %py : i32 to i64
  %m = arith.muli %x64, %bm : i64
  %n = arith.muli %y64, %bm : i64
  %va = tile.make_view %a shape [%M, %K] strides [%K, %one] : !tile.ptr<f32> -> !tile.view<64x32xf32>
  %vb = tile.make_view %b shape [%K, %N] strides [%N, %one] : !tile.ptr<f32> -> !tile.view<32x64xf32>
  %vc = tile.make_view %c shape [%M, %N] strides [%N, %one] : !tile.ptr<f32> -> !tile.view<64x64xf32>
  %f0 = arith.constant 0.0 : f32
  %acc0 = tile.splat %f0 : f32 -> tensor<64x64xf32>
  %acc = scf.for %k = %zero to %K step %bk iter_args(%t = %acc0) -> (tensor<64x64xf32>) : i64 {
    %at = tile.load_view %va [%m, %k] checked [true, true] {group = 1 : i64} : !tile.view<64x32xf32> -> tensor<64x32xf32>
    %bt = tile.load_view %vb [%k, %n] checked [true, true] {group = 2 : i64} : !tile.view<32x64xf32> -> tensor<32x64xf32>
    %d = tile.dot %at, %bt, %t : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store_view %vc [%m, %n], %acc checked [true, true] {group = 3 : i64} : !tile.view<64x64xf32>, tensor<64x64xf32>
  tile.return
}
)";

TEST(Compile, Matmul) {
  Program matmul(MatmulKernel);
  const int64_t M = 100, N = 130, K = 70;
  auto a = noise(size_t(M * K), 1), b = noise(size_t(K * N), 2);
  std::vector<float> c(size_t(M * N), -5);
  matmul.arg(a.data()).arg(b.data()).arg(c.data()).arg(M).arg(N).arg(K).run(2,
                                                                            3);
  for (int64_t i = 0; i < M; ++i) {
    for (int64_t j = 0; j < N; ++j) {
      double want = 0;
      for (int64_t k = 0; k < K; ++k) {
        want += double(a[size_t(i * K + k)]) * double(b[size_t(k * N + j)]);
      }
      ASSERT_NEAR(c[size_t(i * N + j)], want, 1e-4) << i << " " << j;
    }
  }
}

} // namespace
