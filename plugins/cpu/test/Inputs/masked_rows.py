import triton
import triton.language as tl


@triton.jit
def add_rows(x, y, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x + row * stride + i, mask=inside)
    b = tl.load(y + row * stride + i, mask=inside)
    tl.store(out + row * stride + i, a + b, mask=inside)


@triton.jit
def centre_rows(x, y, out, stride, n, BLOCK: tl.constexpr):
    """A mask that is also a condition of the values."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x + row * stride + i, mask=inside, other=3.0)
    mean = tl.sum(tl.where(inside, a, 0.0), axis=0) / n
    centred = tl.where(inside, a - mean, 0.0)
    b = tl.load(y + row * stride + i, mask=inside, other=5.0)
    tl.store(out + row * stride + i, centred * b + tl.sum(a, axis=0), mask=inside)


@triton.jit
def window(x, y, out, stride, low, high, BLOCK: tl.constexpr):
    """Lanes in front of the view are outside, too, and rows beyond the last."""
    rows = tl.program_id(0) * 4 + tl.arange(0, 4)[:, None]
    i = low + tl.arange(0, BLOCK)[None, :]
    inside = (rows < 7) & (i >= 0) & (i < high)
    a = tl.load(x + rows * stride + i, mask=inside, other=1.0)
    b = tl.load(y + rows * stride + i, mask=inside, other=2.0)
    tl.store(out + rows * stride + i, a + b + tl.sum(a, axis=1)[:, None], mask=inside)


@triton.jit
def wrapping(x, y, out, first, n, BLOCK: tl.constexpr):
    """A condition on numbers that wrap is no mask and ends twice."""
    i = tl.arange(0, BLOCK)
    counted = i + first
    a = tl.load(x + i)
    tl.store(out + i, tl.where(counted < n, a, -a) + tl.load(y + i))


@triton.jit
def gathered(x, y, out, stride, n, BLOCK: tl.constexpr):
    """Masks of single addresses."""
    i = tl.arange(0, BLOCK)
    picks = (tl.load(y + i, mask=i < n, other=0.0) * 255).to(tl.int32) & 255
    tl.store(out + (BLOCK - 1 - i) * stride, tl.load(x + picks, mask=i < n, other=7.0), mask=i <= n)
