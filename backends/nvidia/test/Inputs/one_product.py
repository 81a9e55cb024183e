import triton
import triton.language as tl


@triton.jit
def one_product(x, out):
    i = tl.arange(0, 64)
    x += tl.program_id(0) * 4096
    tile = tl.load(x + i[:, None] * 64 + i[None, :])
    product = tl.dot(tile, tl.trans(tile))
    tl.store(out + tl.program_id(0) * 4096 + i[:, None] * 64 + i[None, :], product)
