import triton
import triton.language as tl


@triton.jit
def k(x, out):
    first = tl.load(out, volatile=True)
    tl.store(out + tl.arange(0, 1), tl.histogram(tl.full((128,), 0, tl.int32), 1, mask=tl.load(x + tl.arange(0, 128)) > 7) + first)
