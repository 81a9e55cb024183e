"""Reductions, and tiles that a loop carries, that one nest computes together, and those that it must not."""

import triton
import triton.language as tl


@triton.jit
def moments(out, x, stride, n, BLOCK: tl.constexpr):
    """Three sums of what one load gives; the third begins behind the use of the first."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + cols, mask=cols < n, other=0.0)
    total = tl.sum(values, axis=0)
    mean = total / n
    squares = tl.sum(values * values, axis=0)
    positive = tl.sum((values > 0).to(tl.int32), axis=0)
    spread = tl.sum((values - mean) * (values - mean), axis=0)
    tl.store(out + row * 4, total)
    tl.store(out + row * 4 + 1, squares)
    tl.store(out + row * 4 + 2, positive.to(tl.float32))
    tl.store(out + row * 4 + 3, spread)


@triton.jit
def bits(out, x, BLOCK: tl.constexpr):
    """Integers, each combined in its own way."""
    values = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.store(out + tl.program_id(0) * 4, tl.max(values, axis=0))
    tl.store(out + tl.program_id(0) * 4 + 1, tl.min(values, axis=0))
    tl.store(out + tl.program_id(0) * 4 + 2, tl.xor_sum(values, axis=0))
    tl.store(out + tl.program_id(0) * 4 + 3, tl.sum(values, axis=0))


@triton.jit
def rows_and_columns(out, x, M: tl.constexpr, N: tl.constexpr):
    """Two sums of rows, and one of columns."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    values = tl.load(x + at)
    tl.store(out + tl.arange(0, M), tl.sum(values, axis=1))
    tl.store(out + M + tl.arange(0, M), tl.sum(values * values, axis=1))
    tl.store(out + 2 * M + tl.arange(0, N), tl.sum(values, axis=0))


@triton.jit
def carried(out, x, rows, BLOCK: tl.constexpr):
    """Two sums that one nest adds to, and one that needs both."""
    cols = tl.arange(0, BLOCK)
    first = tl.zeros((BLOCK,), dtype=tl.float32)
    second = tl.zeros((BLOCK,), dtype=tl.float32)
    third = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(rows):
        values = tl.load(x + row * BLOCK + cols)
        scale = tl.sum(values, axis=0)
        first += values * scale
        second += values
        third = third * 0.5 + first * second
    tl.store(out + cols, first)
    tl.store(out + BLOCK + cols, second)
    tl.store(out + 2 * BLOCK + cols, third)


@triton.jit
def across(out, x, count, N: tl.constexpr):
    """The second sum reads what the first has just become, at other places."""
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    first = tl.zeros((N, N), dtype=tl.float32)
    second = tl.zeros((N, N), dtype=tl.float32)
    for i in range(count):
        first = first * 0.5 + tl.load(x + i * N * N + at)
        second = second + tl.trans(first)
    tl.store(out + at, first)
    tl.store(out + N * N + at, second)


@triton.jit
def centred(out, x, stride, BLOCK: tl.constexpr):
    """The differences are few operations on a row: computed where they are wanted."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + cols)
    centred = values - tl.sum(values, axis=0) / BLOCK
    spread = tl.sqrt(tl.sum(centred * centred, axis=0))
    tl.store(out + row * stride + cols, centred / spread)


@triton.jit
def centred_in_place(x, stride, BLOCK: tl.constexpr):
    """The row is overwritten: what is computed of it behind the store is not computed again."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + cols)
    centred = values - tl.sum(values, axis=0) / BLOCK
    tl.store(x + row * stride + cols, centred * 2)
    tl.store(x + row * stride + cols, centred * centred + tl.sum(centred * values, axis=0))
