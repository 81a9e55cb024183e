import triton
import triton.language as tl


@triton.jit
def scale(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 2 * tl.load(x + i))


@triton.jit
def turned(x, out, N: tl.constexpr):
    rows = tl.arange(0, N)[:, None]
    columns = tl.arange(0, N)[None, :]
    tile = tl.load(x + rows * N + columns)
    tl.store(out + rows * N + columns, tl.dot(tile, tl.trans(tile)))


@triton.jit
def product(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, OUT: tl.constexpr, PRECISION: tl.constexpr = "ieee"):
    rows = tl.arange(0, M)[:, None]
    columns = tl.arange(0, N)[None, :]
    left = tl.load(a + rows * K + tl.arange(0, K)[None, :])
    right = tl.load(b + tl.arange(0, K)[:, None] * N + columns)
    tl.store(out + rows * N + columns, tl.dot(left, right, input_precision=PRECISION, out_dtype=OUT))


@triton.jit
def past_the_end(out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), tl.arange(0, N))


@triton.jit
def walk(out, n):
    p = out + (tl.arange(0, 64) * 5) % 24
    for k in range(4):
        tl.store(p, tl.load(p) + k)
        p += n


@triton.jit
def gathered(x, indices, out, n, N: tl.constexpr = 256):
    i = tl.arange(0, N)
    at = tl.load(indices + i)
    tl.store(out + i, tl.load(x + at, mask=at < n, other=0.0))


@triton.jit
def byte_products(a, b, out, N: tl.constexpr):
    i = tl.arange(0, N)
    product = tl.load(a + i).to(tl.int32) * tl.load(b + i).to(tl.int32)
    tl.store(out + i, product + (product ^ 5))


@triton.jit
def scattered(x, indices, out, n, N: tl.constexpr = 256):
    i = tl.arange(0, N)
    at = tl.load(indices + i)
    tl.store(out + at, tl.load(x + i), mask=at < n)


@triton.jit
def halves(a, b, out, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    sums = tl.dot(tl.load(a + at), tl.load(b + at))
    low, high = tl.split(tl.permute(tl.reshape(sums, (N, 2, N // 2)), (0, 2, 1)))
    to = out + tl.arange(0, N)[:, None] * N + tl.arange(0, N // 2)[None, :]
    tl.store(to, high)
    tl.store(to + N // 2, low)


@triton.jit
def reversed_row(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.gather(tl.load(x + i), N - 1 - i, 0))


@triton.jit
def rows_product(a, b, out, rows, k, stride, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """a @ b.T, both row by row."""
    of_a = tl.make_tensor_descriptor(a, shape=[rows, k], strides=[stride, 1], block_shape=[M, K])
    of_b = tl.make_tensor_descriptor(b, shape=[rows, k], strides=[stride, 1], block_shape=[N, K])
    sums = tl.zeros((M, N), dtype=tl.float32)
    for at in range(0, k, K):
        sums = tl.dot(of_a.load([tl.program_id(0) * M, at]), of_b.load([0, at]).T, sums)
    to = (tl.program_id(0) * M + tl.arange(0, M))[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + to, sums)


@triton.jit
def row_sums(x, out, columns, stride, N: tl.constexpr, IN_PLACE: tl.constexpr):
    rows = tl.program_id(0) * 32 + tl.arange(0, 32)
    at = tl.arange(0, N)
    tile = tl.load(x + rows[:, None] * stride + at[None, :], mask=at[None, :] < columns, other=0.0)
    if IN_PLACE:
        tl.store(x + rows[:, None] * stride + at[None, :], tile * 2, mask=at[None, :] < columns)
    tl.store(out + rows, tl.sum(tile, axis=1))
