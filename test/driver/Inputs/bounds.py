"""Kernels whose answers hang on the last bits of their inputs, or overflow."""
import triton
import triton.language as tl


@triton.jit
def cancelled_divisor(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)
    # Zero, but for the order in which the sum was made.
    rest = tl.sum(x - tl.sum(x, 0) / BLOCK, 0)
    tl.store(out_ptr + offs, x / rest)


@triton.jit
def row_start(x_ptr, out_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    at = (row + 70000) * stride + offs
    tl.store(out_ptr + offs, offs, mask=at < n)


@triton.jit
def hashed(out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = offs * 2654435 * 2654435
    h = (h ^ (h >> 16)) * 73244475
    tl.store(out_ptr + offs, (h % 7).to(tl.int32), mask=offs < n)


@triton.jit
def quantize(x_ptr, out_ptr, scale, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n)
    tl.store(out_ptr + offs, tl.exp(x * scale).to(tl.int8), mask=offs < n)
