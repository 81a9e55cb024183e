import triton
import triton.language as tl


@triton.jit
def scaled_matmul(a, b, scales, c, K, M: tl.constexpr, N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = (a · scales) b: the left operand is made of what the loop loads."""
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for i in range(0, K, BLOCK_K):
        left = tl.load(a + m[:, None] * K + (i + k)[None, :]).to(tl.float32)
        left = tl.exp(left) * tl.load(scales + i + k)[None, :]
        acc += tl.dot(left.to(tl.float16), tl.load(b + (i + k)[:, None] * N + n[None, :]))
    tl.store(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def column_sums(x, out, rows, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """A tile with many more rows than a block has threads."""
    at = tl.arange(0, ROWS)
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tile = tl.load(x + at[:, None] * 2048 + columns[None, :], mask=at[:, None] < rows, other=0.0)
    tl.store(out + columns, tl.sum(tile, axis=0))
