import triton
import triton.language as tl


@triton.jit
def pairs(x, out):
    i = tl.arange(0, 32)[:, None]
    j = tl.arange(0, 128)[None, :]
    tile = tl.reshape(tl.load(x + i * 128 + j), (32, 64, 2))
    tl.store(out + i * 128 + j, tl.reshape(tl.flip(tile, dim=2), (32, 128)))


@triton.jit
def rows(x, out):
    i = tl.arange(0, 32)[:, None]
    j = tl.arange(0, 128)[None, :]
    tl.store(out + i * 128 + j, tl.flip(tl.load(x + i * 128 + j), dim=1))
