import triton
import triton.language as tl


@triton.jit
def row(x, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at) * 2)


@triton.jit
def total(x, y, n, BLOCK: tl.constexpr):
    sums = tl.zeros([BLOCK], tl.float32)
    for i in range(n):
        sums += tl.load(x + i * BLOCK + tl.arange(0, BLOCK))
    tl.store(y + tl.arange(0, BLOCK), sums)


@triton.jit
def rotated(x, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + 2 * at)
    b = tl.load(x + 2 * at + 1)
    tl.store(y + 2 * at, a - b)
    tl.store(y + 2 * at + 1, a + b)


@triton.jit
def one(x):
    tl.store(x + tl.program_id(0), tl.program_id(0))


@triton.jit
def centered(x, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at).to(tl.float32)
    w = tl.load(y + at).to(tl.float32)
    v = (v - tl.sum(v) / BLOCK) * w
    tl.store(x + at, v / tl.max(v))
    tl.store(y + at, w / tl.sum(w * v))
