import triton
import triton.language as tl


@triton.jit
def padded_sums(a, b, rows_out, picked, turned, N: tl.constexpr, K: tl.constexpr, RESHAPE: tl.constexpr):
    """Sums of a product on their way through every op that reads a tile in its own order."""
    r = tl.arange(0, N)
    k = tl.arange(0, K)
    left = tl.load(a + r[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + r[None, :])
    acc = tl.zeros((N, N), dtype=tl.float32)
    for _ in range(2):
        acc = tl.dot(left, right, acc)
    if RESHAPE:
        acc = tl.reshape(tl.reshape(acc, (N * N,)) * 2, (N, N))
    tl.store(rows_out + r, tl.sum(acc, axis=1) + tl.max(acc, axis=0))
    reverse = tl.broadcast_to((N - 1 - r)[None, :], (N, N))
    tl.store(picked + r[:, None] * N + r[None, :], tl.gather(acc, reverse, 1) + tl.gather(acc, tl.trans(reverse), 0))
    again = tl.dot(tl.trans(acc).to(tl.bfloat16), acc.to(tl.bfloat16))
    tl.store(turned + r[:, None] * N + r[None, :], again + tl.cumsum(acc, axis=1))
