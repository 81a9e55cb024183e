"""Loops that are unrolled while the kernel is elaborated."""
import triton
import triton.language as tl


@triton.jit
def sum_of_tiles(x, out, TILES: tl.constexpr, BLOCK: tl.constexpr):
    total = tl.zeros((), dtype=tl.int32)
    for i in tl.static_range(TILES):
        total += tl.sum(tl.load(x + i * BLOCK + tl.arange(0, BLOCK)), axis=0)
    tl.store(out + tl.program_id(0), total)


@triton.jit
def sum_of_scalars(x, out, n, COUNT: tl.constexpr):
    first = tl.program_id(0) * COUNT
    total = tl.zeros((), dtype=tl.uint64)
    for i in tl.static_range(COUNT):
        at = first + i
        total += tl.load(x + at, mask=at < n, other=0)
    tl.store(out + tl.program_id(0), total)
