"""Tiles that are scaled by what is found in all of their elements, and stored the other way round."""

import triton
import triton.language as tl


@triton.jit
def by_largest(x, y, n: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)[:, None]
    columns = tl.arange(0, BLOCK)[None, :]
    tile = tl.load(x + rows * n + columns, mask=rows < n)
    tl.store(y + columns * n + rows, (tile * tl.max(tl.abs(tile))).to(y.dtype.element_ty))


@triton.jit
def by_sum(x, y, n: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.arange(0, BLOCK)[:, None]
    columns = tl.arange(0, BLOCK)[None, :]
    tile = tl.load(x + rows * n + columns, mask=rows < n)
    tl.store(y + columns * n + rows, (tile * tl.sum(tile.to(tl.float32))).to(y.dtype.element_ty))


@triton.jit
def limits(x, y, n, BLOCK: tl.constexpr, SMALLEST: tl.constexpr, NAN: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tile = tl.load(x + at, mask=at < n, other=1.0).to(tl.float32)
    if NAN:
        tl.store(y, tl.reduce(tile, 0, keeping))
    elif SMALLEST:
        tl.store(y, tl.min(tile))
    else:
        tl.store(y, tl.max(tile))


@triton.jit
def keeping(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
