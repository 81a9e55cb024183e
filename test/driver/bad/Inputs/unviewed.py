"""A kernel that does not compile."""
import triton
import triton.language as tl


@triton.jit
def wrong(x):
    tl.store(x, missing)
