import triton
import triton.language as tl
A=[[x for x in range(65000)] for y in range(65000)]
@triton.jit
def k(x_ptr, n):
    tl.store(x_ptr, 1.0)
