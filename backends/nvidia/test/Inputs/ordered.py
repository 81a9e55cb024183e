import triton
import triton.language as tl


@triton.jit
def kernel(x, out, KNOWN: tl.constexpr):
    at = tl.arange(0, 128)
    v = tl.load(x + at)
    if KNOWN:
        v = tl.abs(v) + 0.5
    tl.store(out + at, tl.where(v >= 0.0, 1, 0))
