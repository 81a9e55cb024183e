"""Matrix product whose tiles are shared evenly: C = A @ B on a fixed number of programs.

Programs that compute whole tiles take as long as the last round of tiles, in
which most of them have nothing to do if the tiles just exceed a multiple of the
programs. Here the steps along K of the first `streamed` tiles are divided
evenly; a program may begin and end inside of a tile. Who is the last to end its
part of a tile adds all parts, in the order of the steps, so a launch gives the
same bits each time. Nobody waits for anybody. The rest are whole tiles.

`partials` is [2 * programs, BLOCK_M, BLOCK_N], fp32, and `done` one i32 a streamed tile:
zeros before the first launch, and zeros again behind each.

    tz run stream_k_matmul.py::stream_k_kernel --grid 7 \
        --arg a=randn:f16[161,333] --arg b=randn:f16[333,197] --arg c=zeros:f16[161,197] \
        --arg partials=zeros:f32[14,64,64] --arg done=zeros:i32[5] \
        --arg M=i32:161 --arg N=i32:197 --arg K=i32:333 --arg stride_am=i32:333 --arg stride_bk=i32:197 \
        --arg stride_cm=i32:197 --arg streamed=i32:5 \
        --constexpr BLOCK_M=64 --constexpr BLOCK_N=64 --constexpr BLOCK_K=32 --constexpr GROUP_M=8
"""

import triton
import triton.language as tl


@triton.jit
def place(tile, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Row and column of a tile: groups of GROUP_M tile rows, column by column in a group."""
    tiles_in_group = GROUP_M * tl.cdiv(N, BLOCK_N)
    group = tile // tiles_in_group
    rows_in_group = min(tl.cdiv(M, BLOCK_M) - group * GROUP_M, GROUP_M)
    row = (group * GROUP_M + tile % tiles_in_group % rows_in_group) * BLOCK_M
    col = tile % tiles_in_group // rows_in_group * BLOCK_N
    return row, col


@triton.jit
def product(a, b, row, col, first, last, M, N, K, stride_am, stride_bk,
            BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """The tile at (row, col) summed over steps [first, last) of BLOCK_K."""
    tl.assume(row >= 0)
    tl.assume(col >= 0)
    rows = row + tl.arange(0, BLOCK_M)
    cols = col + tl.arange(0, BLOCK_N)
    tl.assume(first >= 0)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(first, last):
        inner = step * BLOCK_K + tl.arange(0, BLOCK_K)
        a_tile = tl.load(a + rows[:, None] * stride_am + inner[None, :],
                         mask=(rows[:, None] < M) & (inner[None, :] < K), other=0.0)
        b_tile = tl.load(b + inner[:, None] * stride_bk + cols[None, :],
                         mask=(inner[:, None] < K) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(a_tile, b_tile, acc)
    return acc


@triton.jit
def store(c, acc, row, col, M, N, stride_cm, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    tl.assume(row >= 0)
    tl.assume(col >= 0)
    rows = row + tl.arange(0, BLOCK_M)
    cols = col + tl.arange(0, BLOCK_N)
    tl.store(c + rows[:, None] * stride_cm + cols[None, :], acc.to(c.dtype.element_ty),
             mask=(rows[:, None] < M) & (cols[None, :] < N))


@triton.jit
def begin_of(program, share, extra):
    """The first step of a program: `share` steps each, one more for the first `extra`."""
    return program * share + min(program, extra)


@triton.jit
def stream_k_kernel(
    a, b, c, partials, done, M, N, K, stride_am, stride_bk, stride_cm, streamed,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    """Rows of A, B and C are stride_am, stride_bk and stride_cm elements apart, columns side by side."""
    programs = tl.num_programs(0)
    mine = tl.program_id(0)
    steps = tl.cdiv(K, BLOCK_K)
    share = streamed * steps // programs
    extra = streamed * steps % programs
    inside = tl.arange(0, BLOCK_M)[:, None] * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]

    at = begin_of(mine, share, extra)
    end = begin_of(mine + 1, share, extra)
    while at < end:
        tile = at // steps
        row, col = place(tile, M, N, BLOCK_M, BLOCK_N, GROUP_M)
        first = at % steps
        last = min(first + end - at, steps)
        acc = product(a, b, row, col, first, last, M, N, K, stride_am, stride_bk, BLOCK_M, BLOCK_N, BLOCK_K)
        at += last - first
        if last - first == steps:
            store(c, acc, row, col, M, N, stride_cm, BLOCK_M, BLOCK_N)
        else:
            # A program has two tiles at most that are not its own alone: one that it begins, one that it goes on with.
            slot = 2 * mine + (first == 0).to(tl.int32)
            tl.store(partials + slot.to(tl.int64) * (BLOCK_M * BLOCK_N) + inside, acc)
            if tl.atomic_add(done + tile, last - first, sem="acq_rel") + last - first == steps:
                # The last one to come adds all parts, in the order of the steps.
                tl.store(done + tile, 0)
                whole = extra * (share + 1)
                start = tile * steps
                other = start // (share + 1) if start < whole else extra + (start - whole) // max(share, 1)
                acc = tl.load(partials + (2 * other + 1).to(tl.int64) * (BLOCK_M * BLOCK_N) + inside)
                while begin_of(other + 1, share, extra) < start + steps:
                    other += 1
                    acc += tl.load(partials + (2 * other).to(tl.int64) * (BLOCK_M * BLOCK_N) + inside)
                store(c, acc, row, col, M, N, stride_cm, BLOCK_M, BLOCK_N)

    tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
    for tile in range(streamed + mine, tiles, programs):
        row, col = place(tile, M, N, BLOCK_M, BLOCK_N, GROUP_M)
        acc = product(a, b, row, col, 0, steps, M, N, K, stride_am, stride_bk, BLOCK_M, BLOCK_N, BLOCK_K)
        store(c, acc, row, col, M, N, stride_cm, BLOCK_M, BLOCK_N)


def streamed_tiles(tiles, programs):
    """How many tiles to divide: those of the last two rounds, none where all rounds are full."""
    return 0 if tiles % programs == 0 else tiles % programs + (programs if tiles > programs else 0)


def matmul(a, b, programs, block=(128, 256, 64)):
    """`programs`: as many as run at once."""
    import torch

    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), device=a.device, dtype=a.dtype)
    tiles = triton.cdiv(m, block[0]) * triton.cdiv(n, block[1])
    streamed = streamed_tiles(tiles, programs)
    partials = torch.empty((2 * programs, *block[:2]), device=a.device, dtype=torch.float32)
    done = torch.zeros(max(streamed, 1), device=a.device, dtype=torch.int32)
    stream_k_kernel[(programs,)](
        a, b, c, partials, done, m, n, k, a.stride(0), b.stride(0), c.stride(0), streamed,
        BLOCK_M=block[0], BLOCK_N=block[1], BLOCK_K=block[2], GROUP_M=8, num_warps=8,
    )
    return c


if __name__ == "__main__":
    import torch

    left = torch.randn(517, 333, device="cuda", dtype=torch.float16)
    right = torch.randn(333, 1031, device="cuda", dtype=torch.float16)
    print("max error", (matmul(left, right, 100) - left @ right).abs().max().item())
