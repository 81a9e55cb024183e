import triton
import triton.language as tl


@triton.jit
def product(a, b, c, n, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    j = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, n, BK):
        row = k + tl.arange(0, BK)[None, :]
        column = k + tl.arange(0, BK)[:, None]
        ta = tl.load(a + i * n + row, mask=(i < n) & (row < n), other=0.0)
        tb = tl.load(b + column * n + j, mask=(column < n) & (j < n), other=0.0)
        acc = tl.dot(ta, tb, acc, input_precision="tf32x3")
    tl.store(c + i * n + j, acc, mask=(i < n) & (j < n))
