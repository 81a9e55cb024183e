"""A kernel for tz debug --target: it stores, prints, and asserts."""
import triton
import triton.language as tl


@triton.jit
def sums(x, out, copy, limit, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    part = tl.load(x + row * BLOCK + tl.arange(0, BLOCK))
    tl.store(copy + row * BLOCK + tl.arange(0, BLOCK), part)
    total = tl.sum(part * 2.0, 0)
    tl.device_assert(row < limit, "a row too many")
    if row == 1:
        tl.device_print("total", total)
    tl.store(out + row, total)
