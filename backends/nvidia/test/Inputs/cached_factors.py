import triton
import triton.language as tl


@triton.jit
def rotated(x, cos, sin, out, BLOCK: tl.constexpr):
    """Threads of a block load the same 128 factors."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at).to(tl.float32)
    w = tl.load(x + (at ^ 64)).to(tl.float32)
    tl.store(out + at, v * tl.load(cos + at % 128) + w * tl.load(sin + at % 128))


@triton.jit
def total(x, out, n):
    """Iterations of one load and one sum."""
    base = x + tl.program_id(0) * n
    most = 0.0
    for i in range(n):
        most += tl.load(base + i)
    tl.store(out + tl.program_id(0), most)


@triton.jit
def chosen(x, scale, shift, index, out, n, BLOCK: tl.constexpr):
    """Factors lie in rows of a table, one for each program."""
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    table = tl.load(index + row) * n + at
    v = tl.load(x + row * n + at).to(tl.float32)
    tl.store(out + row * n + at, v * tl.load(scale + table) + tl.load(shift + table))
