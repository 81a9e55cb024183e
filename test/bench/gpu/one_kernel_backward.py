"""Attention's backward pass in the form of Triton's tutorial 06: one kernel in which
a program takes one block of keys for dK and dV and then one block of queries for
dQ. For causal attention both walks are in two parts, blocks on the diagonal with
a mask and the rest without one.

This is what Triton's authors show, with the blocks, warps and stages that they
chose: 32 x 128 for dK and dV, 128 x 32 for dQ, four warps, five stages. It stands
in the benches as a peer and is timed under Triton alone; the example
attention_backward.py runs under both compilers. Lengths are multiples of 128,
lse holds logarithms to the base 2, tensors are [heads, length, HEAD_DIM].
"""

import triton
import triton.language as tl

SMALL, LARGE, WARPS, STAGES = 32, 128, 4, 5
LOG2_E = tl.constexpr(1.4426950408889634)
LN_2 = tl.constexpr(0.6931471805599453)


@triton.jit
def walk_queries(dk, dv, k, v, q, d_out, lse, delta, first_row, first_key, turns,
                 D: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr, MASKED: tl.constexpr):
    dims = tl.arange(0, D)
    keys = first_key + tl.arange(0, KEYS)
    for turn in range(turns):
        rows = first_row + turn * ROWS + tl.arange(0, ROWS)
        q_across = tl.load(q + rows[None, :] * D + dims[:, None])
        probs = tl.exp2(tl.dot(k, q_across) - tl.load(lse + rows)[None, :])
        if MASKED:
            probs = tl.where(rows[None, :] >= keys[:, None], probs, 0.0)
        do = tl.load(d_out + rows[:, None] * D + dims[None, :])
        dv += tl.dot(probs.to(tl.float16), do)
        d_probs = tl.dot(v, tl.trans(do)).to(tl.float32)
        d_scores = probs * (d_probs - tl.load(delta + rows)[None, :])
        dk += tl.dot(d_scores.to(tl.float16), tl.trans(q_across))
    return dk, dv


@triton.jit
def walk_keys(dq, q, do, lse, delta, k, v, first_row, first_key, turns,
              D: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr, MASKED: tl.constexpr):
    dims = tl.arange(0, D)
    rows = first_row + tl.arange(0, ROWS)
    for turn in range(turns):
        keys = first_key + turn * KEYS + tl.arange(0, KEYS)
        k_across = tl.load(k + keys[None, :] * D + dims[:, None])
        v_across = tl.load(v + keys[None, :] * D + dims[:, None])
        probs = tl.exp2(tl.dot(q, k_across) - lse)
        if MASKED:
            probs = tl.where(rows[:, None] >= keys[None, :], probs, 0.0)
        d_scores = probs * (tl.dot(do, v_across).to(tl.float32) - delta[:, None])
        dq += tl.dot(d_scores.to(tl.float16), tl.trans(k_across))
    return dq


@triton.jit
def backward_kernel(q, k, v, d_out, lse, delta, dq, dk, dv, scale, length,
                    D: tl.constexpr, SMALL: tl.constexpr, LARGE: tl.constexpr, CAUSAL: tl.constexpr):
    """k comes multiplied by scale * log2(e)."""
    HALF: tl.constexpr = SMALL // 2
    head = tl.program_id(1).to(tl.int64)
    q += head * length * D
    k += head * length * D
    v += head * length * D
    d_out += head * length * D
    dq += head * length * D
    dk += head * length * D
    dv += head * length * D
    lse += head * length
    delta += head * length
    first = tl.program_id(0) * LARGE
    own = first + tl.arange(0, LARGE)
    at = own[:, None] * D + tl.arange(0, D)[None, :]

    key_tile = tl.load(k + at)
    value_tile = tl.load(v + at)
    dk_acc = tl.zeros((LARGE, D), tl.float32)
    dv_acc = tl.zeros((LARGE, D), tl.float32)
    first_row = 0
    if CAUSAL:
        dk_acc, dv_acc = walk_queries(dk_acc, dv_acc, key_tile, value_tile, q, d_out, lse, delta,
                                      first, first, LARGE // HALF, D, HALF, LARGE, True)
        first_row = first + LARGE
    dk_acc, dv_acc = walk_queries(dk_acc, dv_acc, key_tile, value_tile, q, d_out, lse, delta,
                                  first_row, first, (length - first_row) // SMALL, D, SMALL, LARGE, False)
    tl.store(dv + at, dv_acc.to(tl.float16))
    tl.store(dk + at, (dk_acc * scale).to(tl.float16))

    q_tile = tl.load(q + at)
    do_tile = tl.load(d_out + at)
    own_lse = tl.load(lse + own)[:, None]
    own_delta = tl.load(delta + own)
    dq_acc = tl.zeros((LARGE, D), tl.float32)
    end = length
    if CAUSAL:
        dq_acc = walk_keys(dq_acc, q_tile, do_tile, own_lse, own_delta, k, v,
                           first, first, LARGE // HALF, D, LARGE, HALF, True)
        end = first
    dq_acc = walk_keys(dq_acc, q_tile, do_tile, own_lse, own_delta, k, v,
                       first, 0, end // SMALL, D, LARGE, SMALL, False)
    tl.store(dq + at, (dq_acc * LN_2).to(tl.float16))


def one_kernel_backward(q, k, v, d_out, lse, delta, dq, dk, dv, scale, causal):
    """Launches the kernel; delta is there, as the example's first kernel makes it."""
    heads, length, dim = q.shape
    backward_kernel[(length // LARGE, heads)](
        q, k * (scale * LOG2_E.value), v, d_out, lse, delta, dq, dk, dv, scale, length,
        D=dim, SMALL=SMALL, LARGE=LARGE, CAUSAL=causal, num_warps=WARPS, num_stages=STAGES,
    )
