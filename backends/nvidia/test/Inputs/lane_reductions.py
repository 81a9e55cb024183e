import triton
import triton.language as tl


@triton.jit
def words(x, y, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, N))
    tl.store(y, tl.sum(v))
    tl.store(y + 1, tl.max(v))
    tl.store(y + 2, tl.min(v))
    tl.store(y + 3, tl.xor_sum(v))


@triton.jit
def _product(a, b):
    return a * b


@triton.jit
def products(x, y, N: tl.constexpr):
    tl.store(y, tl.reduce(tl.load(x + tl.arange(0, N)), 0, _product))
