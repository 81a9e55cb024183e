"""Flash attention, backward: gradients of Q, K and V without storing the scores.

With S = Q Kᵀ · scale, P = softmax(S) and O = P V, as attention.py computes them,

    dV = Pᵀ dO        dS = P ∘ (dO Vᵀ - delta)        delta = rowsum(O ∘ dO)
    dQ = dS K · scale          dK = dSᵀ Q · scale

(Dao et al., "FlashAttention", 2022, appendix B.2). P is made again from S and the
rows' logarithms of sums, which the forward kernel keeps: P = exp(S - lse).

Three kernels: delta; dK and dV, where a program takes BLOCK_N keys of one head and
walks over the queries; dQ, where a program takes BLOCK_M queries and walks over
the keys. No atomics, so two runs give the same bits. Tensors are [heads, length,
HEAD_DIM], lse and delta are [heads, n_q]; lengths may be odd; CAUSAL hides the
keys after a query, counted from the end when n_k is not n_q.

    tz run attention_backward.py::attention_bwd_dkdv --grid "cdiv(n_k,BLOCK_N),2" \
        --arg q=randn:f16[2,77,64] --arg k=randn:f16[2,90,64] --arg v=randn:f16[2,90,64] \
        --arg d_out=randn:f16[2,77,64] --arg lse="uniform(4,6):f32[2,77]" --arg delta=randn:f32[2,77] \
        --arg dk=zeros:f16[2,90,64] --arg dv=zeros:f16[2,90,64] --arg scale=f32:0.125 \
        --arg n_q=i32:77 --arg n_k=i32:90 --constexpr HEAD_DIM=64 --constexpr BLOCK_M=32 \
        --constexpr BLOCK_N=64 --constexpr CAUSAL=True
"""

