"""What loops carry of rows of M x N numbers, and reduce behind them."""

import triton
import triton.language as tl


@triton.jit
def both(a, b):
    return a & b


@triton.jit
def differ(a, b):
    return a ^ b


@triton.jit
def rows(x, every, odd, total, most, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    inside = row < M
    found = tl.full([BLOCK_M, BLOCK_N], True, tl.int1)
    parity = tl.zeros([BLOCK_M, BLOCK_N], tl.int32)
    sums = tl.zeros([BLOCK_M, BLOCK_N], tl.int32)
    largest = tl.full([BLOCK_M, BLOCK_N], -7, tl.int32)
    for start in range(0, N, BLOCK_N):
        col = start + tl.arange(0, BLOCK_N)
        mask = inside[:, None] & (col < N)[None, :]
        values = tl.load(x + row[:, None] * N + col[None, :], mask=mask, other=1)
        found = found & (values != 0)
        parity = parity ^ values
        sums += values
        largest = tl.maximum(largest, values)
    tl.store(every + row, tl.reduce(found, 1, both).to(tl.int32), mask=inside)
    tl.store(odd + row, tl.reduce(parity, 1, differ), mask=inside)
    tl.store(total + row, tl.sum(sums, axis=1), mask=inside)
    tl.store(most + row, tl.max(largest, axis=1), mask=inside)
