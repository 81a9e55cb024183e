import triton
import triton.language as tl


@triton.jit(noinline=True)
def inner(x):
    tl.device_assert(x < 100, "too large")
    return x * 2


@triton.jit
def checked(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out + offsets, inner(tl.load(x + offsets, mask=inside)), mask=inside)
