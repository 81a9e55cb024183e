import triton
import triton.language as tl


@triton.jit
def reassigned(out, x, n):
    m = n
    for i in range(3):
        m = m * x
    tl.store(out, m)
    k = n
    if x > 3:
        k = k * x
    tl.store(out + 1, k * 65536)
    tl.store(out + 2, n + x)
