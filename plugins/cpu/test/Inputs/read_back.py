import triton
import triton.language as tl


@triton.jit
def read_back(out, sums, x, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = row * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, v / tl.max(tl.abs(v)))
    tl.store(sums + row, tl.sum(tl.load(out + at)))
