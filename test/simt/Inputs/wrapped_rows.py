"""A product whose rows and columns wrap around: whole tiles have a version of the loop without that."""

import triton
import triton.language as tl


@triton.jit
def product(
    a, b, c, M, N, K, stride_am, stride_bk, stride_cm,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    tile_m = tl.program_id(0) % tl.cdiv(M, BLOCK_M)
    tile_n = tl.program_id(0) // tl.cdiv(M, BLOCK_M)
    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_ptrs = a + (rows % M)[:, None] * stride_am + inner[None, :]
    b_ptrs = b + inner[:, None] * stride_bk + (cols % N)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        left = tl.load(a_ptrs, mask=inner[None, :] < K - step * BLOCK_K, other=0.0)
        right = tl.load(b_ptrs, mask=inner[:, None] < K - step * BLOCK_K, other=0.0)
        acc = tl.dot(left, right, acc)
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K * stride_bk
    inside = (rows < M)[:, None] & (cols < N)[None, :]
    tl.store(c + rows[:, None] * stride_cm + cols[None, :], acc.to(tl.float16), mask=inside)
