import triton
import triton.language as tl


@triton.jit
def channels(x, w, out, n, size, BLOCK: tl.constexpr):
    """A weight for each `size` elements."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    channel = i // size
    a = tl.load(x + i, mask=inside)
    tl.store(out + i, a * tl.load(w + channel, mask=inside, other=1.0), mask=inside)


@triton.jit
def known(x, w, out, BLOCK: tl.constexpr, SIZE: tl.constexpr):
    """The size is known, and the weights come again; rows of x lie apart."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = i // SIZE
    a = tl.load(x + row * (SIZE + 3) + i % SIZE)
    tl.store(out + i, a * tl.load(w + row % 5))


@triton.jit
def numbers(out, rest, first, size, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    """Quotients of any sign, also beside numbers that wrap."""
    i = tl.arange(0, BLOCK)
    at = first + i
    if WIDE:
        at = at.to(tl.int64)
    tl.store(out + i, at // size)
    tl.store(rest + i, at % size)


@triton.jit
def unsigned(out, first, size, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = (first + i).to(tl.uint32, bitcast=True)
    tl.store(out + i, at // size.to(tl.uint32, bitcast=True))


@triton.jit
def rows(x, w, out, size, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Each row divides by a number of its own."""
    row = tl.arange(0, ROWS)[:, None]
    i = tl.arange(0, BLOCK)[None, :]
    channel = (row * 7 + i) // (size + row)
    tl.store(out + row * BLOCK + i, tl.load(x + row * BLOCK + i) + tl.load(w + channel))
