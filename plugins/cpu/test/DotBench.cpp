//===- DotBench.cpp - Matrix products against a BLAS ----------------------===//
//
// What   Whole fp32 matrix products made of packing and micro-kernels, one tile
//        of C a program, on the device half's pool; beside sgemm on the same
//        threads, interleaved, best and median of the runs.
//        dot-bench [size] [BM] [BN] [BK] [threads]
// Why    Shows what the emitters can reach before any code generator is
//        involved. Not part of ci: it needs a quiet machine.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/dot/Dot.h"
#include "plugins/cpu/compiler/dot/EmitFor.h"
#include "plugins/cpu/device/ThreadPool.h"
#include "plugins/cpu/test/Jit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <sys/mman.h>

extern "C" {
void openblas_set_num_threads(int);
char *openblas_get_corename();
void cblas_sgemm(int order, int transA, int transB, int m, int n, int k,
                 float alpha, const float *a, int lda, const float *b, int ldb,
                 float beta, float *c, int ldc);
}

using namespace tz::cpu;
using tz::cpu::test::hostRuns;
using tz::cpu::test::Jit;

namespace {

struct Args {
  const float *a, *b;
  float *c;
};

struct Sizes {
  int64_t n, bm, bn, bk;
};

/// The kernel of KernelEntry.h: C[n x n] = A * B, all row-major, sizes fixed.
size_t defineKernel(Jit &jit, const Sizes &s) {
  llvm::Type *pointer = llvm::PointerType::getUnqual(jit.context);
  llvm::Type *i64 = llvm::Type::getInt64Ty(jit.context);
  DotPlan plan = planDot(jit.isa, DotInput::F32, s.bm, s.bn, s.bk);
  const size_t accBytes = static_cast<size_t>(s.bm * s.bn) * 4;
  jit.define(
      "matmul", {pointer, pointer, i64, i64, pointer, pointer},
      [&](llvm::IRBuilder<> &b, llvm::Function *f) {
        auto number = [&](int64_t v) {
          return b.getInt64(static_cast<uint64_t>(v));
        };
        auto argument = [&](unsigned i) {
          return b.CreateLoad(pointer,
                              b.CreateConstGEP1_64(pointer, f->getArg(0), i));
        };
        auto element = [&](llvm::Value *base, llvm::Value *index) {
          return b.CreateGEP(b.getFloatTy(), base, index);
        };
        llvm::Value *matrixA = argument(0), *matrixB = argument(1),
                    *matrixC = argument(2), *arena = f->getArg(4);
        llvm::Value *acc = arena;
        llvm::Value *packedA =
            b.CreateConstGEP1_64(b.getInt8Ty(), arena, accBytes);
        llvm::Value *packedB =
            b.CreateConstGEP1_64(b.getInt8Ty(), packedA, plan.packedABytes);
        emitFor(b, f->getArg(2), f->getArg(3), 1, [&](llvm::Value *id) {
          llvm::Value *tilesN = number(s.n / s.bn);
          llvm::Value *row =
              b.CreateMul(b.CreateUDiv(id, tilesN), number(s.bm));
          llvm::Value *col =
              b.CreateMul(b.CreateURem(id, tilesN), number(s.bn));
          b.CreateMemSet(acc, b.getInt8(0), accBytes, llvm::Align(64));
          emitFor(b, number(0), number(s.n), s.bk, [&](llvm::Value *k) {
            DotSource a, bs;
            a.base =
                element(matrixA, b.CreateAdd(b.CreateMul(row, number(s.n)), k));
            bs.base =
                element(matrixB, b.CreateAdd(b.CreateMul(k, number(s.n)), col));
            a.rowStride = bs.rowStride = number(s.n);
            a.colStride = bs.colStride = number(1);
            emitPackA(b, plan, a, packedA);
            emitPackB(b, plan, bs, packedB);
            emitDot(b, plan, packedA, number(plan.lda), packedB, acc,
                    number(s.bn), true);
          });
          emitFor(b, number(0), number(s.bm), 1, [&](llvm::Value *i) {
            llvm::Value *to = element(
                matrixC,
                b.CreateAdd(b.CreateMul(b.CreateAdd(row, i), number(s.n)),
                            col));
            b.CreateMemCpy(to, llvm::Align(4),
                           element(acc, b.CreateMul(i, number(s.bn))),
                           llvm::Align(4), static_cast<uint64_t>(s.bn) * 4);
          });
        });
      });
  jit.define("dot", {pointer, pointer, pointer},
             [&](llvm::IRBuilder<> &b, llvm::Function *f) {
               auto lda = b.getInt64(static_cast<uint64_t>(plan.lda));
               auto ld = b.getInt64(static_cast<uint64_t>(s.bn));
               emitDot(b, plan, f->getArg(0), lda, f->getArg(1), f->getArg(2),
                       ld, true);
             });
  return accBytes + plan.packedABytes + plan.packedBBytes;
}

/// Wall time; with one thread the processor's time, which does not count what
/// other processes take away.
template <typename Body>
double seconds(unsigned threads, Body body) {
  auto now = [&] {
    timespec t;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) +
           1e-9 * static_cast<double>(t.tv_nsec);
  };
  double start = now();
  body();
  return now() - start;
}

