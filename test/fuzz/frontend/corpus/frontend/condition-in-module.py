import triton
import triton.language as tl

n = 1
while tl.condition(n < 5):
    n += 2


@triton.jit
def kernel(x):
    tl.store(x, n)
