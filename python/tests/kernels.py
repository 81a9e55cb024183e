"""Kernels that several tests launch."""

import terrazzo
import terrazzo.triton.language as tl


@terrazzo.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    b = tl.load(y + at, mask=at < n)
    tl.store(out + at, a + b, mask=at < n)


@terrazzo.jit
def scale_kernel(x, out, n, factor=2.0, BLOCK: tl.constexpr = 128):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, factor * tl.load(x + at, mask=at < n), mask=at < n)


@terrazzo.jit
def fill_kernel(out, value, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), value)


@terrazzo.jit
def warps_kernel(out, BLOCK: tl.constexpr, num_warps: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), num_warps)
