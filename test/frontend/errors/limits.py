# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for i in tl.static_range(1000000):
        pass

# error@8:14: static loops run more than 65536 iterations (limit of unrolled iterations)
