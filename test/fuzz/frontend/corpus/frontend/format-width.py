import triton
import triton.language as tl
a="%99999999999d" % 3
b=f"{3:>999999999}"
c="{:999999999}".format(3)

@triton.jit
def k(x_ptr, n):
    tl.store(x_ptr, 1.0)
