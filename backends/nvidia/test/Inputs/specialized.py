import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    pa = a + rows[:, None] * K + inner[None, :]
    pb = b + inner[:, None] * N + columns[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        ta = tl.load(pa, mask=(rows[:, None] < M) & (inner[None, :] < K - k), other=0.0)
        tb = tl.load(pb, mask=(inner[:, None] < K - k) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(ta, tb, acc)
        pa += BK
        pb += BK * N
    out = c + rows[:, None] * N + columns[None, :]
    tl.store(out, acc.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))
