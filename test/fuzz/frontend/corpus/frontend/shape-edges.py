import triton
import triton.language as tl
@triton.jit
def k(x_ptr, n):
    a = tl.zeros((-16,), tl.float32)
    b=tl.full((0,),1.0,tl.float32)
    c=tl.full((2**63,),1.0,tl.float32)
