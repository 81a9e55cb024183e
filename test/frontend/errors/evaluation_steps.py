# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    table: tl.constexpr = [[i for i in range(60000)] for j in range(60000)]

# error@8:29: evaluation takes more than 16777216 steps (limit of evaluation steps)
