import triton
import triton.language as tl
a=[]
for i in range(60000):
    a=[a]
b=str(a)
c= a==[a]
@triton.jit
def k(x_ptr, n):
    tl.store(x_ptr, 1.0)
