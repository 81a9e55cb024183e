"""Bodies of reductions, scans and maps with numbers wider than their elements."""
import triton
import triton.language as tl


@triton.jit
def spread(m2, mean, count, m2_b, mean_b, count_b):
    total = count + count_b
    between = tl.math.pow(mean_b - mean, 2.0) * count * count_b / total
    return m2 + m2_b + between, (mean * count + mean_b * count_b) / total, total


@triton.jit
def variance(x, out, N: tl.constexpr):
    values = tl.load(x + tl.arange(0, N))
    zero, one = tl.zeros([N], tl.float32), tl.full([N], 1.0, tl.float32)
    m2, mean, count = tl.reduce((zero, values, one), 0, spread)
    tl.store(out, m2 / count)


@triton.jit
def remainder_of_sum(a, b):
    return (a + b) % 9973


@triton.jit
def remainders(x, out, N: tl.constexpr):
    values = tl.load(x + tl.arange(0, N))
    tl.store(out, tl.reduce(values, 0, remainder_of_sum))


@triton.jit
def wide_sum(a, b):
    return ((a.to(tl.int64) + b.to(tl.int64)) % 9973).to(tl.int32)


@triton.jit
def columns(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.associative_scan(tl.load(x + at), 0, wide_sum))


@triton.jit
def root(a):
    return tl.math.pow(a, 0.3)


@triton.jit
def roots(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.map_elementwise(root, tl.abs(tl.load(x + at))))
