import triton
import triton.language as tl


@triton.jit
def merge(mean_x, count_x, mean_y, count_y):
    count = count_x + count_y
    return (mean_x * count_x + mean_y * count_y) / tl.maximum(count, 1), count


@triton.jit
def mean_of_means(means, counts, out, BLOCK: tl.constexpr):
    """512 pairs a thread, which no thread can hold."""
    at = tl.arange(0, BLOCK)
    mean, count = tl.reduce((tl.load(means + at), tl.load(counts + at)), 0, merge)
    tl.store(out, mean * count)


@triton.jit
def gated(gate, up, bias, out, BLOCK: tl.constexpr):
    """Much work on `gate` before the others are needed."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + at)
    u = tl.load(up + at)
    v = tl.load(bias + at)
    t = tl.erf(tl.erf(g))
    tl.store(out + at, t * u + v)


@triton.jit
def loaded_late(x, scale, shift, out, BLOCK: tl.constexpr):
    """Much work on `x` before the text loads the others."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    t = tl.erf(tl.erf(tl.load(x + at)))
    t = t * tl.load(scale + at)
    tl.store(out + at, t + tl.load(shift + at))


@triton.jit
def hashed(x, table, out, BLOCK: tl.constexpr, ROUNDS: tl.constexpr):
    """The place of the second load is long in the making, and uses each step twice."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    t = tl.erf(tl.erf(tl.load(x + at)))
    h = at
    for _ in tl.static_range(ROUNDS):
        h = (h * 5) ^ (h >> 3)
    tl.store(out + at, t * tl.load(table + (h & 1023)))


@triton.jit
def two_rows(x, bias, out, N, BLOCK: tl.constexpr):
    """Long work on each of two rows, which ends their stretch of loads early."""
    rows = tl.program_id(0) * 2 + tl.arange(0, 2)
    at = tl.arange(0, BLOCK)
    t = tl.load(x + rows[:, None] * N + at[None, :]) + tl.load(bias + at)[None, :]
    for _ in tl.static_range(12):
        t = t / tl.sum(t, 1, keep_dims=True)
    tl.store(out + rows[:, None] * N + at[None, :], t)


@triton.jit
def squashed(x, out, BLOCK: tl.constexpr):
    """Much work on each of two vectors, which the text does step by step for both."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    t = tl.load(x + at).to(tl.float32)
    tl.store(out + at, tl.erf(tl.erf(t)))


@triton.jit
def indexed(x, rows, table, out, N, BLOCK: tl.constexpr):
    """A loaded place leads to what is loaded next, beside tiles that take longer."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    index = tl.load(rows + row)
    t = tl.load(x + row * N + at)
    scale = tl.load(table + index * N + at)
    tl.store(out + row * N + at, tl.erf(tl.erf(t)) * (1.0 + scale))


@triton.jit
def attention(q, k, v, out, N, M: tl.constexpr, BLOCK: tl.constexpr, D: tl.constexpr, SPECIALIZED: tl.constexpr):
    """A product of what is computed from another one."""
    rows = (tl.program_id(0) * M + tl.arange(0, M))[:, None]
    inner = tl.arange(0, D)
    left = tl.load(q + rows * D + inner[None, :])
    acc = tl.zeros((M, D), tl.float32)
    for i in tl.range(0, N, BLOCK, warp_specialize=SPECIALIZED):
        columns = i + tl.arange(0, BLOCK)
        s = tl.dot(left, tl.load(k + columns[None, :] * D + inner[:, None]))
        acc += tl.dot(tl.exp2(s).to(tl.float16), tl.load(v + columns[:, None] * D + inner[None, :]))
    tl.store(out + rows * D + inner[None, :], acc)


@triton.jit
def part_of_row(x, out, BEGIN: tl.constexpr, BLOCK: tl.constexpr):
    """A mask that divides a thread's eight elements by four."""
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at >= BEGIN, other=0))


@triton.jit
def all_of(a, b):
    return a & b


@triton.jit
def all_set(x, out, N, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    """Many comparisons, of which each is soon used: more than there are predicates."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    found = tl.full([ROWS, BLOCK], value=1, dtype=tl.int1)
    for i in range(0, N, BLOCK):
        columns = i + tl.arange(0, BLOCK)[None, :]
        found = found and (tl.load(x + rows * N + columns) != 0)
    tl.store(out + rows, tl.reduce(found, 1, all_of)[:, None])


@triton.jit
def labelled(x, labels, out, BLOCK: tl.constexpr):
    """Indices that are compared behind much work on what was loaded."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    label = tl.load(labels)
    v = tl.load(x + at).to(tl.float32)
    t = tl.erf(tl.erf(v * 0.5))
    tl.store(out + at, tl.where(at < label, t - 1, t))


@triton.jit
def dot_of_rows(x, y, out, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """A product that takes twice the registers of its factors, and is summed up at once."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = rows[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(out + rows, tl.sum((tl.load(x + at) * tl.load(y + at)).to(tl.float32), 1))


@triton.jit
def support(x, out, BLOCK: tl.constexpr):
    """A row and its sums up to each element, which are compared."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    z = tl.load(x + at)
    above = z > tl.cumsum(z, 0) - 1.0
    tl.store(out + tl.program_id(0), tl.sum(tl.where(above, z, 0.0), 0))


@triton.jit
def kept(x, BLOCK: tl.constexpr):
    """The same in place: threads may store before others would load again."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    z = tl.load(x + at)
    above = z > tl.cumsum(z, 0) - 1.0
    tl.store(x + at, tl.where(above, z, 0.0))
