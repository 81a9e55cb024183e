import triton
import triton.language as tl


@triton.jit
def pair(out):
    tl.store(out + tl.arange(0, 2), tl.interleave(10, 20))


@triton.jit
def four(x, out):
    a = tl.load(x)
    both = tl.join(tl.join(a, 2 * a), tl.join(3 * a, 4 * a))
    tl.store(out + tl.arange(0, 4), tl.reshape(both, (4,)))
