import triton
import triton.language as tl


@triton.jit
def kernel(x, y, flags, out):
    pid = tl.program_id(0)
    at = pid * 64 + tl.arange(0, 64)
    v = tl.load(x + tl.arange(0, 64)) >> (tl.load(tl.make_block_ptr(y, (64,), (1,), (pid * 64,), (64,), (0,)), boundary_check=(0,)) & 67)
    tl.store(out + at, v * tl.where(tl.load(flags + at), (tl.arange(0, 64) * 4 - 4).to(tl.uint16) * 5, tl.full((64,), 1, tl.uint16)))
