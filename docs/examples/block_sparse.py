"""Products with a matrix that is zero but for some SIZE x SIZE blocks.

The blocks are kept row by row (block compressed sparse row): values is
[blocks, SIZE, SIZE], block_rows and block_cols [blocks] say where each lies, and
row_starts [block rows + 1] where each row's blocks begin in the list.

    sddmm   S = mask ∘ (A B) · scale: values of the blocks alone, A [M, K], B [K, N]
    spmm    C = S B with S [M, K] sparse and B, C dense, [K, N] and [M, N]

(Gale et al., "Sparse GPU Kernels for Deep Learning", 2020, section 2.2, for blocks in
place of elements). M, N and K may be odd: what of a block lies outside is zero in S,
and is neither read nor written elsewhere.

    tz run block_sparse.py::spmm_kernel --grid "cdiv(M,SIZE),cdiv(N,BLOCK_N)" \
        --arg values=randn:f16[5,32,32] --arg row_starts=values:i32[0,2,2,5] \
        --arg block_cols=values:i32[0,2,0,1,3] --arg b=randn:f16[K,N] --arg c=zeros:f16[M,N] \
        --arg M=i32:77 --arg N=i32:101 --arg K=i32:120 --constexpr SIZE=32 --constexpr BLOCK_N=64
"""

import triton
import triton.language as tl


@triton.jit
def sddmm_kernel(
    a, b, values, block_rows, block_cols, scale, M, N, K, SIZE: tl.constexpr, BLOCK_K: tl.constexpr
):
    """One program a block."""
    block = tl.program_id(0)
    lanes = tl.arange(0, SIZE)
    rows = tl.load(block_rows + block) * SIZE + lanes
    cols = tl.load(block_cols + block) * SIZE + lanes
    acc = tl.zeros((SIZE, SIZE), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        at = start + tl.arange(0, BLOCK_K)
        a_tile = tl.load(a + rows[:, None] * K + at[None, :], mask=(rows[:, None] < M) & (at[None, :] < K), other=0.0)
        b_tile = tl.load(b + at[:, None] * N + cols[None, :], mask=(at[:, None] < K) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(a_tile, b_tile, acc)
    at = block.to(tl.int64) * SIZE * SIZE + lanes[:, None] * SIZE + lanes[None, :]
    tl.store(values + at, (acc * scale).to(values.dtype.element_ty))


@triton.jit
def spmm_kernel(
    values, row_starts, block_cols, b, c, M, N, K, SIZE: tl.constexpr, BLOCK_N: tl.constexpr
):
    """One program a row of blocks and BLOCK_N columns of c."""
    block_row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    lanes = tl.arange(0, SIZE)
    acc = tl.zeros((SIZE, BLOCK_N), dtype=tl.float32)
    for block in range(tl.load(row_starts + block_row), tl.load(row_starts + block_row + 1)):
        inner = tl.load(block_cols + block) * SIZE + lanes
        s_tile = tl.load(values + block * SIZE * SIZE + lanes[:, None] * SIZE + lanes[None, :])
        b_tile = tl.load(
            b + inner[:, None] * N + cols[None, :], mask=(inner[:, None] < K) & (cols[None, :] < N), other=0.0
        )
        acc = tl.dot(s_tile, b_tile, acc)
    rows = block_row * SIZE + lanes
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c + rows[:, None] * N + cols[None, :], acc.to(c.dtype.element_ty), mask=inside)


def layout(mask):
    """row_starts, block_rows and block_cols of a matrix of booleans, one a block."""
    import torch

    rows, cols = torch.nonzero(mask, as_tuple=True)
    starts = torch.zeros(mask.shape[0] + 1, device=mask.device, dtype=torch.int32)
    starts[1:] = mask.sum(1).cumsum(0)
    return starts, rows.to(torch.int32), cols.to(torch.int32)


def sddmm(a, b, mask, scale, size=32):
    import torch

    (m, k), n = a.shape, b.shape[1]
    _, rows, cols = layout(mask)
    values = torch.empty(rows.numel(), size, size, device=a.device, dtype=a.dtype)
    sddmm_kernel[(rows.numel(),)](a, b, values, rows, cols, scale, m, n, k, SIZE=size, BLOCK_K=32)
    return values


def spmm(values, mask, b, m):
    import torch

    (k, n), size = b.shape, values.shape[1]
    starts, _, cols = layout(mask)
    c = torch.empty(m, n, device=b.device, dtype=b.dtype)
    spmm_kernel[(triton.cdiv(m, size), triton.cdiv(n, 64))](
        values, starts, cols, b, c, m, n, k, SIZE=size, BLOCK_N=64
    )
    return c


if __name__ == "__main__":
    import torch

    def half(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.float16)

    M, N, K, SIZE = 205, 301, 77, 32
    left, right, dense = half(M, K), half(K, N), half(N, 130)
    mask = torch.rand(triton.cdiv(M, SIZE), triton.cdiv(N, SIZE), device="cuda") < 0.3
    full = mask.repeat_interleave(SIZE, 0).repeat_interleave(SIZE, 1)[:M, :N]
    sparse = (left.float() @ right.float()) * 0.125 * full
    values = sddmm(left, right, mask, 0.125, SIZE)
    padded = torch.zeros(mask.shape[0] * SIZE, mask.shape[1] * SIZE, device="cuda")
    padded[:M, :N] = sparse
    blocks = padded.unflatten(0, (-1, SIZE)).unflatten(2, (-1, SIZE)).transpose(1, 2)[mask]
    print("sddmm max error", (values - blocks).abs().max().item())
    expected = sparse @ dense.float()
    error = (spmm(values, mask, dense, M) - expected).abs().max().item()
    print("spmm max error", error, "of", expected.abs().max().item())
