"""A product of bytes whose operand is made of another one's sums."""
import triton
import triton.language as tl


@triton.jit
def chained(a, b, c, out):
    row, column, inner = tl.arange(0, 8)[:, None], tl.arange(0, 32)[None, :], tl.arange(0, 32)[:, None]
    left = tl.load(a + row * 32 + column)
    first = tl.dot(left, tl.load(b + inner * 32 + column), out_dtype=tl.int32).to(tl.int8)
    # (8, 8) x (8, 32): the sums' bytes are the rows of its second operand.
    again = tl.load(c + row * 8 + tl.arange(0, 8)[None, :])
    tl.store(out + row * 32 + column, tl.dot(again, first, out_dtype=tl.int32))
