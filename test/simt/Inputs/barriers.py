import triton
import triton.language as tl


@triton.jit
def turned(p, BLOCK: tl.constexpr):
    """Each thread reads what another one stored."""
    i = tl.arange(0, BLOCK)
    tl.store(p + i, i.to(tl.float32))
    tl.store(p + BLOCK + i, tl.load(p + BLOCK - 1 - i))


@triton.jit
def total(p, out, BLOCK: tl.constexpr):
    """Warps tell each other their sums."""
    tl.store(out, tl.sum(tl.load(p + tl.arange(0, BLOCK))))


@triton.jit
def asked(p, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(p + i))
    tl.debug_barrier()
