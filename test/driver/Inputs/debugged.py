"""Kernels for tz debug: a loop, a call, names that are no operation; mistakes."""
import triton
import triton.language as tl


@triton.jit
def scaled(x, factor):
    y = x * factor
    return y


@triton.jit
def row_sums(x, out, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(0, n_cols, BLOCK):
        inside = start + cols < n_cols
        part = tl.load(x + row * n_cols + start + cols, mask=inside, other=0.0)
        before = acc
        acc = before + scaled(part, 2.0)
    pair = (row, acc)
    total = tl.sum(acc, 0)
    tl.store(out + row, total)


@triton.jit
def mistakes(x, out, which: tl.constexpr):
    pid = tl.program_id(0)
    if which == "outside":
        tl.store(out + 4 + pid, 1.0)
    elif which == "unwritten":
        value = tl.load(x + pid)
        tl.store(out + pid, value)
    elif which == "race":
        tl.store(out, pid * 1.0)
    else:
        tl.device_assert(pid < 1, "one program only")
    tl.store(out + pid, 0.0)


@triton.jit
def grid_of_tiles(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tile = tl.load(x + at)
    root = tl.sqrt(tile - 2)
    tl.store(out + at, root)
