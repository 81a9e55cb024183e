"""Matrix product with a fused activation: C = act(A @ B).

Programs walk the tiles of C in groups of GROUP_M rows of tiles, so that the
tiles that run together share columns of B. Sizes need not be multiples of the
tile: rows, columns and the inner dimension are masked. Products are summed in
fp32 whatever the inputs are.

    tz run matmul.py::matmul_kernel --grid "cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N)" \
        --arg a=randn:f16[517,333] --arg b=randn:f16[333,1031] --arg c=zeros:f16[517,1031] \
        --arg M=i32:517 --arg N=i32:1031 --arg K=i32:333 --arg stride_am=i32:333 --arg stride_ak=i32:1 \
        --arg stride_bk=i32:1031 --arg stride_bn=i32:1 --arg stride_cm=i32:1031 --arg stride_cn=i32:1 \
        --constexpr BLOCK_M=64 --constexpr BLOCK_N=64 --constexpr BLOCK_K=32 --constexpr GROUP_M=8 \
        --constexpr ACTIVATION=leaky_relu
"""

import triton
import triton.language as tl


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul_kernel(
    a, b, c,
    M, N, K,
    stride_am, stride_ak,
    stride_bk, stride_bn,
    stride_cm, stride_cn,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    ACTIVATION: tl.constexpr = "",
):
    # Which tile of C: groups of GROUP_M tile rows, column by column in a group.
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    tiles_in_group = GROUP_M * tiles_n
    first_m = (pid // tiles_in_group) * GROUP_M
    rows_in_group = min(tiles_m - first_m, GROUP_M)
    within = pid % tiles_in_group
    tile_m = first_m + within % rows_in_group
    tile_n = within // rows_in_group

    rows = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_ptrs = a + rows[:, None] * stride_am + inner[None, :] * stride_ak
    b_ptrs = b + inner[:, None] * stride_bk + cols[None, :] * stride_bn
    row_ok = rows[:, None] < M
    col_ok = cols[None, :] < N

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a_tile = tl.load(a_ptrs, mask=row_ok & (inner[None, :] < K - k), other=0.0)
        b_tile = tl.load(b_ptrs, mask=(inner[:, None] < K - k) & col_ok, other=0.0)
        acc = tl.dot(a_tile, b_tile, acc)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk

    if ACTIVATION == "leaky_relu":
        acc = leaky_relu(acc)

    c_ptrs = c + rows[:, None] * stride_cm + cols[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c.dtype.element_ty), mask=row_ok & col_ok)


def matmul(a, b, activation=""):
    import torch

    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), device=a.device, dtype=a.dtype)
    grid = lambda meta: (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)
    matmul_kernel[grid](
        a, b, c, m, n, k,
        a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
        BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, GROUP_M=8, ACTIVATION=activation,
    )
    return c


if __name__ == "__main__":
    import torch

    left = torch.randn(517, 333, device="cuda", dtype=torch.float16)
    right = torch.randn(333, 1031, device="cuda", dtype=torch.float16)
    print("max error", (matmul(left, right) - left @ right).abs().max().item())
