"""Sums of integer products, of which the low halves are stored."""
import triton
import triton.language as tl


@triton.jit
def low_halves(a, b, out):
    row, column, inner = tl.arange(0, 16)[:, None], tl.arange(0, 8)[None, :], tl.arange(0, 16)
    left = tl.load(a + row * 16 + inner[None, :])
    right = tl.load(b + inner[:, None] * 8 + column)
    sums = tl.dot(left, right, out_dtype=tl.int32).to(tl.uint16)
    tl.store(out + row * 8 + column, tl.gather(sums, (row + column) & 7, 1))
