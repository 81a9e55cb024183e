import triton
import triton.language as tl


@triton.jit
def k(x, a, b, out):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    chosen = tl.dot(tl.load(a + at), tl.load(b + at), out_dtype=tl.int32) & 1023
    tl.store(out + at, tl.load(tl.trans(x + chosen)))
