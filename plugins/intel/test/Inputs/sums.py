import triton
import triton.language as tl


@triton.jit
def row_sums(x, out, WIDTH: tl.constexpr):
    i, j = tl.arange(0, 64), tl.arange(0, WIDTH)
    rows = tl.load(x + i[:, None] * WIDTH + j[None, :])
    tl.store(out + i, tl.sum(tl.sort(rows, 1), 1) + tl.max(rows, 1))


@triton.jit
def product(a, b, out):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at)))
