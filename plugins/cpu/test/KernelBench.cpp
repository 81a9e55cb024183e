//===- KernelBench.cpp - Compiled kernels against simple peers ------------===//
//
// What   Time of compiled vector add, softmax and matmul on one thread, beside
//        a copy loop and, where a BLAS library is found at run time, its sgemm.
// Why    Ratios of medians in one process, run by hand: the numbers that
//        docs/results/figures.md gives for the cpu target.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/test/Program.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>

using namespace tz::cpu::test;

namespace {

/// Of this thread's processor time: other processes do not count.
double seconds(llvm::function_ref<void()> body) {
  auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
  };
  double start = now();
  body();
  return now() - start;
}

/// Medians of both, measured in turn.
std::pair<double, double> race(int rounds, llvm::function_ref<void()> ours,
                               llvm::function_ref<void()> peer) {
  std::vector<double> a, b;
  for (int i = 0; i < rounds; ++i) {
    a.push_back(seconds(ours));
    b.push_back(seconds(peer));
  }
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return {a[a.size() / 2], b[b.size() / 2]};
}

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

const char *const Add = R"(
tile.kernel @add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %o: !tile.ptr<f32>, %n: i64) {
  %c = arith.constant 1024 : i64
  %one = arith.constant 1 : i64
  %pid = tile.program_id 0
  %p = arith.extsi %pid : i32 to i64
  %s = arith.muli %p, %c : i64
  %vx = tile.make_view %x shape [%n] strides [%one] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vy = tile.make_view %y shape [%n] strides [%one] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %vo = tile.make_view %o shape [%n] strides [%one] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %a = tile.load_view %vx [%s] checked [true] {group = 1 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
  %b = tile.load_view %vy [%s] checked [true] {group = 2 : i64} : !tile.view<1024xf32> -> tensor<1024xf32>
  %r = arith.addf %a, %b : tensor<1024xf32>
  tile.store_view %vo [%s], %r checked [true] {group = 3 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
  tile.return
}
)";

const char *const Softmax = R"(
tile.kernel @softmax(%o: !tile.ptr<f32>, %x: !tile.ptr<f32>, %stride: i64, %n: i64) {
  %pid = tile.program_id 0
  %row = arith.extsi %pid : i32 to i64
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %off = arith.muli %row, %stride : i64
  %xr = tile.addptr %x, %off : !tile.ptr<f32>, i64
  %or = tile.addptr %o, %off : !tile.ptr<f32>, i64
  %inf = arith.constant 0xFF800000 : f32
  %v = tile.make_view %xr shape [%n] strides [%one] : !tile.ptr<f32> -> !tile.view<1024xf32>
  %r = tile.load_view %v [%zero] other %inf checked [true] {group = 1 : i64} : !tile.view<1024xf32>, f32 -> tensor<1024xf32>
  %max = tile.reduce (%r) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %m = tile.maxf %a, %b : f32
    tile.yield %m : f32
  }
  %ms = tile.splat %max : f32 -> tensor<1024xf32>
  %d = arith.subf %r, %ms : tensor<1024xf32>
  %e = tile.math exp %d : tensor<1024xf32>
  %sum = tile.reduce (%e) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  }
  %ss = tile.splat %sum : f32 -> tensor<1024xf32>
  %q = tile.divf approx %e, %ss : tensor<1024xf32>
  %ov = tile.make_view %or shape [%n] strides [%one] : !tile.ptr<f32> -> !tile.view<1024xf32>
  tile.store_view %ov [%zero], %q checked [true] {group = 2 : i64} : !tile.view<1024xf32>, tensor<1024xf32>
  tile.return
}
)";

const char *const Matmul = R"(
tile.kernel @matmul(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %M: i64, %N: i64, %K: i64) attributes {tile.contract = true} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %bm = arith.constant BM : i64
  %bn = arith.constant BN : i64
  %bk = arith.constant BK : i64
  %px = tile.program_id 0
  %py = tile.program_id 1
  %x64 = arith.extsi %px : i32 to i64
  %y64 = arith.extsi %py : i32 to i64
  %m = arith.muli %x64, %bm : i64
  %n = arith.muli %y64, %bn : i64
  %va = tile.make_view %a shape [%M, %K] strides [%K, %one] : !tile.ptr<f32> -> !tile.view<BMxBKxf32>
  %vb = tile.make_view %b shape [%K, %N] strides [%N, %one] : !tile.ptr<f32> -> !tile.view<BKxBNxf32>
  %vc = tile.make_view %c shape [%M, %N] strides [%N, %one] : !tile.ptr<f32> -> !tile.view<BMxBNxf32>
  %f0 = arith.constant 0.0 : f32
  %acc0 = tile.splat %f0 : f32 -> tensor<BMxBNxf32>
  %acc = scf.for %k = %zero to %K step %bk iter_args(%t = %acc0) -> (tensor<BMxBNxf32>) : i64 {
    %at = tile.load_view %va [%m, %k] checked [true, true] {group = 1 : i64} : !tile.view<BMxBKxf32> -> tensor<BMxBKxf32>
    %bt = tile.load_view %vb [%k, %n] checked [true, true] {group = 2 : i64} : !tile.view<BKxBNxf32> -> tensor<BKxBNxf32>
    %d = tile.dot %at, %bt, %t : tensor<BMxBKxf32>, tensor<BKxBNxf32> -> tensor<BMxBNxf32>
    scf.yield %d : tensor<BMxBNxf32>
  }
  tile.store_view %vc [%m, %n], %acc checked [true, true] {group = 3 : i64} : !tile.view<BMxBNxf32>, tensor<BMxBNxf32>
  tile.return
}
)";

