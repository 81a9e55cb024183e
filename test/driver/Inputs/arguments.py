# Kernels whose arguments are descriptors, tuples and named tuples.
from typing import NamedTuple

import triton
import triton.language as tl


@triton.jit
def copy_blocks(src, dst, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK
    column = tl.program_id(1) * BLOCK
    dst.store([row, column], src.load([row, column]))


@triton.jit
def gather_rows(src, out, rows):
    i = tl.arange(0, 8)
    values = src.gather(tl.load(rows + i), 4)
    j = tl.arange(0, 16)
    tl.store(out + i[:, None] * 16 + j[None, :], values)


@triton.jit
def scatter_rows(dst, src, rows):
    i = tl.arange(0, 8)
    j = tl.arange(0, 16)
    dst.scatter(tl.load(src + i[:, None] * 16 + j[None, :]), tl.load(rows + i), 4)


@triton.jit
def add_blocks(dst, src):
    where = [tl.program_id(0) * 4, 0]
    dst.atomic_add(where, src.load(where))


@triton.jit
def facts(d, out):
    tl.store(out, d.shape[0])
    tl.store(out + 1, d.shape[1])
    tl.store(out + 2, d.strides[0].to(tl.int32))
    tl.store(out + 3, d.strides[1].to(tl.int32))
    tl.store(out + 4, d.block_shape[0])


class Row(NamedTuple):
    values: tl.tensor
    count: tl.tensor
    scale: tl.constexpr


@triton.jit
def scaled(out, row: Row, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(row.values + i, mask=i < row.count, other=0.0)
    tl.store(out + i, x * row.scale, mask=i < row.count)


@triton.jit
def weighted(out, parts, shape: tl.constexpr):
    first, rest = parts
    i = tl.arange(0, shape[0])[:, None] * shape[1] + tl.arange(0, shape[1])[None, :]
    acc = tl.load(first + i)
    if rest[1] is not None:
        acc += rest[0].load([0, 0]) * rest[1]
    tl.store(out + i, acc)


@triton.aggregate
class Window:
    base: tl.tensor
    step: tl.tensor
    width: tl.constexpr

    @triton.jit
    def at(self, index):
        return self.base + index * self.step + tl.arange(0, self.width)


@triton.jit
def windows(out, window: Window):
    pid = tl.program_id(0)
    tl.store(out + pid * window.width + tl.arange(0, window.width), tl.load(window.at(pid)))
