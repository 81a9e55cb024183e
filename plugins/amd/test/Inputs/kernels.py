import triton
import triton.language as tl


@triton.jit
def scale(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 2 * tl.load(x + i))


@triton.jit
def turned(x, out, N: tl.constexpr):
    rows = tl.arange(0, N)[:, None]
    columns = tl.arange(0, N)[None, :]
    tile = tl.load(x + rows * N + columns)
    tl.store(out + rows * N + columns, tl.dot(tile, tl.trans(tile)))
