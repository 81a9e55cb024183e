import triton
import triton.language as tl


@triton.jit
def pieces(x, out, columns, LATER: tl.constexpr, BLOCK: tl.constexpr):
    """Axis 1 goes along a row, axis 0 from row to row."""
    at = tl.program_id(0) * columns + tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at)
    if LATER:
        tl.device_print("row", tl.program_id(0))
    tl.store(out + at, a)


@triton.jit
def columns_first(x, out, columns, BLOCK: tl.constexpr):
    """Axis 0 goes along a row."""
    at = tl.program_id(1) * columns + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at))


@triton.jit
def faults(x, out, columns, BLOCK: tl.constexpr):
    """One program writes where nothing is."""
    here = (tl.program_id(0) == 2) & (tl.program_id(1) == 1)
    base = out + tl.where(here, 1 << 45, 0).to(tl.int64)
    at = tl.program_id(0) * columns + tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(base + at, tl.load(x + at))
