"""A kernel that calls a function; its text has what ends an element: </script>."""

import triton
import triton.language as tl


@triton.jit
def inner(a):
    return a * 2 + 1


@triton.jit
def outer(x, out):
    i = tl.arange(0, 64)
    tl.store(out + i, inner(tl.load(x + i)))
