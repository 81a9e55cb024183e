import triton
import triton.language as tl


@triton.jit
def rows(x, stride, n, WIDTH: tl.constexpr):
    r = tl.arange(0, 16)[:, None]
    c = tl.arange(0, WIDTH)[None, :]
    v = tl.load(x + r * stride + c, mask=c < n)
    tl.store(x + r * stride + c, v * 2 + 1, mask=c < n)


@triton.jit
def known(x, ROW: tl.constexpr, ODD: tl.constexpr):
    r = tl.arange(0, 16)[:, None]
    c = tl.arange(0, 32)[None, :]
    inside = (c & 1) <= ODD  # not a bound: pointers stay
    at = r * ROW + c
    tl.store(x + at, tl.load(x + at, mask=inside) * 2 + 1, mask=inside)
