import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": size}) for size in (32, 256)], key=[])
@triton.jit
def square(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tile = tl.load(x + i)
    tl.store(out + i, tl.dot(tile, tile))
