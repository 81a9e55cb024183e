import triton
import triton.language as tl


@triton.jit
def cosine(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.cos(tl.load(x + at)))


@triton.jit
def larger(a):
    if a > 0.0:
        b = a * 2.0
    else:
        b = a - 1.0
    return b


@triton.jit
def chosen(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.map_elementwise(larger, tl.load(x + at)))
