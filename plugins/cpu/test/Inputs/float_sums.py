import triton
import triton.language as tl


@triton.jit
def sums(x, out, first, n, BLOCK: tl.constexpr):
    """Programs add to the same elements: whole numbers, whose sums are exact in any order."""
    i = tl.arange(0, BLOCK)
    a = tl.load(x + tl.program_id(0) * BLOCK + i)
    tl.atomic_add(out + first + i, a, mask=i < n, sem="relaxed")


@triton.jit
def rows(x, out, stride, n, BLOCK: tl.constexpr):
    """Two rows at a time, of which some begin at no multiple of 16 bytes."""
    row = tl.arange(0, 2)[:, None]
    i = tl.arange(0, BLOCK)[None, :]
    a = tl.load(x + (tl.program_id(0) * 2 + row) * BLOCK + i)
    tl.atomic_add(out + row * stride + i, a, mask=i < n)
