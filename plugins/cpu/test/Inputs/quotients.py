"""x / d, with one d for the whole tile, beside a division of each element."""

import triton
import triton.language as tl


@triton.jit
def quotients(x, differs, n, d, LEAST_X: tl.constexpr, LEAST: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    a = tl.load(x + at, mask=inside, other=0)
    quotient = a / d
    exact = tl.div_rn(a, d)
    bits: tl.constexpr = tl.int64 if x.dtype.element_ty == tl.float64 else tl.int32
    same = quotient.to(bits, bitcast=True) == exact.to(bits, bitcast=True)
    both = (quotient != quotient) & (exact != exact)
    # What is denormal on the way may be a unit off.
    small = ((tl.abs(exact) < LEAST) | (tl.abs(a) < LEAST_X)) & (a != 0)
    tl.store(differs + at, 1 - (same | both | small).to(tl.int32), mask=inside)
