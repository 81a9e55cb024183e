"""Matrix products with few rows, as in decoding: K is split among programs.

c = a b with a [M, K], M at most BLOCK_M, and b [K, N]. One program a column tile
would leave most of the machine idle, and the time is that of reading b; so SPLITS
programs share the K of a column tile ("split-K"). Their sums meet by atomic additions
into a float32 c that starts as zeros, in any order; or as SPLITS matrices
[SPLITS, M, N], which are added always in the same order: by a second kernel, or by
the program that is the last of a column tile to end, as a counter tells it.

    tz run skinny_matmul.py::skinny_matmul_atomic --grid "cdiv(N,BLOCK_N),SPLITS" \
        --arg a=randn:f16[M,K] --arg b=randn:f16[K,N] --arg c=zeros:f32[M,N] \
        --arg M=i32:5 --arg N=i32:203 --arg K=i32:1001 --constexpr BLOCK_M=16 --constexpr BLOCK_N=64 \
        --constexpr BLOCK_K=64 --constexpr SPLITS=4
"""

import triton
import triton.language as tl


@triton.jit
def product_of_part(
    a, b, rows, cols, M, N, K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    SPLITS: tl.constexpr,
):
    """This program's share of the sum over K: a run of whole blocks."""
    blocks = tl.cdiv(tl.cdiv(K, BLOCK_K), SPLITS)
    first = tl.program_id(1) * blocks * BLOCK_K
    tl.assume(first >= 0)
    last = min(K, first + blocks * BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(first, last, BLOCK_K):
        at = start + tl.arange(0, BLOCK_K)
        a_tile = tl.load(a + rows[:, None] * K + at[None, :], mask=(rows[:, None] < M) & (at[None, :] < K), other=0.0)
        b_tile = tl.load(b + at[:, None] * N + cols[None, :], mask=(at[:, None] < K) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(a_tile, b_tile, acc)
    return acc


@triton.jit
def skinny_matmul_atomic(
    a, b, c, M, N, K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    SPLITS: tl.constexpr,
):
    rows = tl.arange(0, BLOCK_M)
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = product_of_part(a, b, rows, cols, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, SPLITS)
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    tl.atomic_add(c + rows[:, None] * N + cols[None, :], acc, mask=inside, sem="relaxed")


@triton.jit
def skinny_matmul_parts(
    a, b, parts, M, N, K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    SPLITS: tl.constexpr,
):
    rows = tl.arange(0, BLOCK_M)
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = product_of_part(a, b, rows, cols, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, SPLITS)
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    mine = parts + tl.program_id(1) * M * N
    tl.store(mine + rows[:, None] * N + cols[None, :], acc, mask=inside)


@triton.jit
def skinny_matmul_counted(
    a, b, parts, ended, c, M, N, K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    SPLITS: tl.constexpr,
):
    """`ended`: an int32 for each column tile, zero before the first launch and behind each."""
    rows = tl.arange(0, BLOCK_M)
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = product_of_part(a, b, rows, cols, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, SPLITS)
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    at = rows[:, None] * N + cols[None, :]
    tl.store(parts + tl.program_id(1) * M * N + at, acc, mask=inside)
    counter = ended + tl.program_id(0)
    if tl.atomic_add(counter, 1, sem="acq_rel") == SPLITS - 1:
        tl.store(counter, 0)
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for part in tl.static_range(SPLITS):
            total += tl.load(parts + part * M * N + at, mask=inside, other=0.0)
        tl.store(c + at, total.to(c.dtype.element_ty), mask=inside)


@triton.jit
def skinny_matmul_sum(parts, c, size, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    """c = the sum of SPLITS matrices of `size` elements each."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for part in tl.static_range(SPLITS):
        total += tl.load(parts + part * size + at, mask=at < size, other=0.0)
    tl.store(c + at, total.to(c.dtype.element_ty), mask=at < size)


def skinny_matmul(a, b, splits=8, way="counted"):
    """`way`: "atomic", "parts" or "counted"."""
    import torch

    (m, k), n = a.shape, b.shape[1]
    blocks = dict(BLOCK_M=max(16, triton.next_power_of_2(m)), BLOCK_N=64, BLOCK_K=64, SPLITS=splits)
    grid = (triton.cdiv(n, 64), splits)
    if way == "atomic":
        total = torch.zeros(m, n, device=a.device, dtype=torch.float32)
        skinny_matmul_atomic[grid](a, b, total, m, n, k, **blocks)
        return total.to(a.dtype)
    parts = torch.empty(splits, m, n, device=a.device, dtype=torch.float32)
    c = torch.empty(m, n, device=a.device, dtype=a.dtype)
    if way == "parts":
        skinny_matmul_parts[grid](a, b, parts, m, n, k, **blocks)
        skinny_matmul_sum[(triton.cdiv(m * n, 1024),)](parts, c, m * n, SPLITS=splits, BLOCK=1024)
    else:
        ended = torch.zeros(grid[0], device=a.device, dtype=torch.int32)
        skinny_matmul_counted[grid](a, b, parts, ended, c, m, n, k, **blocks)
    return c


if __name__ == "__main__":
    import torch

    left = torch.randn(5, 4099, device="cuda", dtype=torch.float16)
    right = torch.randn(4099, 1003, device="cuda", dtype=torch.float16)
    expected = left.float() @ right.float()
    for way in ("atomic", "parts", "counted"):
        error = (skinny_matmul(left, right, way=way) - expected).abs().max().item()
        print(way, "max error", error, "of", expected.abs().max().item())
