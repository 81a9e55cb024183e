import triton
import triton.language as tl


@triton.jit
def repeat(x, y, width, wide, n, BLOCK: tl.constexpr):
    """y[r, c] = x[r, c % width], of rows of `wide` columns; n elements of y."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = i // wide
    column = i % wide
    value = tl.load(x + row * width + column % width, mask=i < n)
    tl.store(y + i, value, mask=i < n)
