import triton
import triton.language as tl
@triton.jit
def k(x_ptr,n):
    a: tl.constexpr = [[i for i in range(65000)] for j in range(65000)]
