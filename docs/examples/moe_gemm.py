"""Mixture of experts: each token times the matrices of the experts that were chosen for it.

Token t goes to TOP_K experts; slot t * TOP_K + j stands for its j-th choice, and

    y[slot] = x[slot // TOP_K] · w[expert of slot]ᵀ · weight of slot

with x [tokens, K], w [experts, N, K], y [tokens * TOP_K, N] (Shazeer et al.,
"Outrageously Large Neural Networks", 2017, equation 1; Gale et al., "MegaBlocks",
2023, for the grouping). `sort_by_expert` lists the slots by expert and pads each
expert's list to whole blocks of BLOCK_M, so that a block has one expert: `slots` are
the slots (those that pad are `n_slots`), `experts` the expert of each block, or -1
for a block that is not in use. A second kernel adds the TOP_K rows of each token.

    tz run moe_gemm.py::moe_gemm_kernel --grid "4,cdiv(N,BLOCK_N)" --arg x=randn:f16[5,K] \
        --arg w=randn:f16[3,N,K] --arg y=zeros:f16[10,N] --arg weights=uniform:f32[10] \
        --arg "slots=values:i32[0,3,7,10,1,2,4,6,8,10,10,10,5,9,10,10]" --arg "experts=values:i32[0,1,1,2]" \
        --arg n_slots=i32:10 --arg N=i32:70 --arg K=i32:83 --constexpr TOP_K=2 --constexpr BLOCK_M=4 \
        --constexpr BLOCK_N=32 --constexpr BLOCK_K=32
"""

import triton
import triton.language as tl


@triton.jit
def moe_gemm_kernel(
    x, w, y, weights, slots, experts, n_slots, N, K,
    TOP_K: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    block = tl.program_id(0)
    expert = tl.load(experts + block).to(tl.int64)
    if expert == -1:
        return
    slot = tl.load(slots + block * BLOCK_M + tl.arange(0, BLOCK_M))
    in_use = slot < n_slots
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    x_rows = x + (slot // TOP_K)[:, None] * K
    w_cols = w + expert * N * K + cols[None, :] * K
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        at = start + inner
        x_tile = tl.load(x_rows + at[None, :], mask=in_use[:, None] & (at[None, :] < K), other=0.0)
        w_tile = tl.load(w_cols + at[:, None], mask=(cols[None, :] < N) & (at[:, None] < K), other=0.0)
        acc = tl.dot(x_tile, w_tile, acc)
    acc *= tl.load(weights + slot, mask=in_use, other=0.0)[:, None]
    inside = in_use[:, None] & (cols[None, :] < N)
    tl.store(y + slot[:, None] * N + cols[None, :], acc.to(y.dtype.element_ty), mask=inside)


@triton.jit
def moe_sum_kernel(y, out, N, TOP_K: tl.constexpr, BLOCK: tl.constexpr):
    """out[token] = the sum of its TOP_K rows of y."""
    token = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for choice in tl.static_range(TOP_K):
        total += tl.load(y + (token * TOP_K + choice) * N + cols, mask=cols < N, other=0.0).to(tl.float32)
    tl.store(out + token * N + cols, total.to(out.dtype.element_ty), mask=cols < N)


def sort_by_expert(chosen, experts, block):
    """slots and experts of the kernel from the experts [tokens, TOP_K] that were chosen."""
    import torch

    slots, block_experts = [], []
    flat = chosen.flatten()
    for expert in range(experts):
        mine = torch.nonzero(flat == expert).flatten().tolist()
        mine += [flat.numel()] * (-len(mine) % block)
        slots += mine
        block_experts += [expert] * (len(mine) // block)

    def on_device(values):
        return torch.tensor(values, device=chosen.device, dtype=torch.int32)

    return on_device(slots), on_device(block_experts)


def moe(x, w, chosen, weights):
    """The sum over a token's experts of weight · x wᵀ; chosen and weights are [tokens, TOP_K]."""
    import torch

    (tokens, k), (experts, n, _), top_k = x.shape, w.shape, chosen.shape[1]
    slots, block_experts = sort_by_expert(chosen, experts, 16)
    y = torch.empty(tokens * top_k, n, device=x.device, dtype=x.dtype)
    out = torch.empty(tokens, n, device=x.device, dtype=x.dtype)
    moe_gemm_kernel[(block_experts.numel(), triton.cdiv(n, 64))](
        x, w, y, weights, slots, block_experts, tokens * top_k, n, k, TOP_K=top_k, BLOCK_M=16, BLOCK_N=64, BLOCK_K=32
    )
    moe_sum_kernel[(tokens, triton.cdiv(n, 256))](y, out, n, TOP_K=top_k, BLOCK=256)
    return out


if __name__ == "__main__":
    import torch

    data = torch.randn(101, 203, device="cuda", dtype=torch.float16)
    matrices = torch.randn(8, 130, 203, device="cuda", dtype=torch.float16)
    gate, choice = torch.softmax(torch.randn(101, 8, device="cuda"), dim=1).topk(2, dim=1)
    every = torch.einsum("tk,enk->ten", data.float(), matrices.float())
    expected = (every.gather(1, choice[:, :, None].expand(-1, -1, 130)) * gate[:, :, None]).sum(1)
    got = moe(data, matrices, choice, gate.contiguous())
    print("max error", (got - expected).abs().max().item(), "of", expected.abs().max().item())