using Sgemm = void (*)(int, int, int, int, int, int, float, const float *, int,
                       const float *, int, float, float *, int);

} // namespace

int main(int argc, char **argv) {
  const size_t n = size_t{1} << 23;
  // As the device half allocates: aligned, and not all at one page offset.
  auto allocate = [](size_t count, size_t skew) {
    void *memory = nullptr;
    if (posix_memalign(&memory, 4096, count * 4 + 65536) != 0) {
      abort();
    }
    return reinterpret_cast<float *>(static_cast<char *>(memory) + skew);
  };
  float *x = allocate(n, 0), *y = allocate(n, 1344), *o = allocate(n, 2688);
  {
    auto values = noise(n, 1);
    std::copy(values.begin(), values.end(), x);
    std::copy(values.rbegin(), values.rend(), y);
    std::fill(o, o + n, 0.0f);
  }
  auto gbs = [](double bytes, double s) { return bytes / s * 1e-9; };
  {
    Program add(Add);
    auto [ours, peer] = race(
        15,
        [&] {
          add.arg(x).arg(y).arg(o).arg(int64_t(n));
          add.run(n / 1024);
        },
        [&] {
          for (size_t i = 0; i < n; ++i) {
            o[i] = x[i] + y[i];
          }
          __asm__ volatile("" ::: "memory");
        });
    printf("add      %6.1f GB/s, plain loop %6.1f: %.2f (compile %.0f ms)\n",
           gbs(12.0 * double(n), ours), gbs(12.0 * double(n), peer),
           peer / ours, add.compileSeconds * 1e3);
  }
  for (int64_t columns : {781, 1024}) {
    Program softmax(Softmax);
    const size_t rows = n / 1024;
    auto [ours, peer] = race(
        15,
        [&] {
          softmax.arg(o).arg(x).arg(columns).arg(columns);
          softmax.run(uint32_t(rows));
        },
        [&] { std::memcpy(o, x, rows * size_t(columns) * 4); });
    double bytes = 8.0 * double(rows) * double(columns);
    printf("softmax %4d %6.1f GB/s, copy %6.1f: %.2f (compile %.0f ms)\n",
           int(columns), gbs(bytes, ours), gbs(bytes, peer), peer / ours,
           softmax.compileSeconds * 1e3);
  }
  void *blas = dlopen("libopenblas.so.0", RTLD_NOW);
  auto sgemm =
      blas ? reinterpret_cast<Sgemm>(dlsym(blas, "cblas_sgemm")) : nullptr;
  if (auto threads = blas ? reinterpret_cast<void (*)(int)>(
                                dlsym(blas, "openblas_set_num_threads"))
                          : nullptr) {
    threads(1);
  }
  for (auto [bm, bn, bk] : {std::array{128, 128, 32},
                            {64, 64, 32},
                            {128, 256, 64},
                            {64, 256, 128}}) {
    std::string text = replaced(Matmul, "BM", std::to_string(bm));
    text = replaced(text, "BN", std::to_string(bn));
    text = replaced(text, "BK", std::to_string(bk));
    Program matmul(text.c_str());
    const int s = 1024;
    auto [ours, peer] = race(
        7,
        [&] {
          matmul.arg(x).arg(y).arg(o);
          matmul.arg(int64_t{s}).arg(int64_t{s}).arg(int64_t{s});
          matmul.run(uint32_t(s / bm), uint32_t(s / bn));
        },
        [&] {
          if (sgemm) {
            sgemm(101, 111, 111, s, s, s, 1, x, s, y, s, 0, o, s);
          }
        });
    printf("matmul %3dx%3dx%3d %6.1f GFLOP/s, BLAS %6.1f: %.2f (compile %.0f "
           "ms)\n",
           bm, bn, bk, 2e-9 * s * s * s / ours, 2e-9 * s * s * s / peer,
           peer / ours, matmul.compileSeconds * 1e3);
  }
  return 0;
}
