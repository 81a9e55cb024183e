import triton
import triton.language as tl


@triton.jit
def updates(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    for _ in range(n):
        tl.atomic_add(y + at, 1.0)
    tl.store(y + at + BLOCK, tl.load(x + at))
