import triton
import triton.language as tl


@triton.jit
def kernel(x, K: tl.constexpr):
    tl.store(x, tl.sum(tl.topk(tl.load(x + tl.arange(0, 16)), K)))
