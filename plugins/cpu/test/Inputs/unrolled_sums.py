"""Loops that combine tiles element by element."""

import triton
import triton.language as tl


@triton.jit
def row_sum(out, x, stride, n, BLOCK: tl.constexpr):
    """The loop of most kernels: whole blocks, then one in part."""
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * stride + cols, mask=cols < n, other=0.0)
    tl.store(out + row * BLOCK + tl.arange(0, BLOCK), total)


@triton.jit
def moments(out, x, stride, first, last, BLOCK: tl.constexpr):
    """Two tiles, bounds of 64 bits, and a number that counts iterations."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    largest = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    count = 0
    for start in range(first.to(tl.int64), last.to(tl.int64), BLOCK):
        values = tl.load(x + row * stride + start + cols)
        total = total * 0.5 + values
        largest = tl.maximum(largest, values)
        count += 1
    tl.store(out + row * 2 * BLOCK + cols, total + count)
    tl.store(out + (row * 2 + 1) * BLOCK + cols, largest)


@triton.jit
def columns(out, x, rows, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """A tile of rank two."""
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    width = tl.num_programs(0) * BLOCK_N
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, rows, BLOCK_M):
        at = (start + tl.arange(0, BLOCK_M))[:, None] * width + cols[None, :]
        total += tl.load(x + at)
    tl.store(out + cols, tl.sum(total, axis=0))
