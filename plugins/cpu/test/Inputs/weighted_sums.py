import triton
import triton.language as tl


@triton.jit
def weighted_sums(out, x, w, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    tl.store(out + row, tl.sum(tl.load(x + row * BLOCK + cols) * tl.load(w + cols)))
