"""A product of rows and columns whose numbers are loaded: no bulk copy unit reads them."""

import triton
import triton.language as tl


@triton.jit
def product(
    a, b, c, rows, cols, K, N,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    row = tl.load(rows + tl.arange(0, BLOCK_M))
    col = tl.load(cols + tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N))
    inner = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        at = start + inner
        left = tl.load(a + row[:, None] * K + at[None, :], mask=at[None, :] < K, other=0.0)
        right = tl.load(b + at[:, None] * N + col[None, :], mask=at[:, None] < K, other=0.0)
        acc = tl.dot(left, right, acc)
    out = tl.arange(0, BLOCK_M)[:, None] * N + (tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N))[None, :]
    tl.store(c + out, acc)
