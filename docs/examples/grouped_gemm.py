"""Many matrix products of different sizes in one launch.

Addresses of the matrices come as an array of int64, sizes and row strides as
arrays of int32. A fixed number of programs shares the tiles of all products.

    tz run grouped_gemm.py::grouped_gemm_kernel --grid 7 \
        --arg a_ptrs=ptrs:a0,a1 --arg b_ptrs=ptrs:b0,b1 --arg c_ptrs=ptrs:c0,c1 \
        --buffer a0=randn:f16[70,33] --buffer b0=randn:f16[33,45] --buffer c0=zeros:f16[70,45] \
        --buffer a1=randn:f16[19,64] --buffer b1=randn:f16[64,130] --buffer c1=zeros:f16[19,130] \
        --arg sizes=values:i32[70,45,33,19,130,64] --arg strides=values:i32[33,45,45,64,130,130] \
        --arg groups=i32:2 --constexpr BLOCK_M=32 --constexpr BLOCK_N=32 --constexpr BLOCK_K=32
"""

import triton
import triton.language as tl


@triton.jit
def grouped_gemm_kernel(
    a_ptrs, b_ptrs, c_ptrs, sizes, strides, groups,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    DTYPE: tl.constexpr = tl.float16,
):
    """sizes holds M, N, K and strides the row strides of A, B, C, for each product."""
    programs = tl.num_programs(0)
    mine = tl.program_id(0)
    first = 0
    for g in range(groups):
        m = tl.load(sizes + g * 3)
        n = tl.load(sizes + g * 3 + 1)
        k = tl.load(sizes + g * 3 + 2)
        stride_a = tl.load(strides + g * 3)
        stride_b = tl.load(strides + g * 3 + 1)
        stride_c = tl.load(strides + g * 3 + 2)
        a = tl.load(a_ptrs + g).to(tl.pointer_type(DTYPE))
        b = tl.load(b_ptrs + g).to(tl.pointer_type(DTYPE))
        c = tl.load(c_ptrs + g).to(tl.pointer_type(DTYPE))
        tiles_n = tl.cdiv(n, BLOCK_N)
        tiles = tl.cdiv(m, BLOCK_M) * tiles_n
        while mine < first + tiles:
            tile = mine - first
            rows = (tile // tiles_n) * BLOCK_M + tl.arange(0, BLOCK_M)
            cols = (tile % tiles_n) * BLOCK_N + tl.arange(0, BLOCK_N)
            inner = tl.arange(0, BLOCK_K)
            acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for start in range(0, k, BLOCK_K):
                at = start + inner
                a_tile = tl.load(
                    a + rows[:, None] * stride_a + at[None, :],
                    mask=(rows[:, None] < m) & (at[None, :] < k), other=0.0,
                )
                b_tile = tl.load(
                    b + at[:, None] * stride_b + cols[None, :],
                    mask=(at[:, None] < k) & (cols[None, :] < n), other=0.0,
                )
                acc = tl.dot(a_tile, b_tile, acc)
            tl.store(
                c + rows[:, None] * stride_c + cols[None, :], acc.to(DTYPE),
                mask=(rows[:, None] < m) & (cols[None, :] < n),
            )
            mine += programs
        first += tiles


def grouped_gemm(pairs):
    import torch

    results = [torch.empty(a.shape[0], b.shape[1], device=a.device, dtype=a.dtype) for a, b in pairs]
    device = pairs[0][0].device

    def addresses(tensors):
        return torch.tensor([t.data_ptr() for t in tensors], device=device, dtype=torch.int64)

    def integers(rows):
        return torch.tensor(rows, device=device, dtype=torch.int32)

    sizes = integers([(a.shape[0], b.shape[1], a.shape[1]) for a, b in pairs])
    strides = integers([(a.stride(0), b.stride(0), c.stride(0)) for (a, b), c in zip(pairs, results)])
    grouped_gemm_kernel[(64,)](
        addresses([a for a, _ in pairs]), addresses([b for _, b in pairs]), addresses(results),
        sizes, strides, len(pairs), BLOCK_M=32, BLOCK_N=32, BLOCK_K=32,
    )
    return results


if __name__ == "__main__":
    import torch

    def half(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.float16)

    work = [(half(70, 33), half(33, 45)), (half(19, 64), half(64, 130))]
    for (a, b), c in zip(work, grouped_gemm(work)):
        print(tuple(c.shape), "max error", (c - a @ b).abs().max().item())
