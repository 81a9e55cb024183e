"""Kernels whose loops and masks the optimizer rewrites; their numbers must stay."""
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SIGN: tl.constexpr):
    """Rows and columns beyond the matrix wrap around; the store masks them off."""
    columns = tl.cdiv(N, BN)
    i = tl.program_id(0) // columns
    j = tl.program_id(0) % columns
    if SIGN:
        tl.assume(i >= 0)
    rows = i * BM + tl.arange(0, BM)
    cols = j * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    at = a + (rows % M)[:, None] * K + ks[None, :]
    bt = b + ks[:, None] * N + (cols % N)[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(at, mask=ks[None, :] < K - k, other=0.0)
        right = tl.load(bt, mask=ks[:, None] < K - k, other=0.0)
        total = tl.dot(left, right, total)
        at += BK
        bt += BK * N
    tl.store(c + rows[:, None] * N + cols[None, :], total, mask=(rows[:, None] < M) & (cols[None, :] < N))


@triton.jit
def shifted(x, y, start, limit, turns, B: tl.constexpr):
    """`start` may be negative: then the remainder is, too."""
    rows = start + tl.arange(0, B)
    folded = rows % limit
    for turn in range(0, turns):
        v = tl.load(x + 256 + folded)
        w = tl.load(x + 256 + tl.minimum(rows, limit - 1))
        tl.store(y + 256 + rows, v + 2 * w + turn, mask=rows < limit)


@triton.jit
def running(x, y, n, first, step, B: tl.constexpr, FACTOR: tl.constexpr):
    total = tl.zeros((B,), dtype=tl.float32)
    for i in tl.range(first, n, step, loop_unroll_factor=FACTOR, num_stages=2):
        cols = i + tl.arange(0, B)
        total += tl.load(x + cols, mask=cols < n, other=0.0) * (i + 1)
        tl.store(y + cols, total, mask=cols < n)


@triton.jit
def masked(x, y, n, B: tl.constexpr, FACTOR: tl.constexpr):
    """The mask of the load chooses, too."""
    for i in tl.range(0, n, B, loop_unroll_factor=FACTOR):
        cols = i + tl.arange(0, B)
        inside = cols < n
        v = tl.load(x + cols, mask=inside, other=1.0)
        tl.store(y + cols, tl.where(inside, v - 3.0, 7.0), mask=inside)
