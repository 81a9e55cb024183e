"""Attention forward over sequences of different lengths, packed one after the
other: the form that serving uses. Lengths come as arguments, strides too."""
import triton
import triton.language as tl


@triton.jit
def varlen_attention(
    q, k, v, out, starts,
    stride_qm, stride_km, stride_vm, stride_om,
    scale, max_q, max_k,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    sequence = tl.program_id(1)
    first = tl.load(starts + sequence)
    length = tl.load(starts + sequence + 1) - first
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    if tl.program_id(0) * BLOCK_M < tl.minimum(length, max_q):
        dims = tl.arange(0, HEAD_DIM)
        inside = rows < length
        query = tl.load(q + (first + rows[:, None]) * stride_qm + dims[None, :], mask=inside[:, None], other=0.0)
        best = tl.full([BLOCK_M], float("-inf"), tl.float32)
        total = tl.zeros([BLOCK_M], tl.float32)
        acc = tl.zeros([BLOCK_M, HEAD_DIM], tl.float32)
        for at in range(0, tl.minimum(length, max_k), BLOCK_N):
            columns = at + tl.arange(0, BLOCK_N)
            seen = columns < tl.minimum(length, max_k)
            key = tl.load(k + (first + columns[None, :]) * stride_km + dims[:, None], mask=seen[None, :], other=0.0)
            scores = tl.dot(query, key) * scale
            scores = tl.where(seen[None, :], scores, float("-inf"))
            now = tl.maximum(best, tl.max(scores, 1))
            weights = tl.exp(scores - now[:, None])
            shrink = tl.exp(best - now)
            value = tl.load(v + (first + columns[:, None]) * stride_vm + dims[None, :], mask=seen[:, None], other=0.0)
            total = total * shrink + tl.sum(weights, 1)
            acc = acc * shrink[:, None] + tl.dot(weights.to(value.dtype), value)
            best = now
        result = acc / total[:, None]
        tl.store(out + (first + rows[:, None]) * stride_om + dims[None, :], result.to(out.dtype.element_ty),
                 mask=inside[:, None])
