# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr, EXTRA: tl.constexpr = 2):
    tl.store(x, BLOCK)

# error@7:18: constexpr parameter 'BLOCK' of kernel 'kernel' has no value; give one, such as BLOCK=128
