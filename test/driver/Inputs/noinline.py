import triton
import triton.language as tl


@triton.jit(noinline=True)
def half(x):
    return x * 0.5


@triton.jit
def twice(x):
    y = half(tl.load(x))
    y = half(y)
    tl.store(x, y)
