"""Flash attention, forward: softmax(Q Kᵀ · scale) V without storing the scores.

One program takes BLOCK_M queries of one head and walks over the keys, keeping
a running maximum and a running sum per query. Sequence lengths may be odd;
CAUSAL hides the keys after a query. Tensors are [heads, length, HEAD_DIM],
with batch and head folded into one dimension.

    tz run attention.py::attention_fwd --grid "cdiv(n_q,BLOCK_M),4" \
        --arg q=randn:f16[4,203,64] --arg k=randn:f16[4,203,64] --arg v=randn:f16[4,203,64] \
        --arg out=zeros:f16[4,203,64] --arg lse=zeros:f32[4,203] --arg scale=f32:0.125 \
        --arg n_q=i32:203 --arg n_k=i32:203 --constexpr HEAD_DIM=64 --constexpr BLOCK_M=64 \
        --constexpr BLOCK_N=32 --constexpr CAUSAL=True
"""

import triton
import triton.language as tl


@triton.jit
def attention_fwd(
    q, k, v, out, lse, scale, n_q, n_k,
    HEAD_DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
    GROUP: tl.constexpr = 8,
):
    tile = tl.program_id(0)
    head = tl.program_id(1)
    if CAUSAL:
        # What sees the most keys begins first, in GROUP heads at a time, whose keys
        # and values stay in the cache: the last programs of the launch are short.
        tiles = tl.num_programs(0)
        at = tile + head * tiles
        first = at // (GROUP * tiles) * GROUP
        heads = min(tl.num_programs(1) - first, GROUP)
        head = first + at % (GROUP * tiles) % heads
        tile = tiles - 1 - at % (GROUP * tiles) // heads
        tl.assume(head >= 0)
        tl.assume(tile >= 0)
    rows = tile * BLOCK_M + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, HEAD_DIM)
    q_base = head.to(tl.int64) * n_q * HEAD_DIM
    k_base = head.to(tl.int64) * n_k * HEAD_DIM
    q_at = rows[:, None] * HEAD_DIM + dims[None, :]
    q_tile = tl.load(q + q_base + q_at, mask=rows[:, None] < n_q, other=0.0)

    # In units of log2, so that exp2 does the work of exp. `scale` is positive:
    # the greatest score stays the greatest.
    factor = scale * 1.4426950408889634
    top = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD_DIM), dtype=tl.float32)

    # The last query of the tile sees the keys up to its own position, counted
    # from the end when there are more keys than queries.
    shift = n_k - n_q
    stop = n_k
    if CAUSAL:
        stop = min(n_k, (tile + 1) * BLOCK_M + shift)

    for start in range(0, stop, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        k_tile = tl.load(
            k + k_base + keys[None, :] * HEAD_DIM + dims[:, None],
            mask=keys[None, :] < n_k, other=0.0,
        )
        scores = tl.dot(q_tile, k_tile)
        visible = keys[None, :] < n_k
        if CAUSAL:
            visible = visible & (keys[None, :] <= rows[:, None] + shift)
        scores = tl.where(visible, scores, -float("inf"))

        new_top = tl.maximum(top, tl.max(scores, axis=1) * factor)
        # A row that has seen no key yet has no maximum to subtract.
        base = tl.where(new_top == -float("inf"), 0.0, new_top)
        probs = tl.exp2(scores * factor - base[:, None])
        rescale = tl.exp2(top - base)
        weight = weight * rescale + tl.sum(probs, axis=1)
        v_tile = tl.load(
            v + k_base + keys[:, None] * HEAD_DIM + dims[None, :],
            mask=keys[:, None] < n_k, other=0.0,
        )
        acc = acc * rescale[:, None]
        acc = tl.dot(probs.to(v_tile.dtype), v_tile, acc)
        top = new_top

    safe = tl.where(weight == 0.0, 1.0, weight)
    result = acc / safe[:, None]
    tl.store(out + q_base + q_at, result.to(out.dtype.element_ty), mask=rows[:, None] < n_q)
    log_sum = (top + tl.log2(safe)) * 0.6931471805599453
    tl.store(lse + head * n_q + rows, log_sum, mask=rows < n_q)


def heads_at_a_time(n_k, dim, cache_bytes=32 << 20):
    """Of how many heads the keys and values, of two bytes each, fit into a cache."""
    return max(1, cache_bytes // (4 * n_k * dim))


def attention(q, k, v, causal):
    import torch

    heads, n_q, dim = q.shape
    out = torch.empty_like(q)
    lse = torch.empty(heads, n_q, device=q.device, dtype=torch.float32)
    attention_fwd[(triton.cdiv(n_q, 64), heads)](
        q, k, v, out, lse, dim**-0.5, n_q, k.shape[1],
        HEAD_DIM=dim, BLOCK_M=64, BLOCK_N=32, CAUSAL=causal, GROUP=heads_at_a_time(k.shape[1], dim),
    )
    return out, lse


if __name__ == "__main__":
    import torch

    q, k, v = (torch.randn(4, 203, 64, device="cuda", dtype=torch.float16) for _ in range(3))
    for causal in (False, True):
        expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        got, _ = attention(q, k, v, causal)
        print("causal" if causal else "full", "max error", (got - expected).abs().max().item())
