# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    def scale(v):
        return v
    a = b = 1
    match n:
        case 1:
            pass
    tl.store(x, scale(a + b))

# error@8:5: 'nested def' is not supported in kernel code; define the jit function at module level
# error@10:5: assignment to several targets is not supported in kernel code; write one assignment for each
# error@11:5: 'match' is not supported in kernel code; use if and elif