/// GFLOP/s of one tile's product whose operands are packed and in the cache.
double bareRate(const Jit &jit, const Sizes &s) {
  DotPlan plan = planDot(jit.isa, DotInput::F32, s.bm, s.bn, s.bk);
  auto buffer = [](size_t bytes) {
    auto *memory = static_cast<float *>(
        std::aligned_alloc(4096, (bytes + 4095) & ~size_t{4095}));
    std::fill_n(memory, bytes / 4, 0.0f);
    return memory;
  };
  float *a = buffer(plan.packedABytes), *b = buffer(plan.packedBBytes);
  float *acc = buffer(static_cast<size_t>(s.bm * s.bn) * 4);
  auto dot = jit.function<void (*)(float *, float *, float *)>("dot");
  double best = 1e9;
  for (int round = 0; round < 50; ++round) {
    best = std::min(best, seconds(1, [&] {
                      for (int i = 0; i < 20; ++i) {
                        dot(a, b, acc);
                      }
                    }));
  }
  std::free(a);
  std::free(b);
  std::free(acc);
  return 20 * 2.0 * static_cast<double>(s.bm * s.bn * s.bk) / best * 1e-9;
}

std::string hostLevel() {
  for (const char *level : {"x86-64-v4", "x86-64-v3"}) {
    if (hostRuns(level)) {
      return level;
    }
  }
  return "x86-64-v2";
}

} // namespace

int main(int argc, char **argv) {
  auto option = [&](int i, int64_t otherwise) {
    return argc > i ? std::atoll(argv[i]) : otherwise;
  };
  Sizes s{option(1, 1024), option(2, 128), option(3, 128), option(4, 128)};
  const auto threads = static_cast<unsigned>(option(5, 2));
  if (s.n % s.bm || s.n % s.bn || s.n % s.bk) {
    std::fprintf(stderr, "the blocks must divide the size\n");
    return 1;
  }
  Jit jit(hostLevel());
  size_t arena = defineKernel(jit, s);
  jit.load();
  auto entry = jit.function<tz_cpu_entry>("matmul");
  ThreadPool pool(threads);
  openblas_set_num_threads(static_cast<int>(threads));

  const auto count = static_cast<size_t>(s.n * s.n);
  // As the device half allocates: huge pages where the system gives them.
  auto matrix = [&] {
    const size_t huge = size_t{2} << 20;
    const size_t bytes = (count * 4 + huge - 1) & ~(huge - 1);
    void *memory = std::aligned_alloc(huge, bytes);
    madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<float *>(memory);
  };
  float *a = matrix(), *b = matrix(), *c = matrix(), *reference = matrix();
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (size_t i = 0; i < count; ++i) {
    a[i] = uniform(random);
    b[i] = uniform(random);
  }
  Args args{a, b, c};
  GridJob job;
  job.entry = entry;
  job.args = &args;
  job.programs = (s.n / s.bm) * (s.n / s.bn);
  job.arenaBytes = arena;
  const int n = static_cast<int>(s.n);
  std::vector<double> ours, theirs;
  for (int round = 0; round < 15; ++round) {
    ours.push_back(seconds(threads, [&] { pool.run(job); }));
    theirs.push_back(seconds(threads, [&] {
      cblas_sgemm(101, 111, 111, n, n, n, 1, a, n, b, n, 0, reference, n);
    }));
  }
  double worst = 0;
  for (size_t i = 0; i < count; ++i) {
    worst = std::max(worst, std::fabs(static_cast<double>(c[i]) -
                                      static_cast<double>(reference[i])));
  }
  std::sort(ours.begin(), ours.end());
  std::sort(theirs.begin(), theirs.end());
  const double flop = 2.0 * static_cast<double>(s.n) *
                      static_cast<double>(s.n) * static_cast<double>(s.n);
  DotPlan plan = planDot(jit.isa, DotInput::F32, s.bm, s.bn, s.bk);
  std::printf("bare tile %.1f GFLOP/s a core; ", bareRate(jit, s));
  std::printf("n %ld, tile %ldx%ldx%ld, block %ux%u, %u threads: ours %.1f "
              "(best %.1f), OpenBLAS %s %.1f (best %.1f) GFLOP/s, ratio %.2f, "
              "max difference %.1e\n",
              s.n, s.bm, s.bn, s.bk, plan.MR, plan.NR, threads,
              flop / ours[ours.size() / 2] * 1e-9, flop / ours[0] * 1e-9,
              openblas_get_corename(), flop / theirs[theirs.size() / 2] * 1e-9,
              flop / theirs[0] * 1e-9,
              theirs[theirs.size() / 2] / ours[ours.size() / 2], worst);
  return worst < 1e-2 ? 0 : 1;
}
