import triton
import triton.language as tl


@triton.jit
def order(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(a + i)
    y = tl.load(b + i)
    tl.store(out + i, tl.where(x < y, -1, tl.where(x == y, 0, 1)))


@triton.jit
def sign(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(a + i)
    tl.store(out + i, (x > 0).to(tl.int32) - (x < 0).to(tl.int32))


@triton.jit
def overflows(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, (tl.umulhi(tl.load(a + i), tl.load(b + i)) != 0).to(tl.int32))
