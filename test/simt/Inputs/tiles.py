"""A product whose blocks loop over tiles: the loop that the compiler makes of
other kernels, written by hand."""

import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, stride_a, stride_b, stride_c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    columns = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, tl.num_programs(0), flatten=True):
        rows = (tile // columns) * BM + tl.arange(0, BM)
        cols = (tile % columns) * BN + tl.arange(0, BN)
        inner = tl.arange(0, BK)
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            x = tl.load(a + rows[:, None] * stride_a + (k + inner)[None, :],
                        mask=(rows[:, None] < M) & ((k + inner)[None, :] < K), other=0.0)
            y = tl.load(b + (k + inner)[:, None] * stride_b + cols[None, :],
                        mask=((k + inner)[:, None] < K) & (cols[None, :] < N), other=0.0)
            acc = tl.dot(x, y, acc)
        tl.store(c + rows[:, None] * stride_c + cols[None, :], acc.to(tl.float16),
                 mask=(rows[:, None] < M) & (cols[None, :] < N))
