"""A kernel with a load that no view can express, and a noinline function."""
import triton
import triton.language as tl


@triton.jit(noinline=True)
def plain(x):
    return x + 1


@triton.jit
def gathered(x, at, out, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    index = tl.load(at + lanes)
    value = tl.load(x + index)
    tl.store(out + lanes, plain(value))
