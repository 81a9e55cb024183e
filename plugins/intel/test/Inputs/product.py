import triton
import triton.language as tl


@triton.jit
def product(a, b, out, M, N, K, pitch_a, pitch_b, TRANSPOSED: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """out = a @ b, or a @ b.T; rows of a and b are `pitch` elements apart."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=out.dtype.element_ty)
    for k in range(0, K, BK):
        x = tl.load(a + rows[:, None] * pitch_a + (inner + k)[None, :], mask=(rows < M)[:, None] & (inner + k < K)[None, :], other=0)
        if TRANSPOSED:
            y = tl.load(b + cols[:, None] * pitch_b + (inner + k)[None, :], mask=(cols < N)[:, None] & (inner + k < K)[None, :], other=0)
            acc = tl.dot(x, tl.trans(y), acc, out_dtype=out.dtype.element_ty)
        else:
            y = tl.load(b + (inner + k)[:, None] * pitch_b + cols[None, :], mask=(inner + k < K)[:, None] & (cols < N)[None, :], other=0)
            acc = tl.dot(x, y, acc, out_dtype=out.dtype.element_ty)
    tl.store(out + rows[:, None] * N + cols[None, :], acc, mask=(rows < M)[:, None] & (cols < N)[None, :])
