import triton
import triton.language as tl
a=[]
a.append(a)
b=str(a)
c= a==a
d={}
d[1]=d
print(d)
@triton.jit
def k(x_ptr, n):
    tl.store(x_ptr, 1.0)
