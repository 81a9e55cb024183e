import triton
import triton.language as tl


@triton.jit
def joined(mean_a, count_a, sum_a, mean_b, count_b, sum_b):
    count = count_a + count_b
    mean = (mean_a * count_a + mean_b * count_b) / tl.maximum(count, 1.0)
    apart = mean_a - mean_b
    return mean, count, sum_a + sum_b + apart * apart * count_a * count_b / tl.maximum(count, 1.0)


@triton.jit
def moments(x, out, n, BLOCK: tl.constexpr):
    """Mean and variance of a row, by counts that a loop carries."""
    lanes = tl.arange(0, BLOCK)
    mean = tl.zeros((BLOCK,), tl.float32)
    count = tl.zeros((BLOCK,), tl.float32)
    apart = tl.zeros((BLOCK,), tl.float32)
    for at in range(0, n, BLOCK):
        some = at + lanes < n
        v = tl.load(x + at + lanes, mask=some, other=0.0)
        more = count + some
        next = (mean * count + v) / tl.maximum(more, 1.0)
        apart += (v - next) * (v - mean) * some
        mean = next
        count = more
    m, c, s = tl.reduce((mean, count, apart), 0, joined)
    tl.store(out, m)
    tl.store(out + 1, s / c)
