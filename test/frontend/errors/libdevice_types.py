# Functions of libdevice refuse what they are not of.

# ----- integers
# run: k p32=*fp32
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def k(p32):
    x = libdevice.clz(tl.load(p32))
    x = libdevice.clz(p32)

# error@12:9: libdevice.clz needs integers, found fp32
# error@13:9: libdevice.clz needs integers, found *fp32
