import triton
import triton.language as tl


@triton.jit
def paged(q, values, blocks, out, n):
    """Blocks of 16 tokens lie anywhere; in each the tokens are beside each other."""
    i = tl.arange(0, 64)
    d = tl.arange(0, 128)
    sum = tl.zeros((64, 128), dtype=tl.float32)
    for start in range(0, n, 32):
        token = start + tl.arange(0, 32)
        block = tl.load(blocks + token // 16)
        at = block[:, None] * 2048 + d[None, :] * 16 + (token % 16)[:, None]
        if start + 32 > n:
            v = tl.load(values + at, mask=token[:, None] < n, other=0.0)
        else:
            v = tl.load(values + at)
        p = tl.load(q + i[:, None] * 4096 + token[None, :])
        sum = tl.dot(p, v, sum)
    tl.store(out + i[:, None] * 128 + d[None, :], sum)