import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def attention_bwd_delta(out, d_out, delta, n_q, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    head = tl.program_id(1)
    inside = rows < n_q
    at = head.to(tl.int64) * n_q * HEAD_DIM + rows[:, None] * HEAD_DIM + tl.arange(0, HEAD_DIM)[None, :]
    o_tile = tl.load(out + at, mask=inside[:, None], other=0.0).to(tl.float32)
    do_tile = tl.load(d_out + at, mask=inside[:, None], other=0.0).to(tl.float32)
    tl.store(delta + head * n_q + rows, tl.sum(o_tile * do_tile, axis=1), mask=inside)


@triton.jit
def load_rows(base, rows, length, HEAD_DIM: tl.constexpr):
    """Rows of a [length, HEAD_DIM] matrix; zeros after its end."""
    at = rows[:, None] * HEAD_DIM + tl.arange(0, HEAD_DIM)[None, :]
    return tl.load(base + at, mask=rows[:, None] < length, other=0.0)


@triton.jit
def store_rows(base, rows, length, values, HEAD_DIM: tl.constexpr):
    at = rows[:, None] * HEAD_DIM + tl.arange(0, HEAD_DIM)[None, :]
    tl.store(base + at, values.to(base.dtype.element_ty), mask=rows[:, None] < length)


@triton.jit
def is_visible(rows, keys, n_q, n_k, CAUSAL: tl.constexpr):
    """Whether a query sees a key; both inside the lengths. Shapes broadcast."""
    visible = (rows < n_q) & (keys < n_k)
    if CAUSAL:
        visible = visible & (keys <= rows + (n_k - n_q))
    return visible


@triton.jit
def attention_bwd_dkdv(
    q, k, v, d_out, lse, delta, dk, dv, scale, n_q, n_k,
    HEAD_DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    first_key = tl.program_id(0) * BLOCK_N
    head = tl.program_id(1)
    keys = first_key + tl.arange(0, BLOCK_N)
    q_base = head.to(tl.int64) * n_q * HEAD_DIM
    k_base = head.to(tl.int64) * n_k * HEAD_DIM
    k_tile = load_rows(k + k_base, keys, n_k, HEAD_DIM)
    v_tile = load_rows(v + k_base, keys, n_k, HEAD_DIM)
    dk_acc = tl.zeros((BLOCK_N, HEAD_DIM), dtype=tl.float32)
    dv_acc = tl.zeros((BLOCK_N, HEAD_DIM), dtype=tl.float32)

    # Queries before the first that sees a key of this tile have nothing to add.
    first_row = 0
    if CAUSAL:
        first_row = max(0, first_key - (n_k - n_q)) // BLOCK_M * BLOCK_M

    factor = scale * LOG2_E
    for start in range(first_row, n_q, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        q_tile = load_rows(q + q_base, rows, n_q, HEAD_DIM)
        do_tile = load_rows(d_out + q_base, rows, n_q, HEAD_DIM)
        row_lse = tl.load(lse + head * n_q + rows, mask=rows < n_q, other=0.0)
        row_delta = tl.load(delta + head * n_q + rows, mask=rows < n_q, other=0.0)

        # Keys are rows here, so that P and dS arrive transposed.
        scores = tl.dot(k_tile, tl.trans(q_tile)) * factor
        visible = is_visible(rows[None, :], keys[:, None], n_q, n_k, CAUSAL)
        probs = tl.where(visible, tl.exp2(scores - row_lse[None, :] * LOG2_E), 0.0)
        dv_acc = tl.dot(probs.to(do_tile.dtype), do_tile, dv_acc)
        d_probs = tl.dot(v_tile, tl.trans(do_tile))
        d_scores = probs * (d_probs - row_delta[None, :])
        dk_acc = tl.dot(d_scores.to(q_tile.dtype), q_tile, dk_acc)

    store_rows(dk + k_base, keys, n_k, dk_acc * scale, HEAD_DIM)
    store_rows(dv + k_base, keys, n_k, dv_acc, HEAD_DIM)


@triton.jit
def attention_bwd_dq(
    q, k, v, d_out, lse, delta, dq, scale, n_q, n_k,
    HEAD_DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    tile = tl.program_id(0)
    head = tl.program_id(1)
    rows = tile * BLOCK_M + tl.arange(0, BLOCK_M)
    q_base = head.to(tl.int64) * n_q * HEAD_DIM
    k_base = head.to(tl.int64) * n_k * HEAD_DIM
    q_tile = load_rows(q + q_base, rows, n_q, HEAD_DIM)
    do_tile = load_rows(d_out + q_base, rows, n_q, HEAD_DIM)
    row_lse = tl.load(lse + head * n_q + rows, mask=rows < n_q, other=0.0)
    row_delta = tl.load(delta + head * n_q + rows, mask=rows < n_q, other=0.0)
    dq_acc = tl.zeros((BLOCK_M, HEAD_DIM), dtype=tl.float32)

    stop = n_k
    if CAUSAL:
        stop = min(n_k, (tile + 1) * BLOCK_M + n_k - n_q)

    factor = scale * LOG2_E
    for start in range(0, stop, BLOCK_N):
        keys = start + tl.arange(0, BLOCK_N)
        k_tile = load_rows(k + k_base, keys, n_k, HEAD_DIM)
        v_tile = load_rows(v + k_base, keys, n_k, HEAD_DIM)
        scores = tl.dot(q_tile, tl.trans(k_tile)) * factor
        visible = is_visible(rows[:, None], keys[None, :], n_q, n_k, CAUSAL)
        probs = tl.where(visible, tl.exp2(scores - row_lse[:, None] * LOG2_E), 0.0)
        d_probs = tl.dot(do_tile, tl.trans(v_tile))
        d_scores = probs * (d_probs - row_delta[:, None])
        dq_acc = tl.dot(d_scores.to(k_tile.dtype), k_tile, dq_acc)

    store_rows(dq + q_base, rows, n_q, dq_acc * scale, HEAD_DIM)


def attention_backward(q, k, v, out, lse, d_out, causal):
    """Gradients of q, k and v; out and lse come from attention.py's attention()."""
    import torch

    (heads, n_q, dim), n_k = q.shape, k.shape[1]
    delta = torch.empty_like(lse)
    dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
    scale = dim**-0.5
    attention_bwd_delta[(triton.cdiv(n_q, 64), heads)](out, d_out, delta, n_q, HEAD_DIM=dim, BLOCK_M=64)
    attention_bwd_dkdv[(triton.cdiv(n_k, 64), heads)](
        q, k, v, d_out, lse, delta, dk, dv, scale, n_q, n_k,
        HEAD_DIM=dim, BLOCK_M=32, BLOCK_N=64, CAUSAL=causal,
    )
    attention_bwd_dq[(triton.cdiv(n_q, 64), heads)](
        q, k, v, d_out, lse, delta, dq, scale, n_q, n_k,
        HEAD_DIM=dim, BLOCK_M=64, BLOCK_N=32, CAUSAL=causal,
    )
    return dq, dk, dv


if __name__ == "__main__":
    import torch
    from attention import attention

    def half(length):
        return torch.randn(4, length, 64, device="cuda", dtype=torch.float16, requires_grad=True)

    for causal in (False, True):
        inputs = [half(203), half(203), half(203)]
        expected = torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=causal)
        gradient = torch.randn_like(expected)
        expected.backward(gradient)
        q, k, v = (tensor.detach() for tensor in inputs)
        out, lse = attention(q, k, v, causal)
        for name, got, tensor in zip("qkv", attention_backward(q, k, v, out, lse, gradient, causal), inputs):
            error = (got - tensor.grad).abs().max().item()
            print("causal" if causal else "full", "d" + name, "max error", error)
