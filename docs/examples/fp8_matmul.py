"""Matrix products of fp8 operands, with scales per tensor, per block, or per 32 elements.

Both operands lie with K inside: a is [M, K] and b is [N, K], so c = a bᵀ, [M, N].

fp8_matmul_kernel: one scale a tensor, c = (a bᵀ) · a_scale · b_scale.

fp8_block_matmul_kernel: a has a scale for each GROUP elements of a row, b for each
GROUP x GROUP block (DeepSeek-AI, "DeepSeek-V3 Technical Report", 2024, section
3.3.2), so the partial product of each group is scaled on its way into the sum:
c[m, n] = sum over g of (sum over k in group g of a[m, k] b[n, k]) · a_scale[m, g] · b_scale[n // GROUP, g].

mx_matmul_kernel: the OCP Microscaling format (MX v1.0, section 5.2): a power of two,
kept as its biased exponent in a byte, for each 32 elements along K.

    tz run fp8_matmul.py::fp8_matmul_kernel --grid "cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)" \
        --arg a=randn:f8e4m3fn[M,K] --arg b=randn:f8e4m3fn[N,K] --arg c=zeros:bf16[M,N] \
        --arg "a_scale=full(0.5):f32[1]" --arg "b_scale=full(0.25):f32[1]" \
        --arg M=i32:131 --arg N=i32:97 --arg K=i32:203 --constexpr BLOCK_M=64 --constexpr BLOCK_N=32 \
        --constexpr BLOCK_K=64
"""

import triton
import triton.language as tl


@triton.jit
def fp8_matmul_kernel(
    a, b, c, a_scale, b_scale, M, N, K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        at = start + inner
        a_tile = tl.load(a + rows[:, None] * K + at[None, :], mask=(rows[:, None] < M) & (at[None, :] < K), other=0.0)
        b_tile = tl.load(b + cols[None, :] * K + at[:, None], mask=(cols[None, :] < N) & (at[:, None] < K), other=0.0)
        acc = tl.dot(a_tile, b_tile, acc)
    acc *= tl.load(a_scale) * tl.load(b_scale)
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c + rows[:, None] * N + cols[None, :], acc.to(c.dtype.element_ty), mask=inside)


@triton.jit
def fp8_block_matmul_kernel(
    a, b, c, a_scale, b_scale, M, N, K,
    GROUP: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    """a_scale is [M, cdiv(K, GROUP)], b_scale is [cdiv(N, GROUP), cdiv(K, GROUP)], both float32."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, GROUP)
    groups = tl.cdiv(K, GROUP)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for group in range(groups):
        at = group * GROUP + inner
        a_tile = tl.load(a + rows[:, None] * K + at[None, :], mask=(rows[:, None] < M) & (at[None, :] < K), other=0.0)
        b_tile = tl.load(b + cols[None, :] * K + at[:, None], mask=(cols[None, :] < N) & (at[:, None] < K), other=0.0)
        row_scale = tl.load(a_scale + rows * groups + group, mask=rows < M, other=0.0)
        col_scale = tl.load(b_scale + (cols // GROUP) * groups + group, mask=cols < N, other=0.0)
        acc += tl.dot(a_tile, b_tile) * row_scale[:, None] * col_scale[None, :]
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c + rows[:, None] * N + cols[None, :], acc.to(c.dtype.element_ty), mask=inside)


@triton.jit
def mx_matmul_kernel(
    a, b, c, a_scale, b_scale, M, N, K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """a_scale is [M, K / 32] and b_scale is [N, K / 32], bytes e that mean 2^(e - 127)."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    scale_inner = tl.arange(0, BLOCK_K // 32)
    scales = K // 32
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        at = start + inner
        scale_at = start // 32 + scale_inner
        a_tile = tl.load(a + rows[:, None] * K + at[None, :], mask=(rows[:, None] < M) & (at[None, :] < K), other=0.0)
        b_tile = tl.load(b + cols[None, :] * K + at[:, None], mask=(cols[None, :] < N) & (at[:, None] < K), other=0.0)
        row_scale = tl.load(
            a_scale + rows[:, None] * scales + scale_at[None, :],
            mask=(rows[:, None] < M) & (scale_at[None, :] < scales), other=0,
        )
        col_scale = tl.load(
            b_scale + cols[:, None] * scales + scale_at[None, :],
            mask=(cols[:, None] < N) & (scale_at[None, :] < scales), other=0,
        )
        acc = tl.dot_scaled(a_tile, row_scale, "e4m3", b_tile, col_scale, "e4m3", acc)
    inside = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c + rows[:, None] * N + cols[None, :], acc.to(c.dtype.element_ty), mask=inside)


def fp8_matmul(a, a_scale, b, b_scale):
    import torch

    (m, k), n = a.shape, b.shape[0]
    c = torch.empty(m, n, device=a.device, dtype=torch.bfloat16)
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    fp8_matmul_kernel[grid](a, b, c, a_scale, b_scale, m, n, k, BLOCK_M=64, BLOCK_N=64, BLOCK_K=64)
    return c


def fp8_block_matmul(a, a_scale, b, b_scale, group=128):
    import torch

    (m, k), n = a.shape, b.shape[0]
    c = torch.empty(m, n, device=a.device, dtype=torch.bfloat16)
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    fp8_block_matmul_kernel[grid](a, b, c, a_scale, b_scale, m, n, k, GROUP=group, BLOCK_M=64, BLOCK_N=64)
    return c


def mx_matmul(a, a_scale, b, b_scale):
    import torch

    (m, k), n = a.shape, b.shape[0]
    c = torch.empty(m, n, device=a.device, dtype=torch.bfloat16)
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    mx_matmul_kernel[grid](a, b, c, a_scale, b_scale, m, n, k, BLOCK_M=64, BLOCK_N=64, BLOCK_K=128)
    return c


if __name__ == "__main__":
    import torch

    def fp8(*shape):
        return torch.randn(*shape, device="cuda").to(torch.float8_e4m3fn)

    def spread(scales, size, rows=1):
        """Each scale once for every element that it belongs to."""
        return scales.repeat_interleave(rows, 0).repeat_interleave(size, 1)

    left, right = fp8(517, 384), fp8(259, 384)
    one, two = torch.full((1,), 0.5, device="cuda"), torch.full((1,), 0.25, device="cuda")
    expected = left.float() @ right.float().T * 0.125
    error = (fp8_matmul(left, one, right, two) - expected).abs().max().item()
    print("per tensor: max error", error, "of", expected.abs().max().item())

    by_row, by_block = torch.rand(517, 3, device="cuda"), torch.rand(3, 3, device="cuda")
    expected = (left.float() * spread(by_row, 128)) @ (right.float() * spread(by_block, 128, 128)[:259]).T
    error = (fp8_block_matmul(left, by_row, right, by_block) - expected).abs().max().item()
    print("per block: max error", error, "of", expected.abs().max().item())

    powers = [torch.randint(120, 134, (n, 12), device="cuda", dtype=torch.uint8) for n in (517, 259)]
    wide = [spread(torch.exp2(p.float() - 127), 32) for p in powers]
    expected = (left.float() * wide[0]) @ (right.float() * wide[1]).T
    error = (mx_matmul(left, powers[0], right, powers[1]) - expected).abs().max().item()
    print("microscaling: max error", error, "of", expected.abs().max().item())
