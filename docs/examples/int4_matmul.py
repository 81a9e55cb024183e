"""Product of activations and 4-bit weights, which are widened on their way into the dot.

c = a w with a [M, K], c [M, N] and w[k, n] = (q[k, n] - zero[g, n]) · scale[g, n]
for the group g = k // GROUP (Frantar et al., "GPTQ", 2022, section 4, with the
packing of its kernels): eight 4-bit numbers to an int32, lowest bits first; `packed`
is [K / 8, N] with eight numbers of a column, `zeros` is [K / GROUP, N / 8] with eight
of a row, `scales` is [K / GROUP, N]. K and N are multiples of 8, GROUP of BLOCK_K.

    tz run int4_matmul.py::int4_matmul_kernel --grid "cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)" \
        --arg a=randn:f16[M,K] --arg packed="randint(-2147483648,2147483648):i32[K//8,N]" \
        --arg scales=uniform:f16[K//GROUP,N] --arg zeros="randint(-2147483648,2147483648):i32[K//GROUP,N//8]" \
        --arg c=zeros:f16[M,N] --arg M=i32:19 --arg N=i32:104 --arg K=i32:256 --constexpr GROUP=64 \
        --constexpr BLOCK_M=32 --constexpr BLOCK_N=64 --constexpr BLOCK_K=32
"""

import triton
import triton.language as tl


@triton.jit
def int4_matmul_kernel(
    a, packed, scales, zeros, c, M, N, K,
    GROUP: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    tl.static_assert(GROUP % BLOCK_K == 0, "a block of K lies in one group")
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    col_ok = cols < N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        at = start + inner
        a_tile = tl.load(a + rows[:, None] * K + at[None, :], mask=(rows[:, None] < M) & (at[None, :] < K), other=0.0)

        # Every lane loads the word of its number; neighbours share it.
        words = tl.load(
            packed + (at[:, None] // 8) * N + cols[None, :], mask=(at[:, None] < K) & col_ok[None, :], other=0
        )
        numbers = (words >> ((at[:, None] % 8) * 4)) & 15
        group = start // GROUP
        zero_words = tl.load(zeros + group * (N // 8) + cols // 8, mask=col_ok, other=0)
        zero = (zero_words >> ((cols % 8) * 4)) & 15
        scale = tl.load(scales + group * N + cols, mask=col_ok, other=0.0)
        weights = (numbers - zero[None, :]).to(a_tile.dtype) * scale[None, :].to(a_tile.dtype)
        acc = tl.dot(a_tile, weights, acc)
    inside = (rows[:, None] < M) & col_ok[None, :]
    tl.store(c + rows[:, None] * N + cols[None, :], acc.to(c.dtype.element_ty), mask=inside)


def int4_matmul(a, packed, scales, zeros, group):
    import torch

    (m, k), n = a.shape, packed.shape[1]
    c = torch.empty(m, n, device=a.device, dtype=a.dtype)
    int4_matmul_kernel[(triton.cdiv(m, 32), triton.cdiv(n, 64))](
        a, packed, scales, zeros, c, m, n, k, GROUP=group, BLOCK_M=32, BLOCK_N=64, BLOCK_K=32
    )
    return c


def pack(numbers, dim):
    """Numbers from 0 to 15, eight of dimension `dim` to an int32."""
    import torch

    split = numbers.unflatten(dim, (-1, 8)).to(torch.int64)
    shape = [1] * split.dim()
    shape[dim + 1] = 8
    shifts = (torch.arange(8, device=numbers.device) * 4).reshape(shape)
    return (split << shifts).sum(dim + 1).to(torch.int32)


if __name__ == "__main__":
    import torch

    M, N, K, GROUP = 19, 200, 512, 128
    left = torch.randn(M, K, device="cuda", dtype=torch.float16)
    numbers = torch.randint(0, 16, (K, N), device="cuda")
    zero = torch.randint(0, 16, (K // GROUP, N), device="cuda")
    scale = torch.rand(K // GROUP, N, device="cuda", dtype=torch.float16)
    weights = (numbers - zero.repeat_interleave(GROUP, 0)) * scale.repeat_interleave(GROUP, 0)
    expected = left.float() @ weights.float()
    got = int4_matmul(left, pack(numbers, 0), scale, pack(zero, 1), GROUP)
    print("max error", (got - expected).abs().max().item(), "of", expected.abs().max().item())
