import triton
import triton.language as tl


@triton.jit
def row_sums(x, out, WIDTH: tl.constexpr):
    rows = tl.arange(0, 64)
    at = rows[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    tl.store(out + rows, tl.sum(tl.load(x + at), axis=1))


@triton.jit
def total(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    sum = tl.sum(tl.load(x + at))
    tl.store(out + at, at / sum)


@triton.jit
def by_part(x, y, out, PART: tl.constexpr):
    at = tl.arange(0, 1024)
    tl.store(out + at, tl.load(y + at) * tl.load(x + at // PART))


@triton.jit
def row_max(x, out, WIDTH: tl.constexpr):
    rows = tl.arange(0, 16)
    at = rows[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    tl.store(out + rows, tl.max(tl.load(x + at), axis=1))


@triton.jit
def larger(a, b):
    return tl.where(a < b, b, a)


@triton.jit
def first_of_tens(a, b):
    return tl.where(a // 10 < b // 10, b, a)


@triton.jit
def row_chosen(x, out, CHOOSE: tl.constexpr):
    rows = tl.arange(0, 64)
    at = rows[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(out + rows, tl.reduce(tl.load(x + at), 1, CHOOSE))
