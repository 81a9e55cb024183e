//===- Peers.h - what the CPU target is measured against --------*- C++ -*-===//
//
// What   Copy with the best of normal and non-temporal stores, a BLAS's sgemm,
//        a library's bf16 matmul: each on the same threads as ours.
// Why    A bar is a ratio to a peer in the same run (R20).
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_BENCH_CPU_PEERS_H
#define TERRAZZO_TEST_BENCH_CPU_PEERS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace tz::bench {

/// Copies `bytes` (a multiple of 64; both 64-byte aligned) on `threads`
/// threads.
void copy(void *to, const void *from, size_t bytes, unsigned threads,
          bool nonTemporal);

/// OpenBLAS takes its oldest kernels where it does not know the processor. Then
/// this program starts again and asks for those of the instructions that are
/// there. First in main().
void askForBestBlas(char **argv);
/// Name of the BLAS with its kernel ("OpenBLAS SkylakeX"), empty if there is
/// none.
std::string blasName(unsigned threads);
/// C = A B, row-major, n x n.
void sgemm(int n, const float *a, const float *b, float *c);

/// Multiplies once with the bf16 peer, which may end the process: for a child.
int probeBf16();
/// Name of the bf16 peer; empty if there is none: `why` says what is missing.
std::string bf16Name(std::string &why);
/// C (fp32) = A B (bf16), row-major, n x n. Packs nothing ahead of time.
void bf16gemm(int n, const uint16_t *a, const uint16_t *b, float *c);

} // namespace tz::bench

#endif // TERRAZZO_TEST_BENCH_CPU_PEERS_H
