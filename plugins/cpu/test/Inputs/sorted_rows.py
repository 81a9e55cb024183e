import triton
import triton.language as tl


@triton.jit
def sorted_rows(out, x, M: tl.constexpr, N: tl.constexpr, DIM: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    at = rows[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at), DIM))


@triton.jit
def flipped(out, x, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, BITS: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    tile = tl.load(x + rows * N + tl.arange(0, N)[None, :])
    cols = tl.arange(0, K)[None, :]
    picks = tl.broadcast_to(cols ^ BITS, (M, K))
    tl.store(out + rows * K + cols, tl.gather(tile, picks, 1))
