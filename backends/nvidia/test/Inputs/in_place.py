"""Rows that are changed in place."""
import triton
import triton.language as tl


@triton.jit
def changed(x, BLOCK: tl.constexpr, MUCH: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at).to(tl.float32) * 2
    if MUCH:
        value = tl.erf(tl.erf(value))
    tl.store(x + at, value.to(tl.bfloat16))
