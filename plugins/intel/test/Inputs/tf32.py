import triton
import triton.language as tl


@triton.jit
def k(a, b, c):
    i = tl.arange(0, 64)
    at = i[:, None] * 64 + i[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at), input_precision="tf32"))
