# run: kernel x=*fp32 n=i32
import torch
import triton
import triton.language as tl
from nowhere import helper

PLAIN = 16
SIZE = torch.cuda.device_count()


def ordinary(v):
    return v + 1


@triton.jit
def kernel(x, n):
    a = PLAIN
    b = SIZE
    c = helper(n)
    d = ordinary(n)
    e = ordinary(3)

# error@17:9: global 'PLAIN' is not a constexpr: a kernel may read it only if it is marked `PLAIN: tl.constexpr = ...` or `PLAIN = tl.constexpr(...)`
# note@7:1: defined here
# error@18:9: 'SIZE' has no value that is known at compile time
# note@8:8: 'torch.cuda' is not known at compile time: it is the host's
# error@19:9: 'helper' has no value that is known at compile time
# note@5:21: module 'nowhere' is neither built in nor a file beside this one or below an import root
# error@20:9: 'ordinary' is an ordinary Python function and is called with a run-time value; decorate it with @triton.jit
# note@11:5: it is defined here

# ----- a constexpr function asks types, and computes with nothing else
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.constexpr_function
def element(v):
    return v.dtype.element_ty if isinstance(v, tl.tensor) and v.dtype.is_ptr() else v.dtype


@triton.constexpr_function
def more(v):
    return v + 1


@triton.jit
def kernel(x, n):
    tl.static_assert(element(x) == tl.float32 and element(n) == tl.int32)
    tl.store(x, more(n))

# error@45:14: 'more' runs when the kernel is compiled and computes with a run-time value, of which it may ask type, dtype and shape; decorate it with @triton.jit
