import triton
import triton.language as tl


@triton.jit
def count(x, n):
    i = n * 0
    while tl.condition(i < n, disable_licm=True):
        tl.store(x + i, 1.0)
        i += 1
    while tl.condition(i > 0):
        tl.store(x + i, 2.0)
        i -= 1
