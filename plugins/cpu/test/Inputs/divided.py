import triton
import triton.language as tl


@triton.jit
def divided(x, quotients, remainders, n, d, STEP: tl.constexpr, BLOCK: tl.constexpr):
    """Random numbers, and those around multiples of the divisor."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x + i, mask=inside, other=0)
    near = tl.where(i % 2 == 0, a, (a // STEP * d + i % 3 - 1).to(a.dtype))
    tl.store(quotients + i, near // d.to(a.dtype), mask=inside)
    tl.store(remainders + i, near % d.to(a.dtype), mask=inside)
